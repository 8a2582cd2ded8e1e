import type { NearestHit } from '../vector-search.ts';

/** Number of documents, best first, that are compared with the query token by token. */
export const MATCHED = 40;

/**
 * Reorders the best documents by the mean of their score and their similarity to the query token by token, where that
 * is known. A sum of many tokens is unspecific; the tokens themselves show whether each word of the query, or a similar
 * one, occurs. The further hits keep their order: none of their scores is greater than the least of the best.
 */
export async function matchTokens(hits: readonly NearestHit[],
  similarities: (ords: readonly number[]) => Promise<ReadonlyMap<number, number> | undefined>
): Promise<readonly NearestHit[]> {
  const known = await similarities(hits.slice(0, MATCHED).map(({ ord }) => ord));
  if (known === undefined || known.size === 0) return hits;
  const matched = hits.slice(0, MATCHED).map((hit) => ({
    ...hit,
    score: Math.fround((hit.score + (known.get(hit.ord) ?? hit.score)) / 2),
  })).sort((a, b) => b.score - a.score || a.ord - b.ord);
  const least = matched.at(-1)!.score;
  return [...matched, ...hits.slice(MATCHED).map((hit) => ({ ...hit, score: Math.min(hit.score, least) }))];
}
