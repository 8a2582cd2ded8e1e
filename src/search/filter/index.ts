/**
 * The filter language: both notations as one expression, and how its conditions test values. Knows neither documents
 * nor SQL.
 */
export { type BoundName, BOUNDS, type Bounds, compareTexts, isMoment, isWithin, type RangeValue, toNumber,
  toSeconds } from './compare-values.ts';
export { allOf, checkFilterSize, type Column, columnOf, type Condition, type Filter,
  roomForFilters } from './filter.ts';
export { parseFilter } from './parse-filter.ts';
export { type FilterNode, readFilterTree } from './read-filter-tree.ts';
export { checkMoments, documentTest, type FilteredDocument, testOf, textsOf } from './test-condition.ts';
