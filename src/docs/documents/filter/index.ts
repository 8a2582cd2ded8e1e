/** Which documents a request is about. */
export { inSet } from './in-set.ts';
export type { RangeMeta } from './range-conditions.ts';
export { checkFilter, expressionOf, type FilterInput, type RequestFilter } from './request-filter.ts';
