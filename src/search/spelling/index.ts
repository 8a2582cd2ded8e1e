/** A dictionary that suggests words for misspelled ones. */
export { MAX_WORD, SpellingIndex, type Candidate } from './spelling-index.ts';
