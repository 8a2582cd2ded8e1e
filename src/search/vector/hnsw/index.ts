import type { AnnFactory } from '../ann-index.ts';
import { HnswIndex } from './hnsw-index.ts';

/** Candidates for each result, so that scoring them exactly mends what codes of 7 bits got wrong. */
const OVERSAMPLE = 3;

/** Approximate search by a graph (hnsw). */
export const hnswFactory: AnnFactory = {
  algorithm: 'hnsw',
  minRows: 512,
  structureFor: (metric) => metric,
  candidates: (k, _rows, wish) => Math.ceil(k * (wish ?? OVERSAMPLE)),
  create: (segment, metric) => new HnswIndex(segment, metric),
  restore: (segment, metric, bytes) => new HnswIndex(segment, metric).restore(bytes),
};
