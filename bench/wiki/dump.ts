import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { PageReader, type WikiPage } from '../../src/convert/wiki/index.ts';
import { unpackDump } from '../../src/docs/ingest/index.ts';
import { DUMP_END, DUMP_HEAD, pageXml } from '../../src/testkit/wiki/dump.ts';
import { corpusFolder } from '../support/corpus.ts';

/** The dump of a complete wiki, 2,004 pages; undefined without the public texts. */
export function realDump(): string | undefined {
  const folder = corpusFolder('wiki');
  const file = folder && join(folder, 'ltgwiki-pages-articles.xml.bz2');
  return file !== undefined && existsSync(file) ? file : undefined;
}

/** Its pages of wikitext, without redirects. */
export async function realPages(file: string): Promise<{ pages: WikiPage[]; reader: PageReader }> {
  const reader = new PageReader();
  const pages: WikiPage[] = [];
  const decoder = new TextDecoder();
  for await (const bytes of unpackDump(createReadStream(file)))
    pages.push(...reader.read(decoder.decode(bytes, { stream: true })));
  return {
    pages: [...pages, ...reader.end()].filter(({ redirect, revision }) =>
      redirect === undefined && revision?.model === 'wikitext'
    ),
    reader,
  };
}

/** A dump of about the given number of bytes, made of the texts of real pages under new titles. */
export async function* generatedDump(pages: readonly WikiPage[], bytes: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from(DUMP_HEAD);
  let made = 0;
  for (let i = 0; made < bytes;) {
    let piece = '';
    while (piece.length < 200_000) {
      const { title, revision } = pages[i % pages.length]!;
      piece += pageXml({ title: `${title} ${i}`, text: revision!.text, id: ++i });
    }
    const encoded = Buffer.from(piece);
    made += encoded.length;
    yield encoded;
  }
  yield Buffer.from(DUMP_END);
}
