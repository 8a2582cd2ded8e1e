/** The order of results: parses the order of a request, and compares and sorts results by it. */
export { comparePlaces, compareSortValues, type Place, type SortValue, sortValueOf } from './compare-places.ts';
export { cursorOf, type CursorRequest, type Mark, writeCursor } from './cursor.ts';
export { parseSort, type SortKey, type SortRules } from './parse-sort.ts';
