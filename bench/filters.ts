// Searches with filters, facets and ranges over HTTP at 200,000 documents: each by one client beside the same search without
// them, and then by sixteen clients at once, beside searches of words alone. What is refused is counted, not timed.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { drawQueries } from './fulltext/draw-queries.ts';
import { writeSynthetic } from './fulltext/texts.ts';
import { latencyOf } from './peers/latencies.ts';
import { type Client, clientOf } from './support/client.ts';
import { CORPUS_HINT, linesOf, realCorpus } from './support/corpus.ts';
import { progress } from './support/progress.ts';
import { scaled } from './support/scale.ts';
import { startQuire } from './support/server.ts';
import { figure, missing, type Section } from './support/table.ts';

const DOCUMENTS = Math.round(scaled(200_000, 2000));
const WORDS = 150;
const SECONDS = scaled(10, 1);
const CLIENTS = 16;
const COLLECTION = 'filtered';
const BATCH = 500;

/** What each search asks for beside its three words; the values are those of `metaOf`. */
const KINDS = {
  'words alone': {},
  'filter passing 50 %': { filterMeta: { half: ['1'] } },
  'filter passing 5 %': { filterMeta: { twentieth: ['1'] } },
  'filter passing 0.1 %': { filterMeta: { thousandth: ['1'] } },
  'facet of 20 values': { facetBy: ['twentieth'] },
  'range of dates passing 50 %': { rangeMeta: [{ field: 'day', gte: '2025-01-01', lte: '2025-06-30' }] },
} as const;

type Body = Readonly<Record<string, unknown>>;

export async function benchFilters(folder: string): Promise<Section[]> {
  if ((await realCorpus()).length === 0) return [missing('Filters', `it needs the pages of MDN (docs-mdn/mdn-en.ndjson.gz and mdn-en-more.ndjson.gz): ${CORPUS_HINT}`)];
  const here = join(folder, 'filters');
  await mkdir(here);
  const texts = await writeSynthetic(join(here, 'texts.txt'), DOCUMENTS, WORDS);
  const words = (await drawQueries(texts)).filter(({ kind }) => kind === 'or').map((query) => query.words.join(' '));
  const server = await startQuire(join(here, 'filters.db'));
  const client = clientOf(server.url);
  progress(`filters: adding ${figure(DOCUMENTS)} documents`);
  await fill(client, texts.file);
  const alone = await byOneClient(client, words);
  const crowd = await byManyClients(client, words);
  client.close();
  await server.stop();
  await rm(here, { recursive: true });
  return [alone, crowd];
}

async function fill(client: Client, file: string): Promise<void> {
  let documents: object[] = [];
  let number = 0;
  const add = () => client.post('/v1/add-batch', { collection: COLLECTION, documents });
  for await (const contentMd of linesOf(file)) {
    documents.push({ key: `page-${number}`, lang: 'en', contentMd, meta: metaOf(number) });
    number += 1;
    if (documents.length < BATCH) continue;
    await add();
    documents = [];
  }
  if (documents.length > 0) await add();
}

/** Spread evenly, with no relation to the text. */
function metaOf(number: number): Record<string, string[]> {
  const day = new Date(Date.UTC(2025, 0, 1 + ((number * 7919) % 365))).toISOString().slice(0, 10);
  return { half: [String(number % 2)], twentieth: [String(number % 20)], thousandth: [String(number % 1000)], day: [day] };
}

function bodyOf(query: string, extra: Body): Body {
  return { collection: COLLECTION, mode: 'simple', algorithm: 'bm25', limit: 10, fields: ['key'], query, ...extra };
}

async function byOneClient(client: Client, words: readonly string[]): Promise<Section> {
  const rows: string[][] = [];
  let plain = 0;
  for (const [kind, extra] of Object.entries(KINDS)) {
    progress(`filters: ${kind}`);
    const outcome = await searching(client, words, extra, [SECONDS / 4, SECONDS]);
    const { p50, p95, p99 } = latencyOf(outcome.times);
    plain ||= p50;
    rows.push([kind, [p50, p95, p99].map((time) => figure(time / 1000)).join(' / '), `${(p50 / plain).toFixed(1)}x`]);
  }
  return {
    title: `Searches of three words with filters over HTTP: ${figure(DOCUMENTS)} documents, best 10, keys only, one client`,
    header: ['search', 'p50 / p95 / p99 in ms', 'p50 beside words alone'],
    rows,
  };
}

/** Half of the clients ask for words alone, the others for everything else in turn. */
async function byManyClients(client: Client, words: readonly string[]): Promise<Section> {
  progress(`filters: ${CLIENTS} clients at once`);
  const costly = Object.values(KINDS).slice(1);
  const crowd = Array.from({ length: CLIENTS }, (_, n) => searching(client, words, n % 2 === 0 ? {} : costly[(n >> 1) % costly.length]!, [0, SECONDS * 3]));
  const outcomes = await Promise.all(crowd);
  const rowOf = (what: string, of: readonly Outcome[]) => {
    const { p50, p95, p99 } = latencyOf(of.flatMap(({ times }) => times));
    const answered = of.reduce((sum, { times }) => sum + times.length, 0);
    return [what, figure(answered / (SECONDS * 3)), [p50, p95, p99].map((time) => figure(time / 1000)).join(' / '), String(of.reduce((sum, { refused }) => sum + refused, 0))];
  };
  return {
    title: `The same by ${CLIENTS} clients at once, half of which ask for words alone`,
    header: ['search', 'answers a second', 'p50 / p95 / p99 in ms', 'refused'],
    rows: [rowOf('words alone', outcomes.filter((_, n) => n % 2 === 0)), rowOf('filters, facets, ranges', outcomes.filter((_, n) => n % 2 === 1))],
    notes: ['The clients share the cores with the server. Refused are answers of any status but 200.'],
  };
}

interface Outcome {
  /** Milliseconds of each search that was answered. */
  readonly times: readonly number[];
  readonly refused: number;
}

/** Searches one after the other, for so many seconds unmeasured and then measured. */
async function searching(client: Client, words: readonly string[], extra: Body, [warm, measured]: readonly [number, number]): Promise<Outcome> {
  const times: number[] = [];
  let refused = 0;
  const begin = performance.now() + warm * 1000;
  for (let n = 0; performance.now() < begin + measured * 1000; n++) {
    const before = performance.now();
    const status = await client.status('/v1/fts', bodyOf(words[n % words.length]!, extra));
    if (before < begin) continue;
    if (status === 200) times.push(performance.now() - before);
    else refused += 1;
  }
  return { times, refused };
}
