import { readEach } from '../parts/index.ts';
import type { Hit } from './contract.ts';
import { type IndexPart, isElsewhere } from './index-part.ts';
import { bestOfAll } from './merging.ts';
import { averageLength, RERANKED, type Reranking, sharesOf } from './rerank.ts';
import type { Statistics } from './statistics.ts';

interface Wanted {
  /** The rerankings with the numbers of forms in each index. */
  readonly rerankings: readonly (readonly Reranking[])[];
  /** The postings of all words of all rerankings in all indexes, in their order. */
  readonly postings: readonly number[];
  /** Number of hits that are returned. */
  readonly wanted: number;
  readonly statistics: Statistics;
}

type Parts = readonly Pick<IndexPart, 'follow' | 'rerank'>[];

/**
 * Reranks the best `RERANKED` of the hits of several indexes, each by its own index, which come in order. Returns the
 * best `wanted` of all: those that are reranked, then the others.
 */
export function rerankAll(parts: Parts, found: readonly (readonly Hit[])[], wanted: Wanted): Hit[] {
  const { hits, taken } = bestOfAll(found, Math.max(wanted.wanted, RERANKED));
  const best = hits.length > RERANKED ? bestOfAll(found, RERANKED).taken : taken;
  const reranked = rerankEach(parts, found.map((list, i) => list.slice(0, best[i])), wanted);
  return [...bestOfAll(reranked, Math.min(wanted.wanted, RERANKED)).hits, ...hits.slice(RERANKED, wanted.wanted)];
}

/**
 * The index of the best hit is asked first, so that the others need not be exact about documents that are not wanted
 * any more. Those in other processes come last, all at once.
 */
function rerankEach(parts: Parts, lists: readonly (readonly Hit[])[], wanted: Wanted): Hit[][] {
  const given = { shares: sharesOfEach(wanted), averageLength: averageLength(wanted.statistics) };
  const reranked = lists.map((list) => [...list]);
  const rerankIn = (part: number, least: number): Hit[] =>
    parts[part]!.rerank(lists[part]!, wanted.rerankings[part]!, wanted.wanted, { ...given, least });
  const order = [...lists.keys()].filter((part) => lists[part]!.length > 0).sort((a, b) =>
    lists[b]![0]!.score - lists[a]![0]!.score
  );
  for (const part of order)
    if (!isElsewhere(parts[part]!)) reranked[part] = rerankIn(part, leastWanted(reranked, wanted.wanted));
  const others = order.filter((part) => isElsewhere(parts[part]!));
  const least = others.length === 0 ? 0 : leastWanted(reranked, wanted.wanted);
  for (const [i, hits] of readEach(others, (part) => rerankIn(part, least)).entries()) reranked[others[i]!] = hits;
  return reranked;
}

/** The shares of the words of each reranking. */
function sharesOfEach({ rerankings: [first = []], postings, statistics }: Wanted): number[][] {
  let next = 0;
  return first.map(({ words }) => sharesOf(postings.slice(next, next += words.length), statistics.live));
}

/** A score that the `wanted` best reach: each score so far is a lower bound of the final one. */
function leastWanted(lists: readonly (readonly Hit[])[], wanted: number): number {
  const scores = new Float32Array(lists.reduce((sum, list) => sum + list.length, 0));
  let end = 0;
  for (const list of lists) for (const { score } of list) scores[end++] = score;
  return scores.sort()[end - wanted] ?? 0;
}
