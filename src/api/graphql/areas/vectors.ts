import type { FindSimilarResponse, SearchAcrossCollectionsResponse, SearchVectorsResponse,
  VectorResult } from '../../../../generated/docs/sdk/types.gen.ts';
import { inSteps } from '../in-steps.ts';
import { selects } from '../selects.ts';
import { defineArea } from './area.ts';
import { bodiesOf, presentDocument } from './present-document.ts';
import { presentEnding } from './present-ending.ts';
import { presentPassage } from './present-passage.ts';
import { presentVectorStats, reindexed } from './reindexed.ts';
import { withFilters } from './search-input.ts';

const BODY = ['results', 'document', 'contentMd'];

type Found = FindSimilarResponse & Partial<
  Pick<SearchVectorsResponse, 'reranked' | 'retrievalMode' | 'responsePrompt' | 'facets' | 'facetsTruncated'>
>;

function presentFound({ results, ...found }: Found) {
  const { warnings = [], retrievalMode, responsePrompt } = found;
  return {
    ...found,
    ...presentEnding(found),
    warnings,
    facets: found.facets ?? null,
    facetsTruncated: found.facetsTruncated ?? false,
    retrievalMode: retrievalMode ?? null,
    responsePrompt: responsePrompt ?? null,
    results: results.map(presentResult),
  };
}

function presentResult({ document, score, rank, ...passage }: VectorResult) {
  return { document: presentDocument(document), score, rank, ...presentPassage(passage) };
}

function presentAcross({ results, ...found }: SearchAcrossCollectionsResponse) {
  const { sourceCollection, sourceDocID, truncated, nextOffset } = found;
  return {
    ...found,
    sourceCollection: sourceCollection ?? null,
    sourceDocID: sourceDocID ?? null,
    truncated: truncated ?? false,
    nextOffset: nextOffset ?? null,
    results: results.map(({ document, ...result }) => ({ ...result, document: presentDocument(document) })),
  };
}

function readingOf(includeContent: boolean) {
  return {
    variant: String(includeContent),
    bodies: ({ results }: { results: readonly { document: ReturnType<typeof presentDocument> }[] }) =>
      bodiesOf(results.map(({ document }) => document)),
  };
}

export const vectors = defineArea('vectors', {
  Query: {
    vectorSearch: (_, { input }, { read, invoke }, info) => {
      const includeContent = input.includeContent ?? selects(info, BODY);
      return read(info, async () => {
        const { queryVector, facetBy, ...rest } = input;
        const request = {
          ...withFilters(rest),
          includeContent,
          queryVector: queryVector && [...queryVector],
          facetBy: facetBy && [...facetBy],
        };
        return presentFound((await invoke('searchVectors', request)).value);
      }, readingOf(includeContent));
    },
    similar: (_, { input }, { read, invoke }, info) => {
      const includeContent = input.includeContent ?? selects(info, BODY);
      return read(info,
        async () => presentFound((await invoke('findSimilar', { ...withFilters(input), includeContent })).value),
        readingOf(includeContent));
    },
    crossSearch: (_, { input }, { read, invoke }, info) => {
      const includeContent = input.includeContent ?? selects(info, BODY);
      return read(info, async () => {
        const { queryVector, targetCollections, ...rest } = input;
        const request = {
          ...withFilters(rest),
          includeContent,
          queryVector: queryVector && [...queryVector],
          targetCollections: targetCollections && [...targetCollections],
        };
        return presentAcross((await invoke('searchAcrossCollections', request)).value);
      }, readingOf(includeContent));
    },
    vectorStats: (_, _args, { read, invoke }, info) =>
      read(info, async () => presentVectorStats((await invoke('getVectorStats', {})).value)),
  },
  Mutation: {
    vectorReindex: async (_, { collection, force }, { invoke }) => {
      const { value } = await invoke('reindexVectors', { collection, force });
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
