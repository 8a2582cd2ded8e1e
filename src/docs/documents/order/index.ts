/** Documents in an order. */
export { rowsInOrder } from './rows-in-order.ts';
