import type { Rescoring } from '../../../search/vector/index.ts';
import type { Queries } from '../../../storage/index.ts';
import { fromBlob } from '../../embeddings/index.ts';

/** Maximum number of vectors that one statement reads. */
const STEP = 128;

/** Reads vectors of a given dimension from the tables, for collections that keep only codes in memory. */
export function fullVectors(queries: Queries, dimensions: number): Rescoring {
  return async (chunks) => {
    const vectors = new Map<string, Float32Array>();
    for (let i = 0; i < chunks.length; i += STEP) {
      const some = chunks.slice(i, i + STEP);
      const rows = await queries.all<{ ord: number; chunk: number; vector: Uint8Array }>(
        `SELECT ord, chunk, vector FROM vectors WHERE (ord, chunk) IN (VALUES ${some.map(() => '(?, ?)').join(', ')})`,
        some.flatMap(({ ord, chunk }) => [ord, chunk]),
      );
      for (const { ord, chunk, vector } of rows) vectors.set(`${ord} ${chunk}`, fromBlob(vector, dimensions));
    }
    return chunks.map(({ ord, chunk }) => vectors.get(`${ord} ${chunk}`));
  };
}
