import type { AnnFactory } from '../ann-index.ts';
import { type CodeBits, HnswIndex } from './hnsw-index.ts';

export type { CodeBits } from './hnsw-index.ts';

/** Candidates per result; scoring them exactly corrects errors of the codes. */
const OVERSAMPLE = 3;

/** Approximate search by a graph (hnsw) with codes of 4 or 7 bits per dimension: 4 bits are smaller, 7 more precise. */
export function hnswFactory(bits: CodeBits = 7): AnnFactory {
  return {
    algorithm: 'hnsw',
    types: ['float32', 'int8'],
    minRows: 512,
    structureFor: (metric) => metric,
    candidates: (k, _rows, wish) => Math.ceil(k * (wish ?? OVERSAMPLE)),
    create: (segment, metric) => new HnswIndex(segment, metric, bits),
    restore: (segment, metric, bytes) => new HnswIndex(segment, metric, bits).restore(bytes),
  };
}
