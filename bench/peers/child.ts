// The process of a JavaScript peer: `node --expose-gc child.ts NAME FOLDER/job.json` prints an `Answer`.
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { linesOf } from '../support/corpus.ts';
import { median } from '../support/table.ts';
import type { Engine, MakeEngine } from './engine.ts';
import type { Answer, Job, Speed } from './job.ts';
import { measureKinds } from './latencies.ts';
import { type Asked, readQueries } from './queries-file.ts';

const ENGINES: Readonly<Record<string, () => Promise<MakeEngine>>> = {
  quire: async () => (await import('./quire.ts')).makeQuire,
  'quire-forgetful': async () => (await import('./quire.ts')).makeForgetful,
  minisearch: async () => (await import('./minisearch.ts')).makeMiniSearch,
  orama: async () => (await import('./orama.ts')).makeOrama,
  flexsearch: async () => (await import('./flexsearch.ts')).makeFlexSearch,
  'minisearch-defaults': async () => (await import('./with-defaults.ts')).makeDefaultMiniSearch,
  'orama-defaults': async () => (await import('./with-defaults.ts')).makeDefaultOrama,
  fts5: async () => (await import('./fts5.ts')).makeFts5,
};

/** Number of documents that are read before they are added together, so that reading is not measured. */
const BATCH = 500;

/** The number of times a small collection is indexed, for the median, and the maximum total duration in seconds. */
const ROUNDS = 3;
const ROUNDS_SECONDS = 8;

const [name, file] = process.argv.slice(2) as [string, string];
const job = JSON.parse(readFileSync(file, 'utf8')) as Job;
const make = await ENGINES[name]!();
const queries = readQueries(job.queries);
process.stdout.write(JSON.stringify(await answer()));

async function answer(): Promise<Answer> {
  const heap = heapBytes();
  let engine = await make(job);
  let indexed = await indexTexts(engine, job);
  if (job.mode === 'counts') return { counts: queries.map(({ words: [word] }) => engine.count(word!)) };
  if (job.mode === 'rank') return { rankings: queries.map(({ words }) => engine.rank!(words.join(' '), job.limit)) };
  if (!indexed.complete) return { speed: { ...indexed, sizes: {}, kinds: {} } };
  const rounds = [indexed];
  while (rounds.length < ROUNDS && rounds.length * rounds[0]!.indexSeconds < ROUNDS_SECONDS) {
    engine = await make({ ...job, folder: mkdtempSync(join(job.folder, 'round-')) });
    rounds.push(indexed = await indexTexts(engine, job));
  }
  const growth = heapBytes() - heap;
  engine.optimise?.();
  const sizes = engine.sizes === undefined ? { heap: growth } : await engine.sizes();
  const kinds = measureKinds(engine.search, queries, job.querySeconds);
  const withoutTotals = job.withoutTotals === true && engine.best !== undefined
    ? measureKinds(engine.best, queries, job.querySeconds)
    : undefined;
  const reopenMs = await engine.reopen?.(someWord(queries));
  return {
    speed: {
      ...indexed,
      indexSeconds: median(rounds.map((round) => round.indexSeconds)),
      sizes,
      kinds,
      ...(withoutTotals && { withoutTotals }),
      ...(reopenMs !== undefined && { reopenMs }),
    },
  };
}

async function indexTexts(into: Engine,
  { texts, mode, fields, indexSeconds }: Job): Promise<Omit<Speed, 'sizes' | 'kinds'>>
{
  let documents = 0;
  let bytes = 0;
  let spent = 0;
  let batch: { readonly text: string; readonly title?: string }[] = [];
  const addBatch = () => {
    const begun = performance.now();
    for (const { text, title } of batch) into.add(documents++, text, title);
    spent += performance.now() - begun;
    batch = [];
  };
  for await (const line of linesOf(texts)) {
    batch.push(mode === 'rank' ? titled(line, fields) : { text: line });
    bytes += Buffer.byteLength(line);
    if (batch.length === BATCH) addBatch();
    if (spent > indexSeconds * 1000) return { documents, bytes, indexSeconds: spent / 1000, complete: false };
  }
  addBatch();
  const begun = performance.now();
  into.commit();
  spent += performance.now() - begun;
  return { documents, bytes, indexSeconds: spent / 1000, complete: true };
}

function titled(line: string, fields: Job['fields']): { text: string; title?: string } {
  const tab = line.indexOf('\t');
  return fields === 2 ? { title: line.slice(0, tab), text: line.slice(tab + 1) } : { text: line.replace('\t', ' ') };
}

function someWord(from: readonly Asked[]): readonly string[] {
  return (from.find(({ kind }) => kind === 'term') ?? from[0]!).words;
}

function heapBytes(): number {
  globalThis.gc!();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
