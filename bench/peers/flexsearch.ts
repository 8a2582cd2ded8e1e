import FlexSearch from 'flexsearch';
import type { Engine } from './engine.ts';
import type { Job } from './job.ts';
import { termsFor, wordsOf } from './words.ts';

/** Whole words only; prefix search would need an index of all prefixes. */
export function makeFlexSearch(job: Job): Engine {
  const term = termsFor(job);
  const index = new FlexSearch.Index({ tokenize: 'strict', cache: false, encode: (text) => wordsOf(text).map(term) });
  const best = (words: readonly string[], suggest: boolean) =>
    index.search(words.join(' '), { limit: 10, suggest }).length;
  return {
    add: (id, text) => void index.add(id, text),
    commit: () => {},
    search: {
      term: (words) => best(words, false),
      or: (words) => best(words, true),
      and: (words) => best(words, false),
      heavy: (words) => best(words, true),
    },
    count: (word) => index.search(word, { limit: 1_000_000_000 }).length,
  };
}
