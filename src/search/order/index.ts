/** The order of results: parses the order of a request, and compares and sorts results by it. */
export { comparePlaces, compareSortValues, sortValueOf, type Place, type SortValue } from './compare-places.ts';
export { cursorOf, writeCursor, type CursorRequest, type Mark } from './cursor.ts';
export { parseSort, type SortKey, type SortRules } from './parse-sort.ts';
