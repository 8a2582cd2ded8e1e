/** The entry point of the parts that all lists share. */
export { decodeCursor, type Position } from './cursor.ts';
export { pageSize, toPage } from './page.ts';
