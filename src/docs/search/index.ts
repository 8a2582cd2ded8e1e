/** The entry point of the stages that all searches share. */
export { isByVectorsAlone, isByWordsAlone, joinLists, listLengths } from './candidates.ts';
export { diverseCandidates, type Diversity, diversityOf, type StoredVectors } from './diversify.ts';
export { boostFactors, type EligibilityDeps, eligibleDocuments, withinCircle } from './eligible.ts';
export { fitFacets } from './facets.ts';
export { checkFilter, expressionOf, type FilterInput, type RequestFilter } from './filter.ts';
export { findResults } from './find.ts';
export { type ListDeps, listDocuments, type Listed, type ListSearch } from './list-documents.ts';
export { inPresentIndex, type NearestHit, type NearestOptions, type NearestResult, NOTHING_NEAR,
  usableHits } from './nearest.ts';
export { distanceOrderOf, type ResultOrder, resultOrderOf } from './order.ts';
export { bytesOfMeta, documentOf, endPage, metaOf, type PageEnd, presentEach, type Presented, type Projection,
  projectionOf, promptOf, type Shown, shownDocument, wantedVectors } from './present.ts';
export { type FollowingView } from './read-consistently.ts';
export { contentsFor, readRows } from './read-rows.ts';
export { candidatesOf, circleOf, limitOf, ONE_SIDE, type RankedRequest, resolveSearch, type RetrievalMode,
  type SearchRequest, type WantedFusion, wantedProjection } from './request.ts';
export type { Passage, PassageQuery, Retrieved, Retriever, Wanted } from './retriever.ts';
export { type AnswerFields, type ChosenPassage, type RankedDeps, searchRanked } from './search-ranked.ts';
