/**
 * The filter language: both notations as one expression, and how its conditions test values. Knows neither documents
 * nor SQL.
 */
export { type Column, columnOf } from './columns.ts';
export { type BoundName, BOUNDS, type Bounds, compareTexts, isMoment, isWithin, type RangeValue, toNumber,
  toSeconds } from './compare-values.ts';
export { documentTest, type FilteredDocument } from './document-test.ts';
export { allOf, checkFilterSize, type Condition, type Filter } from './filter.ts';
export { parseFilter } from './parse-filter.ts';
export { type FilterNode, readFilterTree } from './read-filter-tree.ts';
export { roomForFilters } from './room-for-filters.ts';
export { checkMoments, testOf, textsOf } from './test-condition.ts';
