// Wikitext to markdown in one process compared with wtf_wikipedia, bzip2 compared with the program, and the memory for
// a large dump.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import wtf from 'wtf_wikipedia';
import { readDump, wikitextToMarkdown } from '../src/convert/wiki/index.ts';
import { unpackDump } from '../src/docs/ingest/index.ts';
import { Bzip2Decoder } from '../src/kernels/bzip2.ts';
import { CORPUS_HINT } from './support/corpus.ts';
import { progress } from './support/progress.ts';
import { scaled } from './support/scale.ts';
import { ROOT } from './support/server.ts';
import { compare, comparisons, figure, missing, type Row, type Section } from './support/table.ts';
import { generatedDump, realDump, realPages } from './wiki/dump.ts';

const ROUNDS = Math.round(scaled(7, 2));
const DUMP_BYTES = Math.round(scaled(2e9, 20e6));

export async function benchWiki(): Promise<Section[]> {
  const file = realDump();
  if (file === undefined)
    return [missing('Dumps of wikis', `it needs wiki/ltgwiki-pages-articles.xml.bz2: ${CORPUS_HINT}`)];
  const rows = [...(await convertPages(file)), unpack(file), await wholeDump(file), await memory(file)];
  return [
    comparisons('Dumps of wikis: the Latgalian Wikipedia, one process', rows, [
      "Converting: the pages' texts in memory, best of the rounds, both in turn; wtf_wikipedia makes plain text " +
      'of them, this markdown.',
      `Memory: a dump of ${
        figure(DUMP_BYTES / 1e6)
      } MB, made of the same texts, in a process of its own; resident memory at its highest beside that before.`,
    ]),
  ];
}

async function convertPages(file: string): Promise<Row[]> {
  const { pages, reader } = await realPages(file);
  const megabytes = pages.reduce((sum, { revision }) => sum + Buffer.byteLength(revision!.text), 0) / 1e6;
  const best = { own: Infinity, wtf: Infinity };
  for (let round = 0; round < ROUNDS; round++) {
    progress(`wiki: converting, round ${round + 1} of ${ROUNDS}`);
    best.own = Math.min(best.own, seconds(() =>
      pages.forEach(({ title, revision }) => wikitextToMarkdown(revision!.text, title, reader.site))
    ));
    best.wtf = Math.min(best.wtf, seconds(() =>
      pages.forEach(({ title, revision }) => wtf(revision!.text, { title }).text())
    ));
  }
  return [
    compare(`converting ${figure(pages.length)} pages`, pages.length / best.own, 'wtf_wikipedia',
      pages.length / best.wtf, 'pages/s'),
    compare(`converting ${figure(megabytes)} MB of wikitext`, megabytes / best.own, 'wtf_wikipedia',
      megabytes / best.wtf, 'MB/s'),
  ];
}

/** Throughput is measured in bytes of output. */
function unpack(file: string): Row {
  const packed = readFileSync(file);
  let [own, program, length] = [Infinity, Infinity, 0];
  for (let round = 0; round < ROUNDS; round++) {
    own = Math.min(own, seconds(() => {
      const decoder = new Bzip2Decoder();
      length = 0;
      for (const piece of decoder.unpack(packed)) length += piece.length;
      for (const piece of decoder.end()) length += piece.length;
    }));
    program = Math.min(program, seconds(() => execFileSync('bzip2', ['-dc', file], { maxBuffer: 2 ** 30 })));
  }
  return compare('unpacking bzip2', length / 1e6 / own, 'the program bzip2', length / 1e6 / program, 'MB/s');
}

/** From the compressed dump to markdown, in one thread. */
async function wholeDump(file: string): Promise<Row> {
  const options = { namespaces: [0, 4, 10, 14, 828], skipRedirects: false, batchSize: 500, pageLimit: 0, byteLimit: 0 };
  let [best, bytes, pages] = [Infinity, 0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    [bytes, pages] = [0, 0];
    const begun = performance.now();
    const xml = async function*(): AsyncGenerator<Uint8Array> {
      for await (const piece of unpackDump(createReadStream(file))) {
        bytes += piece.length;
        yield piece;
      }
    };
    for await (const { documents } of readDump(xml(), options)) pages += documents.length;
    best = Math.min(best, (performance.now() - begun) / 1000);
  }
  return {
    what: 'the packed dump to markdown',
    value: `${figure(bytes / 1e6 / best)} MB of XML/s`,
    peer: '',
    peerValue: `${figure(pages / best)} pages/s`,
    ratio: '',
  };
}

async function memory(file: string): Promise<Row> {
  progress(`wiki: memory, ${figure(DUMP_BYTES / 1e6)} MB`);
  const { pages } = await realPages(file);
  const begun = performance.now();
  const child = spawn(process.execPath, [join(ROOT, 'src/testkit/wiki/convert-process.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [output] = await Promise.all([text(child.stdout),
    pipeline(Readable.from(generatedDump(pages, DUMP_BYTES)), child.stdin), once(child, 'exit')]);
  const { pages: converted, before, peak } = JSON.parse(output) as { pages: number; before: number; peak: number };
  const took = (performance.now() - begun) / 1000;
  return {
    ...compare(`memory while ${figure(converted)} pages are converted in ${figure(took)} s`, peak / 2 ** 20, 'before',
      before / 2 ** 20, 'MiB'),
    ratio: `+${figure((peak - before) / 2 ** 20)} MiB`,
  };
}

function seconds(work: () => void): number {
  const begun = performance.now();
  work();
  return (performance.now() - begun) / 1000;
}
