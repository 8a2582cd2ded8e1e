/** A dictionary that suggests words for misspelled ones. */
export { type Candidate, MAX_WORD, SpellingIndex } from './spelling-index.ts';
