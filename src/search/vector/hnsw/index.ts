import type { AnnFactory } from '../ann-index.ts';
import { type CodeBits, HnswIndex } from './hnsw-index.ts';

export type { CodeBits } from './hnsw-index.ts';

/** Candidates for each result, so that scoring them exactly mends what codes got wrong. */
const OVERSAMPLE = 3;

/** Approximate search by a graph (hnsw), whose codes have so many bits a dimension: four make it smaller, seven more precise. */
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
