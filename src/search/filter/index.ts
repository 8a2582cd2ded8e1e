/** The filter language: both notations as one expression, and how its conditions test values. Knows neither documents nor SQL. */
export { columnOf, type Column } from './columns.ts';
export { BOUNDS, compareTexts, isMoment, isWithin, toNumber, toSeconds, type BoundName, type Bounds, type RangeValue } from './compare-values.ts';
export { documentTest, type FilteredDocument } from './document-test.ts';
export { allOf, checkFilterSize, type Condition, type Filter } from './filter.ts';
export { parseFilter } from './parse-filter.ts';
export { roomForFilters } from './room-for-filters.ts';
export { readFilterTree, type FilterNode } from './read-filter-tree.ts';
export { checkMoments, testOf, textsOf } from './test-condition.ts';
