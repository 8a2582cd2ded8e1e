// Fits the default weight of vector results in hybrid search (src/search/fusion/fuse.ts): `node fit-fusion.ts`
// prints the values fitted to one half of each judged set, to the other, and to both, and how good each is on either
// half. The scores of the sides are those that hybrid search returns for each result. The objective is the mean gain of
// hybrid search over the better of its sides, with losses weighted five times. Takes some minutes, because the sets are
// written and embedded first.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../src/operations/index.ts';
import { fittedAlpha, fuse } from '../src/search/fusion/fuse.ts';
import { type Collection, collections, type QuestionSet, valueOf } from './meaning/sets.ts';
import { openService } from './support/docs-service.ts';

const CALLER: Caller = { protocol: 'http', requestId: 'bench' };
/** Number of results; each side contributes as many candidates. */
const DEPTH = 100;
const BATCH = 200;
const GRID = Array.from({ length: 9 }, (_, i) => (i + 1) / 10);
const LOSS = 5;

interface Weights {
  readonly agreed: number;
  readonly disagreed: number;
}

interface Hit {
  readonly ord: number;
  readonly score: number;
}

/** A query with the results of both sides; ordinals are positions in `keys`. */
interface Query {
  readonly id: string;
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
const halves = [0, 1].map((half) =>
  sets.map((judged) => ({ ...judged, queries: judged.queries.filter((_, i) => i % 2 === half) }))
);
for (const [name, seen] of [['one half', halves[0]!], ['the other', halves[1]!], ['both', sets]] as const) {
  const weights = fit(seen);
  console.log(`fitted to ${name}: ${JSON.stringify(weights)}`);
  for (const [i, half] of [...halves, sets].entries()) {
    console.log(
      `  ${['one half', 'the other', 'both'][i]}: ${
        half.map((judged) => `${judged.set.name} ${better(judged).toFixed(3)} -> ${hybrid(judged, weights).toFixed(3)}`)
          .join(', ')
      }`,
    );
  }
}

function fit(seen: readonly JudgedSet[]): Weights {
  const gain = (weights: Weights): number =>
    seen.reduce((sum, judged) => {
      const difference = hybrid(judged, weights) - better(judged);
      return sum + (difference < 0 ? LOSS * difference : difference);
    }, 0);
  const all = GRID.flatMap((agreed) => GRID.map((disagreed) => ({ agreed, disagreed }))).map((weights) => ({
    weights,
    gain: gain(weights),
  }));
  return all.reduce((best, each) => (each.gain > best.gain ? each : best)).weights;
}

function hybrid(judged: JudgedSet, weights: Weights): number {
  return quality(judged, ({ words, meaning }) => {
    const alpha = fittedAlpha(words.map(({ ord }) => ord), meaning.map(({ ord }) => ord), weights);
    return fuse(words, meaning.map((hit) => ({ ...hit, chunk: 0 })), { strategy: 'alpha', alpha });
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
  const ask = async (query: string): Promise<Omit<Query, 'id'>> => {
    const { results } =
      (await service.invoke('searchHybrid', { collection: name, query, topK: DEPTH, oversample: 1 }, CALLER)).value;
    const bestOf = (side: 'ftsScore' | 'vectorScore'): Hit[] =>
      results.filter((result) => result[side] > 0).map((result) => ({
        ord: places.get(result.document.key)!,
        score: result[side],
      })).sort((a, b) => b.score - a.score || a.ord - b.ord);
    return { words: bestOf('ftsScore'), meaning: bestOf('vectorScore') };
  };
  const read: JudgedSet[] = [];
  for (const set of own) {
    const queries: Query[] = [];
    for (const { id, text: query } of set.queries) {
      queries.push({ id, ...await ask(query) });
    }
    read.push({ set, keys, queries });
  }
  await service.stop();
  await rm(folder, { recursive: true });
  return read;
}
