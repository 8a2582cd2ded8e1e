import type { HybridResult, SearchHybridResponse } from '../../../../generated/docs/sdk/types.gen.ts';
import { selects } from '../selects.ts';
import { defineArea } from './area.ts';
import { bodiesOf, inSteps, presentDocument, presentEnding, presentPassage } from './present.ts';
import { presentHighlights, withFilters, withWordOptions } from './search-input.ts';

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
