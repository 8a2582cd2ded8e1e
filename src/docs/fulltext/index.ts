/** The door of the full-text area. */
export { createFullText, type FullText } from './fulltext.ts';
