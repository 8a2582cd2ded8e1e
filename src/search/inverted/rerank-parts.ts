import type { Hit } from './contract.ts';
import type { InvertedIndex } from './inverted-index.ts';
import { bestOfAll } from './merging.ts';
import { averageLength, RERANKED, type Reranking, type RerankWord, sharesOf } from './rerank.ts';
import type { Statistics } from './statistics.ts';

interface Wanted {
  readonly rerankings: readonly Reranking[];
  /** Number of hits that are returned. */
  readonly wanted: number;
  readonly statistics: Statistics;
  /** The number of a form in an index; 0 if that does not have it. */
  localOf(part: number, form: number): number;
}

type Parts = readonly Pick<InvertedIndex, 'postingsOf' | 'rerank'>[];

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
 * any more.
 */
function rerankEach(parts: Parts, lists: readonly (readonly Hit[])[], wanted: Wanted): Hit[][] {
  const { rerankings, statistics } = wanted;
  const local = parts.map((_, part) => rerankings.map((reranking) => inPart(reranking, part, wanted)));
  const shares = rerankings.map(({ words }, i) =>
    sharesOf(postingsOfAll(parts, local.map((own) => own[i]!.words), words.length), statistics.live)
  );
  const given = { shares, averageLength: averageLength(statistics) };
  const reranked = lists.map((list) => [...list]);
  for (const part of [...lists.keys()].sort((a, b) => (lists[b]![0]?.score ?? 0) - (lists[a]![0]?.score ?? 0))) {
    if (lists[part]!.length === 0) continue;
    const least = leastWanted(reranked, wanted.wanted);
    reranked[part] = parts[part]!.rerank(lists[part]!, local[part]!, wanted.wanted, { ...given, least });
  }
  return reranked;
}

/** A reranking with the numbers of forms in one of the indexes. */
function inPart({ words, classes }: Reranking, part: number, { localOf }: Wanted): Reranking {
  return {
    classes,
    words: words.map(({ forms, exact, ...word }): RerankWord => ({
      ...word,
      forms: forms.map((form) => localOf(part, form)).filter((form) => form !== 0),
      exact: exact === undefined ? undefined : localOf(part, exact) || undefined,
    })),
  };
}

/** The postings of each word in all indexes. */
function postingsOfAll(parts: Parts, words: readonly (readonly RerankWord[])[], count: number): number[] {
  const sums: number[] = Array.from({ length: count }, () => 0);
  for (const [part, own] of words.entries())
    for (const [i, postings] of parts[part]!.postingsOf(own).entries()) sums[i]! += postings;
  return sums;
}

/** A score that the `wanted` best reach: each score so far is a lower bound of the final one. */
function leastWanted(lists: readonly (readonly Hit[])[], wanted: number): number {
  const scores = new Float32Array(lists.reduce((sum, list) => sum + list.length, 0));
  let end = 0;
  for (const list of lists) for (const { score } of list) scores[end++] = score;
  return scores.sort()[end - wanted] ?? 0;
}
