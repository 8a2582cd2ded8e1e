/**
 * The filter language: both notations as one expression, and how its conditions test values. Knows neither documents
 * nor SQL.
 */
export { composed, composedFilter, composedMeta } from './composed.ts';
export { allOf, type BoundName, BOUNDS, type Bounds, checkFilterSize, type Column, columnOf, compareTexts,
  type Condition, type Filter, isMoment, isWithin, type RangeValue, roomForFilters, toMoment, toNumber,
  toSeconds } from './filter.ts';
export { parseFilter } from './parse-filter.ts';
export { type FilterNode, readFilterTree } from './read-filter-tree.ts';
export { checkMoments, documentTest, testOf } from './test-condition.ts';
