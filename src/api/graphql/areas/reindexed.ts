import type { GetVectorStatsResponse, ReindexVectorsResponse } from '../../../../generated/docs/sdk/types.gen.ts';
import type { VectorStats } from '../../../../generated/graphql/resolvers.ts';

/** The result of `vectorReindex`: the counts, and the state afterwards, which is read only if the query selects it. */
export interface Reindexed {
  readonly embedded: number;
  readonly skipped: number;
  readonly failed: number;
  readonly errors: readonly string[];
  readonly stats: () => Promise<VectorStats>;
}

/** `readStats` is called at most once, for all the fields that need it. */
export function reindexed({ embedded, skipped, failed, errors = [] }: ReindexVectorsResponse,
  readStats: () => Promise<VectorStats>): Reindexed
{
  let stats: Promise<VectorStats> | undefined;
  return { embedded, skipped, failed, errors, stats: () => (stats ??= readStats()) };
}

/** The state of embeddings, with its collections by name. */
export function presentVectorStats(
  { enabled, provider, model, dimensions, index_ready: indexReady, collections, encoder }: GetVectorStatsResponse,
): VectorStats {
  const listed = Object.entries(collections).sort(([a], [b]) => (a < b ? -1 : 1)).map(([collection, counts]) => ({
    collection,
    totalDocuments: counts.total_documents,
    embeddedDocuments: counts.embedded_documents,
    encodedChunks: counts.encoded_chunks ?? null,
  }));
  return { enabled, provider, model, dimensions, indexReady, collections: listed, encoder: encoder ?? null };
}
