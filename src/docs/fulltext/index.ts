/** The entry point of the full-text area. */
export { createFullText, type FullText } from './fulltext.ts';
export { withCompounds } from './search/compounds-found.ts';
export { createFullTextSearch, type FullTextSearch } from './search/fulltext-search.ts';
export { highlighterOf, type WordMatcher, WordMatchers } from './search/highlights.ts';
export { languagesOfQuery } from './search/query-languages.ts';
export type { Reading } from './search/query-plan.ts';
export { PLAIN_SEARCH, resolveRequest as resolveWords, type SearchRequest as WordsRequest } from './search/request.ts';
export type { SearchDeps as WordsDeps } from './search/search-full-text.ts';
export { correctSpelling } from './search/spelling.ts';
export { readyWords, textQuery, wordsRetriever } from './search/words-retriever.ts';
export { PLAIN } from './view/analyzers.ts';
export { classOfDocument, CODE_CLASS, isAmong } from './view/document-classes.ts';
export type { FullTextView } from './view/fulltext-view.ts';
export { CONTENT } from './view/text-index.ts';
export { toIndexed } from './view/to-indexed.ts';
