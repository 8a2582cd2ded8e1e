import type { RecallMemoryResponse, SearchHybridResponse } from '../../../../generated/docs/sdk/types.gen.ts';
import { selects } from '../reads.ts';
import { defineArea } from './area.ts';
import { toSparse, toVectors, withFilters, withWordOptions } from './input.ts';
import { bodiesOf, inSteps, withDocument } from './present.ts';

const BODY = ['results', 'document', 'contentMd'];
const VECTORS = ['results', 'document', 'vectors'];

export const hybrid = defineArea('hybrid', {
  Query: {
    hybridSearch: (_, { input }, { read, invoke }, info) => {
      const includeContent = input.includeContent ?? selects(info, BODY);
      const includeVectors = selects(info, VECTORS);
      return read(info, async () => {
        const { queryVector, queryVectors, querySparse, ...rest } = input;
        const request = {
          ...withWordOptions(withFilters(rest)),
          includeContent,
          includeVectors,
          queryVector: queryVector && [...queryVector],
          queryVectors: toVectors(queryVectors),
          querySparse: toSparse(querySparse),
        };
        return presentFound((await invoke('searchHybrid', request)).value);
      }, {
        variant: `${includeContent} ${includeVectors}`,
        bodies: ({ results }) => bodiesOf(results.map(({ document }) => document)),
      });
    },
  },
  HybridSearchResponse: {
    results: ({ results }) => inSteps(results),
  },
});

function presentFound({ results, ...found }: SearchHybridResponse) {
  const { facetsTruncated = false, warnings = [], contextTruncated = false, truncated = false } = found;
  return {
    ...found,
    facetsTruncated,
    warnings,
    contextTruncated,
    truncated,
    results: results.map(({ pinned = false, ...result }) => ({ ...withDocument(result), pinned })),
  };
}

export const memory = defineArea('memory', {
  Query: {
    recall: (_, { input }, { read, invoke }, info) => {
      const includeContent = input.includeContent ?? selects(info, BODY);
      return read(info, async () => {
        const request = { ...withFilters(input), includeContent };
        return presentRecalled((await invoke('recallMemory', request)).value);
      }, {
        variant: String(includeContent),
        bodies: ({ results }) => bodiesOf(results.map(({ document }) => document)),
      });
    },
  },
  RecallResponse: {
    results: ({ results }) => inSteps(results),
  },
});

function presentRecalled({ results, ...found }: RecallMemoryResponse) {
  const { contextTruncated = false, truncated = false, warnings = [] } = found;
  return { ...found, contextTruncated, truncated, warnings, results: results.map(withDocument) };
}
