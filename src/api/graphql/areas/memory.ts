import type { RecallMemoryResponse } from '../../../../generated/docs/sdk/types.gen.ts';
import { selects } from '../selects.ts';
import { defineArea } from './area.ts';
import { bodiesOf, inSteps, presentDocument, presentEnding } from './present.ts';
import { withFilters } from './search-input.ts';

const BODY = ['results', 'document', 'contentMd'];

export const memory = defineArea('memory', {
  Query: {
    recall: (_, { input }, { read, invoke }, info) => {
      const includeContent = input.includeContent ?? selects(info, BODY);
      return read(info, async () => {
        const request = { ...withFilters(input), includeContent };
        return presentFound((await invoke('recallMemory', request)).value);
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

function presentFound({ results, total, strategy, query, ...ending }: RecallMemoryResponse) {
  return {
    results: results.map(({ document, ...result }) => ({ document: presentDocument(document), ...result })),
    total,
    strategy,
    query,
    ...presentEnding(ending),
  };
}
