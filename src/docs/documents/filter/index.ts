/** Which documents a request's `filter` and `langs` are about. */
export { inSet, type SetCondition } from './in-set.ts';
export { passingDocuments, valuesQuery } from './passing-documents.ts';
export { valueRows } from './value-rows.ts';
export { readFilter, type FilterInput } from './request-filter.ts';
