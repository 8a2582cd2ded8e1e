/** The door of what all lists have in common. */
export { decodeCursor, type Position } from './cursor.ts';
export { pageSize, toPage } from './page.ts';
