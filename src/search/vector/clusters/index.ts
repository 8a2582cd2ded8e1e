export { ivfFactory } from './ivf.ts';
export { opqFactory, pqFactory } from './pq.ts';
