import type { HybridResult, RecallMemoryResponse, SearchHybridResponse } from '../../../../generated/docs/sdk/types.gen.ts';
import { selects } from '../reads.ts';
import { defineArea } from './area.ts';
import { bodiesOf, inSteps, presentDocument, presentEnding, presentPassage } from './present.ts';
import { presentHighlights, withFilters, withWordOptions } from './input.ts';

const BODY = ['results', 'document', 'contentMd'];

export const hybrid = defineArea('hybrid', {
  Query: {
    hybridSearch: (_, { input }, { read, invoke }, info) => {
      const includeContent = input.includeContent ?? selects(info, BODY);
      return read(info, async () => {
        const request = { ...withWordOptions(withFilters(input)), includeContent };
        return presentFound((await invoke('searchHybrid', request)).value);
      }, {
        variant: String(includeContent),
        bodies: ({ results }) => bodiesOf(results.map(({ document }) => document)),
      });
    },
  },
  HybridSearchResponse: {
    results: ({ results }) => inSteps(results),
  },
});

function presentFound({ results, ...found }: SearchHybridResponse) {
  const { facetsTruncated = false, warnings = [] } = found;
  return {
    ...found,
    facetsTruncated,
    totalMatches: found.totalMatches ?? null,
    warnings,
    ...presentEnding(found),
    retrievalMode: found.retrievalMode ?? null,
    facets: found.facets ?? null,
    spellCorrected: found.spellCorrected ?? null,
    responsePrompt: found.responsePrompt ?? null,
    results: results.map(presentResult),
  };
}

function presentResult({ document, ...result }: HybridResult) {
  const { ftsRank, vectorRank, pinned, distanceMeters, highlights } = result;
  return {
    ...result,
    document: presentDocument(document),
    ...presentPassage(result),
    ftsRank: ftsRank ?? null,
    vectorRank: vectorRank ?? null,
    highlights: presentHighlights(highlights),
    pinned: pinned ?? false,
    distanceMeters: distanceMeters ?? null,
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

function presentRecalled({ results, total, strategy, query, ...ending }: RecallMemoryResponse) {
  return {
    results: results.map(({ document, ...result }) => ({ document: presentDocument(document), ...result })),
    total,
    strategy,
    query,
    ...presentEnding(ending),
  };
}
