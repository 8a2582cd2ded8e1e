/** The entry point of the stages that all searches share. */
export { Bodies, type Body } from './bodies.ts';
export { curateSearch, isMeant, type PinnedDocument } from './curate.ts';
export { boostFactors, eligibleDocuments, withinCircle, type EligibilityDeps } from './eligible.ts';
export { countFacets, fitFacets, shownFacets, type Counted, type ShownFacets } from './facets.ts';
export { checkFilter, expressionOf, type FilterInput, type RequestFilter } from './filter.ts';
export { joinLists, listLengths } from './join-lists.ts';
export { distanceOrderOf, ORDERED_CANDIDATES, orderResults, passedBefore, resultOrderOf, type ResultOrder } from './order.ts';
export { presentInOrder, type PresentedDocument } from './present-in-order.ts';
export {
  bytesOfMeta, countWithinBudget, endPage, presentEach, promptOf, shown, type PageEnd, type Presented, type Shown,
} from './present.ts';
export { documentOf, keepsMeta, metaOf, projectDocument, projectionOf, type Projection } from './project.ts';
export { readConsistently, type FollowingView, type Look } from './read-consistently.ts';
export { contentsFor, readContent, readRows, type ContentOptions, type ResultRow } from './read-rows.ts';
export { circleOf, limitOf } from './request.ts';
