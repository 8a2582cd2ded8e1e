import type { FindSimilarResponse, SearchVectorsResponse } from '../../../../generated/docs/sdk/types.gen.ts';
import type { VectorSearchInput } from '../../../../generated/graphql/resolvers.ts';
import { selects } from '../selects.ts';
import { toFilter } from '../filter.ts';
import { toMeta } from '../meta.ts';
import { defineArea } from './area.ts';
import { bodiesOf, presentDocument } from './present-document.ts';
import { presentVectorStats, reindexed } from './reindexed.ts';

const BODY = ['results', 'document', 'contentMd'];

type Filters = Pick<VectorSearchInput, 'filterMeta' | 'filter' | 'langs' | 'geo'>;

/** The filters in the form of the operations' input, beside the other fields. */
function toSearch<I extends Filters>({ filterMeta, filter, langs, geo, ...rest }: I) {
  return { ...rest, filterMeta: toMeta(filterMeta), filter: toFilter(filter), langs: langs && [...langs], ...(geo && { geo }) };
}

function presentFound(found: FindSimilarResponse & Pick<SearchVectorsResponse, 'reranked'>) {
  const { total, model, dimensions, contextTruncated = false, truncated = false, nextOffset = null, reranked = null } = found;
  return { results: found.results.map(({ document, score, rank }) => ({ document: presentDocument(document), score, rank })), total, model, dimensions, contextTruncated, reranked, truncated, nextOffset };
}

function readingOf(includeContent: boolean) {
  return { variant: String(includeContent), bodies: ({ results }: ReturnType<typeof presentFound>) => bodiesOf(results.map(({ document }) => document)) };
}

export const vectors = defineArea('vectors', {
  Query: {
    vectorSearch: (_, { input }, { read, invoke }, info) => {
      const includeContent = input.includeContent ?? selects(info, BODY);
      return read(info, async () => {
        const { queryVector, ...rest } = input;
        return presentFound((await invoke('searchVectors', { ...toSearch(rest), includeContent, queryVector: queryVector && [...queryVector] })).value);
      }, readingOf(includeContent));
    },
    similar: (_, { input }, { read, invoke }, info) => {
      const includeContent = input.includeContent ?? selects(info, BODY);
      return read(info, async () => presentFound((await invoke('findSimilar', { ...toSearch(input), includeContent })).value), readingOf(includeContent));
    },
    vectorStats: (_, _args, { read, invoke }, info) => read(info, async () => presentVectorStats((await invoke('getVectorStats', {})).value)),
  },
  Mutation: {
    vectorReindex: async (_, { collection, force }, { invoke }) => {
      const { value } = await invoke('reindexVectors', { collection, force });
      return reindexed(value, async () => presentVectorStats((await invoke('getVectorStats', {})).value));
    },
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
