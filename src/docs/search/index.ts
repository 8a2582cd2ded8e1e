/** The entry point of the stages that all searches share. */
export { Bodies, type Body } from './bodies.ts';
export { isByVectorsAlone, isByWordsAlone } from './candidates.ts';
export { curateSearch, isMeant, type PinnedDocument } from './curate.ts';
export { boostFactors, type EligibilityDeps, eligibleDocuments, withinCircle } from './eligible.ts';
export { type Counted, countFacets, fitFacets, type ShownFacets, shownFacets } from './facets.ts';
export { checkFilter, expressionOf, type FilterInput, type RequestFilter } from './filter.ts';
export type { Found } from './find.ts';
export { joinLists, listLengths } from './join-lists.ts';
export { distanceOrderOf, ORDERED_CANDIDATES, orderResults, passedBefore, type ResultOrder,
  resultOrderOf } from './order.ts';
export { type PresentedDocument, presentInOrder } from './present-in-order.ts';
export { bytesOfMeta, countWithinBudget, endPage, type PageEnd, presentEach, type Presented, promptOf, type Shown,
  shown } from './present.ts';
export { documentOf, keepsMeta, metaOf, projectDocument, type Projection, projectionOf } from './project.ts';
export { type FollowingView, type Look, readConsistently } from './read-consistently.ts';
export { type ContentOptions, contentsFor, readContent, readRows, type ResultRow } from './read-rows.ts';
export { candidatesOf, circleOf, limitOf, type RankedRequest, resolveSearch, type RetrievalMode,
  type SearchRequest } from './request.ts';
export type { Passage, PassageQuery, Retriever } from './retriever.ts';
export { type ChosenPassage, type RankedDeps, searchRanked } from './search-ranked.ts';
