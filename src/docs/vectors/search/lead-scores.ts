import type { VectorQuery, VectorResult } from '../../../search/vector/index.ts';
import type { NearestHit } from '../vector-search.ts';
import type { CollectionVectors } from '../view/collection-vectors.ts';

/**
 * Number of documents whose leads are scored for each requested one, and its minimum. With more, no set of
 * bench/meaning/ is ranked better.
 */
const OVERSAMPLE = 2;
const LEAST = 100;
/**
 * Number of documents for each requested one, and its minimum, with which an approximate search does not look further.
 */
const ENOUGH = 2;
const LEAST_ENOUGH = 50;

/**
 * The best documents by a weighted sum: their lead, which is the first passage, has the weight `weight`, and their best
 * passage the rest. Hits name the best passage. The sum is never above the score of the best passage, so documents are
 * preselected by that, and leads are scored only for those. A document may be missed if its best passage ranks far
 * behind, although its lead scores high.
 */
export async function searchWithLeads(index: Pick<CollectionVectors, 'search' | 'firstScores'>, query: VectorQuery,
  weight: number): Promise<VectorResult>
{
  const { vector, metric = 'cosine', k, threshold = -Infinity } = query;
  const found = await index.search({
    ...query,
    k: Math.max(LEAST, k * OVERSAMPLE),
    enough: Math.max(LEAST_ENOUGH, k * ENOUGH),
  });
  const leads = await index.firstScores(found.hits.map(({ ord }) => ord), vector, metric);
  const blended = found.hits.map((hit, i) => ({
    ...hit,
    score: Math.fround((1 - weight) * hit.score + weight * (leads[i] ?? hit.score)),
  }));
  const hits = blended.filter(({ score }) => score >= threshold).sort((a, b) => b.score - a.score || a.ord - b.ord)
    .slice(0, k);
  return { ...found, hits };
}

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
