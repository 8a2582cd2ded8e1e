/** The door of the full-text area. */
export { createFullText, type FullText } from './fulltext.ts';
export { createFullTextSearch, type FullTextSearch } from './search/fulltext-search.ts';
export { acknowledgeCaughtUp } from './view/acknowledge.ts';
