/** The entry point of the stages that all searches share. */
export { type CuratedDocuments, curatedDocuments, isMeant, type PinnedDocument } from './curate.ts';
export { boostFactors, eligibleDocuments, withinCircle, type EligibilityDeps } from './eligible.ts';
export { countFacets, fitFacets, type Counted } from './facets.ts';
export { checkFilter, expressionOf, type FilterInput, type RangeMeta, type RequestFilter } from './filter.ts';
export { cursorBehind, distanceOrderOf, ORDERED_CANDIDATES, orderResults, passedBefore, resultOrderOf, type ResultOrder } from './order.ts';
export { presentInOrder, type PresentedDocument } from './present-in-order.ts';
export { contextCost, countWithinBudget, fillPrompt, keepsMeta, projectDocument, projectionOf, type Projection } from './present.ts';
export { contentsFor, readContent, readRows, type ContentOptions, type ResultRow } from './read-rows.ts';
export { circleOf, limitOf, type CircleInput } from './request.ts';
