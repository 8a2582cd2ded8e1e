import MiniSearch from 'minisearch';
import type { Engine } from './engine.ts';
import type { Job } from './job.ts';
import { termsFor, wordsOf } from './words.ts';

const EXACT = { prefix: false, fuzzy: false } as const;

export function makeMiniSearch(job: Job): Engine {
  const term = termsFor(job);
  const index = new MiniSearch<{ id: number; text: string }>({
    fields: ['text'],
    tokenize: wordsOf,
    processTerm: (word) => term(word) || null,
  });
  const total = (words: readonly string[], options: object) =>
    index.search(words.join(' '), { ...EXACT, ...options }).length;
  return {
    add: (id, text) => index.add({ id, text }),
    commit: () => {},
    search: {
      term: (words) => total(words, {}),
      or: (words) => total(words, {}),
      and: (words) => total(words, { combineWith: 'AND' }),
      prefix: (words) => total(words, { prefix: true, processTerm: (word: string) => word }),
      fuzzy: (words) => total(words, { fuzzy: 1 }),
      heavy: (words) => total(words, {}),
    },
    count: (word) => total([word], {}),
    rank: (question, limit) => index.search(question, EXACT).slice(0, limit).map(({ id }) => id as number),
  };
}
