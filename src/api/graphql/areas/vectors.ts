import type { FindSimilarResponse, GetVectorStatsResponse, ReindexVectorsResponse, SearchAcrossCollectionsResponse,
  SearchVectorsResponse } from '../../../../generated/docs/sdk/types.gen.ts';
import type { VectorStats } from '../../../../generated/graphql/resolvers.ts';
import { selects } from '../reads.ts';
import { defineArea } from './area.ts';
import { given, numbers, toSparse, toVectors, withFilters } from './input.ts';
import { bodiesOf, inSteps, type presentDocument, withDocument } from './present.ts';

const BODY = ['results', 'document', 'contentMd'];
const VECTORS = ['results', 'document', 'vectors'];

type Found = FindSimilarResponse & Partial<
  Pick<SearchVectorsResponse, 'reranked' | 'retrievalMode' | 'responsePrompt'>
>;

function presentFound({ results, ...found }: Found) {
  const { warnings = [], facetsTruncated = false, contextTruncated = false, truncated = false } = found;
  return { ...found, warnings, facetsTruncated, contextTruncated, truncated, results: results.map(withDocument) };
}

function presentAcross({ results, ...found }: SearchAcrossCollectionsResponse) {
  return { ...found, truncated: found.truncated ?? false, results: results.map(withDocument) };
}

function readingOf(includeContent: boolean, includeVectors = false) {
  return {
    variant: `${includeContent} ${includeVectors}`,
    bodies: ({ results }: { results: readonly { document: ReturnType<typeof presentDocument> }[] }) =>
      bodiesOf(results.map(({ document }) => document)),
  };
}

export const vectors = defineArea('vectors', {
  Query: {
    vectorSearch: (_, { input }, { read, invoke }, info) => {
      const includeContent = input.includeContent ?? selects(info, BODY);
      const includeVectors = selects(info, VECTORS);
      return read(info, async () => {
        const { queryVector, queryVectors, querySparse, vectorFields, boost, facetBy, ...rest } = input;
        const request = {
          ...withFilters(rest),
          includeContent,
          includeVectors,
          queryVector: queryVector && [...queryVector],
          queryVectors: toVectors(queryVectors),
          querySparse: toSparse(querySparse),
          vectorFields: vectorFields?.map(({ vector, vectors: many, sparse, ...field }) =>
            given({ ...field, vector: vector && [...vector], vectors: toVectors(many), sparse: toSparse(sparse) })
          ),
          boost: numbers(boost),
          facetBy: facetBy && [...facetBy],
        };
        return presentFound((await invoke('searchVectors', request)).value);
      }, readingOf(includeContent, includeVectors));
    },
    similar: (_, { input }, { read, invoke }, info) => {
      const includeContent = input.includeContent ?? selects(info, BODY);
      const includeVectors = selects(info, VECTORS);
      return read(info, async () => {
        const { boost, facetBy, ...rest } = input;
        const request = {
          ...withFilters(rest),
          includeContent,
          includeVectors,
          boost: numbers(boost),
          facetBy: facetBy && [...facetBy],
        };
        return presentFound((await invoke('findSimilar', request)).value);
      }, readingOf(includeContent, includeVectors));
    },
    crossSearch: (_, { input }, { read, invoke }, info) => {
      const includeContent = input.includeContent ?? selects(info, BODY);
      return read(info, async () => {
        const { queryVector, targetCollections, boost, ...rest } = input;
        const request = {
          ...withFilters(rest),
          includeContent,
          queryVector: queryVector && [...queryVector],
          boost: numbers(boost),
          targetCollections: targetCollections && [...targetCollections],
        };
        return presentAcross((await invoke('searchAcrossCollections', request)).value);
      }, readingOf(includeContent));
    },
    vectorStats: (_, _args, { read, invoke }, info) =>
      read(info, async () => presentVectorStats((await invoke('getVectorStats', {})).value)),
  },
  Mutation: {
    vectorReindex: async (_, { collection, force, vectorField }, { invoke }) => {
      const { value } = await invoke('reindexVectors', { collection, force, vectorField });
      return reindexed(value, async () => presentVectorStats((await invoke('getVectorStats', {})).value));
    },
  },
  VectorSearchResponse: {
    results: ({ results }) => inSteps(results),
  },
  CrossSearchResponse: {
    results: ({ results }) => inSteps(results),
  },
  ReindexResult: {
    enabled: async ({ stats }) => (await stats()).enabled,
    provider: async ({ stats }) => (await stats()).provider,
    model: async ({ stats }) => (await stats()).model,
    dimensions: async ({ stats }) => (await stats()).dimensions,
    indexReady: async ({ stats }) => (await stats()).indexReady,
    collections: async ({ stats }) => (await stats()).collections,
  },
});

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
    encodedChunks: counts.encoded_chunks,
  }));
  return { enabled, provider, model, dimensions, indexReady, collections: listed, encoder };
}
