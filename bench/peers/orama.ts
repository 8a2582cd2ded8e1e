import { create, insert, type Results, search } from '@orama/orama';
import { defaultStopWords } from '../../src/text/languages/index.ts';
import type { Engine } from './engine.ts';
import type { Job } from './job.ts';
import { termsFor, wordsOf } from './words.ts';

/**
 * Its tokens are the same as those of the other JavaScript peers; its own tokenizer would keep hyphens and underscores.
 */
export function makeOrama(job: Job): Engine {
  const term = termsFor(job);
  const stops = job.stopWords ? defaultStopWords('en') : new Set<string>();
  const tokenize = (text: string) => wordsOf(text).filter((word) => !stops.has(word)).map(term);
  const db = create({
    schema: { text: 'string' },
    components: { tokenizer: { language: 'english', normalizationCache: new Map(), tokenize } },
  });
  const find = (term: string, options: object): Results => search(db, { term, limit: 10, ...options });
  return {
    // Its exact search compares the word with the text, case-sensitively.
    add: (id, text) => void insert(db, { id: String(id), text: job.mode === 'counts' ? text.toLowerCase() : text }),
    commit: () => {},
    search: {
      term: (words) => find(words.join(' '), {}).count,
      or: (words) => find(words.join(' '), {}).count,
      and: (words) => find(words.join(' '), { threshold: 0 }).count,
      prefix: (words) => find(words.join(' '), {}).count,
      fuzzy: (words) => find(words.join(' '), { tolerance: 1 }).count,
      heavy: (words) => find(words.join(' '), {}).count,
    },
    count: (word) => find(word, { exact: true }).count,
    rank: (question, limit) => find(question, { limit }).hits.map(({ id }) => Number(id)),
  };
}
