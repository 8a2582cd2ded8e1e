import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Bzip2Decoder } from '../../kernels/bzip2.ts';
import { phrasesOf, wordsOf, wordsOfMarkdown } from '../../testkit/wiki/phrases.ts';
import { convertPage, redirectOf } from './convert-page.ts';
import { PageReader } from './page-reader.ts';
import type { WikiPage } from './page.ts';

const FOLDER = new URL('../../../../shared/corpus/wiki/', import.meta.url);

/** The contents of a dump according to a standard XML parser. */
interface Manifest {
  readonly pages: readonly {
    readonly title: string;
    readonly ns: number;
    readonly id: number;
    readonly redirect: string | null;
    readonly rev_id: number;
    readonly timestamp: string;
    readonly user: string | null;
    readonly text_chars: number;
    readonly categories: readonly string[];
    readonly headings: number;
  }[];
}

function readXml(name: string): string {
  const decoder = new Bzip2Decoder();
  const pieces: Buffer[] = [];
  for (const piece of decoder.unpack(readFileSync(new URL(`${name}.xml.bz2`, FOLDER)))) pieces.push(Buffer.from(piece));
  for (const piece of decoder.end()) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString();
}

/** Reads in pieces with arbitrary boundaries. */
function readPages(xml: string, reader: PageReader): WikiPage[] {
  const pages: WikiPage[] = [];
  for (let i = 0; i < xml.length; i += 9973) pages.push(...reader.read(xml.slice(i, i + 9973)));
  return [...pages, ...reader.end()];
}

describe.skipIf(!existsSync(FOLDER)).each(['edge-cases', 'tinywiki', 'ltgwiki-pages-articles'])('the dump %s',
  (name) => {
    const reader = new PageReader();
    const manifest = existsSync(FOLDER)
      ? (JSON.parse(gunzipSync(readFileSync(new URL(`${name}.manifest.json.gz`, FOLDER))).toString()) as Manifest)
      : { pages: [] };
    const pages = existsSync(FOLDER) ? readPages(readXml(name), reader) : [];
    const articles = pages.filter(({ ns, revision }) => ns !== 10 && ns !== 4 && revision?.model === 'wikitext');

    it('has the pages of its manifest, each with its newest revision', () => {
      expect(pages.map(({ title, ns, id, redirect, revision }) => ({
        title,
        ns,
        id: Number(id),
        redirect: redirect ?? null,
        rev_id: Number(revision?.id),
        timestamp: revision?.timestamp,
        user: revision?.contributor || null,
        text_chars: [...revision!.text].length,
      }))).toEqual(manifest.pages.map(({ title, ns, id, redirect, rev_id, timestamp, user, text_chars }) => ({
        title,
        ns,
        id,
        redirect,
        rev_id,
        timestamp,
        user,
        text_chars,
      })));
    });

    it('keeps every phrase of its articles', () => {
      const names = (id: number) =>
        [...reader.site.namespaces].filter(([, found]) => found === id).map(([each]) => each);
      const kinds = { file: names(6), category: names(14) };
      const missing: string[] = [];
      for (const page of articles.filter(({ redirect, revision }) =>
        redirect === undefined && redirectOf(revision!.text) === undefined
      )) {
        const { contentMd } = convertPage(page, reader.site);
        // A broken link leaves its target in the place of a phrase.
        const words = ` ${wordsOfMarkdown(contentMd)} | ${wordsOf(contentMd.replaceAll('_', ' '))} `;
        missing.push(
          ...phrasesOf(page.revision!.text, kinds).filter((phrase) => !words.includes(` ${phrase} `)).map((phrase) =>
            `${page.title}: ${phrase}`
          ),
        );
      }
      expect(missing).toEqual([]);
    });

    it('keeps every category', () => {
      for (const [i, page] of pages.entries()) {
        if (!articles.includes(page)) continue;
        const { meta } = convertPage(page, reader.site);
        for (const category of manifest.pages[i]!.categories)
          expect(meta['wiki_category'], `${page.title}: ${category}`).toContain(category.replaceAll('_', ' '));
      }
    });
  });
