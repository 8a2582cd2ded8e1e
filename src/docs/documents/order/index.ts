/** Sorting documents by their metadata and times. */
export { readPlaces } from './read-places.ts';
export { rowsInOrder } from './rows-in-order.ts';
export { sortDocuments } from './sort-documents.ts';
