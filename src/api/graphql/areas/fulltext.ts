import type { FtsInput } from '../../../../generated/graphql/resolvers.ts';
import { inSteps } from '../in-steps.ts';
import { selects } from '../selects.ts';
import { toFilter } from '../filter.ts';
import { defineArea } from './area.ts';
import { bodiesOf, presentDocument } from './present-document.ts';

const BODY = ['results', 'document', 'contentMd'];

export const fulltext = defineArea('fulltext', {
  Query: {
    fts: (_, { input }, { read, invoke }, info) => {
      const includeContent = selects(info, BODY);
      return read(info, async () => {
        const { value: { results, total, totalMatches = null, totalIsLowerBound = false, contextTruncated = false, truncated = false, nextOffset = null, nextCursor = null, suggestions = [], droppedWords = [] } } = await invoke('searchFullText', { ...toInput(input), includeContent });
        return { total, totalMatches, totalIsLowerBound, contextTruncated, truncated, nextOffset, nextCursor, suggestions, droppedWords, results: results.map(({ document, score, matchedTerms }) => ({ document: presentDocument(document), score, matchedTerms })) };
      }, { variant: String(includeContent), bodies: ({ results }) => bodiesOf(results.map(({ document }) => document)) });
    },
  },
  FTSResponse: {
    results: ({ results }) => inSteps(results),
  },
});

const EDITS = { EXACT: 0, ONE: 1, TWO: 2, AUTO: 'auto' } as const;
const PREFIXES = { NONE: 'none', LAST: 'last' } as const;
const TOTALS = { EXACT: 'exact', BOUNDED: 'bounded', NONE: 'none' } as const;
const STRATEGIES = { ANY: 'any', ALL: 'all', MOST: 'most' } as const;

/** GraphQL has its own names for enumeration values. */
function toInput({ fuzzy, prefix, matchingStrategy, totals, filter, langs, geo, ...input }: FtsInput) {
  return {
    ...input, filter: toFilter(filter), langs: langs && [...langs],
    ...(fuzzy && { fuzzy: EDITS[fuzzy] }), ...(prefix && { prefix: PREFIXES[prefix] }), ...(matchingStrategy && { matchingStrategy: STRATEGIES[matchingStrategy] }),
    ...(geo && { geo }),
    ...(totals && { totals: TOTALS[totals] }),
  };
}
