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
        const { value: { results, total, contextTruncated = false, truncated = false, nextOffset = null, nextCursor = null } } = await invoke('searchFullText', { ...input, filter: toFilter(input.filter), langs: input.langs && [...input.langs], includeContent });
        return { total, contextTruncated, truncated, nextOffset, nextCursor, results: results.map(({ document, score, matchedTerms }) => ({ document: presentDocument(document), score, matchedTerms })) };
      }, { variant: String(includeContent), bodies: ({ results }) => bodiesOf(results.map(({ document }) => document)) });
    },
  },
  FTSResponse: {
    results: ({ results }) => inSteps(results),
  },
});
