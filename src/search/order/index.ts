/** The order of results: what a request says of it, and how results are compared and sorted by it. */
export { comparePlaces, compareSortValues, sortValueOf, type Place, type SortValue } from './compare-places.ts';
export { readCursor, writeCursor, type Mark } from './cursor.ts';
export { parseSort, type SortKey, type SortRules } from './parse-sort.ts';
