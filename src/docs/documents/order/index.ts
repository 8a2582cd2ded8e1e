/** Documents in an order. */
export { readPlaces } from './read-places.ts';
export { rowsInOrder } from './rows-in-order.ts';
