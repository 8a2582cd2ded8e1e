/** The entry point of the stages that all searches share. */
export { isByVectorsAlone, isByWordsAlone, joinLists, listLengths } from './candidates.ts';
export { type EligibilityDeps, eligibleDocuments, withinCircle } from './eligible.ts';
export { fitFacets } from './facets.ts';
export { checkFilter, expressionOf, type FilterInput, type RequestFilter } from './filter.ts';
export { findResults } from './find.ts';
export { type PresentedDocument, presentInOrder } from './present-in-order.ts';
export { distanceOrderOf, type ResultOrder, resultOrderOf } from './order.ts';
export { bytesOfMeta, countWithinBudget, endPage, type PageEnd, presentEach, type Presented, promptOf, type Shown,
  shown } from './present.ts';
export { documentOf, metaOf, projectDocument, type Projection, projectionOf } from './project.ts';
export { type FollowingView, readConsistently } from './read-consistently.ts';
export { contentsFor, readRows } from './read-rows.ts';
export { candidatesOf, circleOf, limitOf, ONE_SIDE, type RankedRequest, resolveSearch, type RetrievalMode,
  type SearchRequest } from './request.ts';
export type { Passage, PassageQuery, Retrieved, Retriever, Wanted } from './retriever.ts';
export { type AnswerFields, type ChosenPassage, type RankedDeps, searchRanked } from './search-ranked.ts';
