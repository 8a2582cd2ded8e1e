// Full-text searches whose best results are reranked, as is the default, compared with the same searches without, in
// process, on the pages of MDN. A query that comes for the first time is asked once, with or without reranking;
// afterwards, the same ones come again.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Caller } from '../src/operations/index.ts';
import { latencyOf } from './peers/latencies.ts';
import { knownItems, type Page } from './relevance/known-items.ts';
import { CORPUS_HINT, seeded } from './support/corpus.ts';
import { openService, type ServiceInProcess } from './support/docs-service.ts';
import { progress } from './support/progress.ts';
import { scaled } from './support/scale.ts';
import { figure, missing, type Section } from './support/table.ts';

const CALLER: Caller = { protocol: 'http', requestId: 'bench' };
const COLLECTION = 'rerank';
const BATCH = 200;
const WORDS = 3;
const SECONDS = scaled(10, 0.5);
/** Number of the queries that come again and again. */
const REPEATED = 200;
/** Queries of the same kind that come before the measured ones, so that the code is compiled. */
const WARM_UP = 400;

export async function benchRerank(folder: string): Promise<Section[]> {
  const known = await knownItems();
  if (known === undefined) return [missing('Reranking', `it needs the folder docs-mdn: ${CORPUS_HINT}`)];
  const pages = known.pages.slice(0, Math.round(scaled(known.pages.length, 500)));
  const random = seeded(11);
  const kinds = {
    'names of pages and of what they describe': shuffled(known.items.map(({ query }) => query), random),
    'three words of a page': Array.from({ length: known.items.length }, () => wordsOf(pages, random)),
  };
  const rows: string[][] = [];
  for (const [kind, queries] of Object.entries(kinds)) {
    progress(`rerank: ${kind}`);
    const database = join(folder, 'rerank.db');
    const service = await openService(database);
    await fill(service, pages);
    rows.push(row(`${kind}, for the first time`, await firstTime(service, queries)));
    rows.push(row(`${kind}, again`, await again(service, queries)));
    await service.stop();
    await rm(database, { force: true });
  }
  return [{
    title: `Searches with reranking, the default, beside those without, in process, MDN: ${
      figure(pages.length)
    } documents, best 10, keys only`,
    header: ['search', 'p50 without, microseconds', 'p50 with reranking', 'ratio of the medians', 'ratio of the means'],
    rows,
    notes: [
      `The whole operation is measured: its input is validated and its rights are checked. ${
        figure(known.items.length)
      } queries of each kind in random order, every other one with reranking. The target is a ratio of 1.5.`,
    ],
  }];
}

type Times = readonly [without: readonly number[], reranked: readonly number[]];

function row(search: string, times: Times): string[] {
  const [without, reranked] = times.map((each) => latencyOf(each)) as [Latency, Latency];
  return [search, figure(without.p50), figure(reranked.p50), (reranked.p50 / without.p50).toFixed(2),
    (without.perSecond / reranked.perSecond).toFixed(2)];
}

type Latency = ReturnType<typeof latencyOf>;

async function fill({ invoke }: ServiceInProcess, pages: readonly Page[]): Promise<void> {
  for (let from = 0; from < pages.length; from += BATCH) {
    const documents = pages.slice(from, from + BATCH).map(({ id, title, text }) => ({
      key: id,
      lang: 'en',
      meta: { title: [title] },
      contentMd: text,
    }));
    await invoke('addDocuments', { collection: COLLECTION, documents }, CALLER);
  }
}

/** Milliseconds of queries, each of which comes once. */
async function firstTime(service: ServiceInProcess, queries: readonly string[]): Promise<Times> {
  const times: [number[], number[]] = [[], []];
  for (const [n, query] of queries.entries()) {
    const reranks = n % 2;
    const time = await timeOf(service, query, reranks === 1);
    if (n >= WARM_UP) times[reranks]!.push(time);
  }
  return times;
}

/**
 * Milliseconds of some of the same queries, again and again until the time is over: each in turn with and without
 * reranking.
 */
async function again(service: ServiceInProcess, queries: readonly string[]): Promise<Times> {
  const times: [number[], number[]] = [[], []];
  for (let [n, end] = [0, performance.now() + SECONDS * 1000]; performance.now() < end; n++) {
    const [turn, at] = [Math.floor(n / REPEATED), n % REPEATED];
    const reranks = (turn + at) % 2;
    const time = await timeOf(service, queries[at]!, reranks === 1);
    if (turn >= 2) times[reranks]!.push(time);
  }
  return times;
}

async function timeOf({ invoke }: ServiceInProcess, query: string, rerank: boolean): Promise<number> {
  const begin = performance.now();
  await invoke('searchFullText', {
    collection: COLLECTION,
    query,
    limit: 10,
    fields: ['key'],
    ...(!rerank && { rerank }),
  }, CALLER);
  return performance.now() - begin;
}

function wordsOf(pages: readonly Page[], random: () => number): string {
  for (;;) {
    const words = [...new Set(pages[Math.floor(pages.length * random())]!.text.toLowerCase().match(/\b[a-z]{4,}\b/g))];
    if (words.length >= 4 * WORDS)
      return Array.from({ length: WORDS }, () => words[Math.floor(words.length * random())]!).join(' ');
  }
}

function shuffled<T>(values: readonly T[], random: () => number): T[] {
  return values.map((value) => ({ value, at: random() })).sort((a, b) => a.at - b.at).map(({ value }) => value);
}
