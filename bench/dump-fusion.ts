// Fits the default shares of vector results in hybrid search (src/search/fusion/fuse.ts): `node fit-fusion.ts` prints
// those fitted to one half of each judged set, to the other, and to both, and how good each is on either half. The
// scores of the sides are those that hybrid search returns for each result. The objective is the mean gain of hybrid
// search over the better of its sides, with losses weighted five times. Takes some minutes, because the sets are
// written and embedded first.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../src/operations/index.ts';
import { balanced, fuse, shareOfMeaning, SHARES } from '../src/search/fusion/fuse.ts';
import { defaultStopWords } from '../src/text/languages/index.ts';
import { tokenize } from '../src/text/tokenize.ts';
import { type Collection, collections, type QuestionSet, valueOf } from './meaning/sets.ts';
import { openService } from './support/docs-service.ts';

const CALLER: Caller = { protocol: 'http', requestId: 'bench' };
/** Number of candidates of each side in a usual search, and of results of a page. */
const CANDIDATES = 50;
const BATCH = 200;
const GRID = Array.from({ length: 13 }, (_, i) => 0.3 + i / 20);
const LOSS = 5;
const STOP_WORDS = new Set(defaultStopWords('en'));

type Shares = Pick<{ readonly [Name in keyof typeof SHARES]: number }, 'usual' | 'greater'>;

interface Hit {
  readonly ord: number;
  readonly score: number;
}

/** A query with the results of both sides; ordinals are positions in `keys`. */
interface Query {
  readonly id: string;
  readonly queryWords: number;
  readonly matchedWords: number;
  readonly words: readonly Hit[];
  readonly meaning: readonly Hit[];
}

interface JudgedSet {
  readonly set: QuestionSet;
  readonly keys: readonly string[];
  readonly queries: readonly Query[];
}

const sets: JudgedSet[] = [];
for (const collection of await collections()) sets.push(...await read(collection));

import { writeFileSync } from 'node:fs';
writeFileSync(process.env['DUMP']!, JSON.stringify(sets.map(({ set, keys, queries }) => ({ name: set.name, measure: set.measure, keys, ids: set.queries.map(({id,text})=>[id,text]), queries }))));
function fit(seen: readonly JudgedSet[]): Shares {
  const gain = (shares: Shares): number =>
    seen.reduce((sum, judged) => {
      const difference = hybrid(judged, shares) - better(judged);
      return sum + (difference < 0 ? LOSS * difference : difference);
    }, 0);
  const all = GRID.flatMap((usual) => GRID.map((greater) => ({ usual, greater }))).map((shares) => ({
    shares,
    gain: gain(shares),
  }));
  return all.reduce((best, each) => (each.gain > best.gain ? each : best)).shares;
}

function hybrid(judged: JudgedSet, shares: Shares): number {
  return quality(judged, (query) => {
    const { words } = query;
    const meaning = query.meaning.map((hit) => ({ ...hit, chunk: 0 }));
    const weights = balanced(words, meaning, shareOfMeaning(words, meaning, query, { ...SHARES, ...shares }));
    return fuse(words, meaning, { strategy: 'alpha', ...weights });
  });
}

function better(judged: JudgedSet): number {
  return Math.max(quality(judged, ({ words }) => words), quality(judged, ({ meaning }) => meaning));
}

function quality({ set, keys, queries }: JudgedSet, ranking: (query: Query) => readonly Hit[]): number {
  return valueOf(set, new Map(queries.map((query) => [query.id, ranking(query).map(({ ord }) => keys[ord]!)])));
}

async function read({ name, documents, sets: own }: Collection): Promise<JudgedSet[]> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-fusion-'));
  const service = await openService(join(folder, 'quire.db'), {
    SVC_EMBEDDING_PROVIDER: 'builtin',
    SVC_EMBEDDING_QUEUE_SIZE: '1000000',
  });
  for (let from = 0; from < documents.length; from += BATCH) {
    const batch = documents.slice(from, from + BATCH).map(({ id, title, text }) => ({
      key: id,
      lang: 'en',
      contentMd: text,
      ...(title !== '' && { meta: { title: [title] } }),
    }));
    await service.invoke('addDocuments', { collection: name, documents: batch }, CALLER);
  }
  while ((await service.invoke('getVectorStats', {}, CALLER)).value.queue.depth > 0) await sleep(200);
  const keys = documents.map(({ id }) => id);
  const places = new Map(keys.map((key, ord) => [key, ord]));
  const ask = async (query: string): Promise<Omit<Query, 'id' | 'queryWords'>> => {
    const search = { collection: name, query, topK: CANDIDATES, oversample: 1, ...JSON.parse(process.env['FIT_EXTRA'] ?? '{}') };
    const pages = [await service.invoke('searchHybrid', search, CALLER),
      await service.invoke('searchHybrid', { ...search, offset: CANDIDATES }, CALLER)];
    const results = pages.flatMap(({ value }) => value.results);
    const bestOf = (side: 'fts' | 'vector'): Hit[] =>
      results.filter((result) => (result[`${side}Rank`] ?? Infinity) <= CANDIDATES).map((result) => ({
        ord: places.get(result.document.key)!,
        score: result[`${side}Score`],
      })).sort((a, b) => b.score - a.score || a.ord - b.ord);
    const matchedWords = results.find(({ ftsRank }) => ftsRank === 1)?.matchedTerms.length ?? 0;
    return { matchedWords, words: bestOf('fts'), meaning: bestOf('vector') };
  };
  const read: JudgedSet[] = [];
  for (const set of own) {
    const queries: Query[] = [];
    for (const { id, text: query } of set.queries) {
      queries.push({ id, queryWords: wordsOf(query), ...await ask(query) });
    }
    read.push({ set, keys, queries });
  }
  await service.stop();
  await rm(folder, { recursive: true });
  return read;
}

/** Number of different words without stop words. */
function wordsOf(query: string): number {
  return new Set(tokenize(query).map(({ form }) => form).filter((form) => !STOP_WORDS.has(form))).size;
}
