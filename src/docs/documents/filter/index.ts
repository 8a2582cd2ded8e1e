/** Which documents a request's `filter` and `langs` are about. */
export { inSet, type SetCondition } from './in-set.ts';
export { passingDocuments, valuesQuery } from './passing-documents.ts';
export { valueRows } from './value-rows.ts';
export { isTime, toConditions, type RangeCondition, type RangeMeta } from './range-conditions.ts';
export { checkFilter, expressionOf, readFilter, type FilterInput, type RequestFilter } from './request-filter.ts';
