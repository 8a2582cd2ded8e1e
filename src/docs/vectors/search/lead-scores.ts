import type { VectorQuery, VectorResult } from '../../../search/vector/index.ts';
import type { CollectionVectors } from '../view/collection-vectors.ts';

/** Documents whose leads are looked at for each one that is wanted, and at least. */
const OVERSAMPLE = 4;
const LEAST = 200;

/**
 * The best documents by a blend: their lead, which is the first passage, weighs `weight` and their best passage the rest. Hits
 * name the best passage. A blend is never above the score of the best passage, so documents are drawn by that, and leads are
 * scored of those alone; one whose best passage is far behind its lead's competitors may be missed.
 */
export async function searchWithLeads(index: Pick<CollectionVectors, 'search' | 'firstScores'>, query: VectorQuery, weight: number): Promise<VectorResult> {
  const { vector, metric = 'cosine', k, threshold = -Infinity } = query;
  const found = await index.search({ ...query, k: Math.max(LEAST, k * OVERSAMPLE) });
  const leads = await index.firstScores(found.hits.map(({ ord }) => ord), vector, metric);
  const blended = found.hits.map((hit, i) => ({ ...hit, score: Math.fround((1 - weight) * hit.score + weight * (leads[i] ?? hit.score)) }));
  const hits = blended.filter(({ score }) => score >= threshold).sort((a, b) => b.score - a.score || a.ord - b.ord).slice(0, k);
  return { ...found, hits };
}
