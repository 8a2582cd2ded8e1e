import { selects } from '../selects.ts';
import { toFilter } from '../filter.ts';
import { toMeta } from '../meta.ts';
import { defineArea } from './area.ts';
import { bodiesOf, presentDocument } from './present-document.ts';
import { presentVectorStats, reindexed } from './reindexed.ts';

const BODY = ['results', 'document', 'contentMd'];

export const vectors = defineArea('vectors', {
  Query: {
    vectorSearch: (_, { input }, { read, invoke }, info) => {
      const includeContent = input.includeContent ?? selects(info, BODY);
      return read(info, async () => {
        const { filterMeta, filter, langs, geo, queryVector, ...rest } = input;
        const { value } = await invoke('searchVectors', { ...rest, includeContent, filterMeta: toMeta(filterMeta), filter: toFilter(filter), langs: langs && [...langs], ...(geo && { geo }), queryVector: queryVector && [...queryVector] });
        const results = value.results.map(({ document, score, rank }) => ({ document: presentDocument(document), score, rank }));
        const { total, model, dimensions, contextTruncated = false, truncated = false, nextOffset = null } = value;
        return { results, total, model, dimensions, contextTruncated, truncated, nextOffset };
      }, { variant: String(includeContent), bodies: ({ results }) => bodiesOf(results.map(({ document }) => document)) });
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
