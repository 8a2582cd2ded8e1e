/** Words by their spelling: what a misspelled one may have been. */
export { MAX_WORD, SpellingIndex, type Candidate } from './spelling-index.ts';
