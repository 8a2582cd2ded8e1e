import type { FullTextResult, Highlight, RangeCondition, SearchFullTextResponse } from '../../../../generated/docs/sdk/types.gen.ts';
import type { FtsInput } from '../../../../generated/graphql/resolvers.ts';
import { inSteps } from '../in-steps.ts';
import { selects } from '../selects.ts';
import { defineArea } from './area.ts';
import { given } from './given.ts';
import { bodiesOf, presentDocument } from './present-document.ts';
import { numbers, withFilters, withWordOptions } from './search-input.ts';

const BODY = ['results', 'document', 'contentMd'];

export const fulltext = defineArea('fulltext', {
  Query: {
    fts: (_, { input }, { read, invoke }, info) => {
      const includeContent = selects(info, BODY);
      return read(info, async () => presentFound((await invoke('searchFullText', { ...toInput(input), includeContent })).value),
        { variant: String(includeContent), bodies: ({ results }) => bodiesOf(results.map(({ document }) => document)) });
    },
  },
  FTSResponse: {
    results: ({ results }) => inSteps(results),
  },
});

const PREFIXES = { NONE: 'none', LAST: 'last' } as const;
const TOTALS = { EXACT: 'exact', BOUNDED: 'bounded', NONE: 'none' } as const;

/** GraphQL has its own names for enumeration values. */
function toInput({ prefix, totals, fieldWeights, rangeMeta, ...input }: FtsInput) {
  return {
    ...withWordOptions(withFilters(input)), fieldWeights: numbers(fieldWeights), rangeMeta: rangeMeta?.map((range) => given(range) as RangeCondition),
    ...(prefix && { prefix: PREFIXES[prefix] }), ...(totals && { totals: TOTALS[totals] }),
  };
}

function presentFound({ results, ...found }: SearchFullTextResponse) {
  const { totalIsLowerBound = false, contextTruncated = false, truncated = false, suggestions = [], droppedWords = [], facetsTruncated = false } = found;
  return {
    ...found, totalIsLowerBound, contextTruncated, truncated, suggestions, droppedWords, facetsTruncated,
    totalMatches: found.totalMatches ?? null, nextOffset: found.nextOffset ?? null, nextCursor: found.nextCursor ?? null,
    facets: found.facets ?? null, spellCorrected: found.spellCorrected ?? null, responsePrompt: found.responsePrompt ?? null,
    results: results.map(presentResult),
  };
}

function presentResult({ document, score, matchedTerms, highlights, pinned }: FullTextResult) {
  return { document: presentDocument(document), score, matchedTerms, highlights: highlights?.map(presentHighlight) ?? null, pinned: pinned ?? false };
}

function presentHighlight({ valueIndex, ...highlight }: Highlight) {
  return { ...highlight, valueIndex: valueIndex ?? null };
}
