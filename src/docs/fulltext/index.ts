/** The door of the full-text area. */
export { createFullText, type FullText } from './fulltext.ts';
export type { Expansion } from './expansion/expansion.ts';
export { createFullTextSearch, type FullTextSearch } from './search/fulltext-search.ts';
export { boostFactors } from './search/boost-factors.ts';
export { countFacets } from './search/count-facets.ts';
export { curatedDocuments, isMeant, type PinnedDocument } from './search/curate.ts';
export { eligibleDocuments, queriesFor, type CollectionRow } from './search/eligible-documents.ts';
export { patiently } from './search/match-documents.ts';
export { matchedTerms } from './search/matched-terms.ts';
export { toDocument } from './search/present-results.ts';
export { resolveRequest as resolveWords, type SearchRequest as WordsRequest } from './search/request.ts';
export { withNeighbours, type SearchDeps as WordsDeps } from './search/search-full-text.ts';
export { WordMatcher } from './search/word-matcher.ts';
export type { WordsQuery } from './search/rank-by-words.ts';
export { fillPrompt } from './search/fill-prompt.ts';
export { readRows, type ResultRow } from './search/result-rows.ts';
export { OrdSet } from './view/ord-set.ts';
export type { TextHit } from './view/text-index.ts';
