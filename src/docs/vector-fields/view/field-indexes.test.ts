import { afterAll, describe, expect, it } from 'vitest';
import { WorkerPool } from '../../../search/vector/index.ts';
import { packSparse, type SuppliedVectors } from '../../../storage/index.ts';
import { FieldIndexes } from './field-indexes.ts';

const pool = new WorkerPool(1);
afterAll(() => pool.close());

const place = { start: 0, end: 1, startLine: 1, endLine: 1 };
const common = { crc: 1, bytes: 1, places: [place] };

function vectorsOf(ord: number): Map<string, SuppliedVectors> {
  const numbers = packSparse(Uint32Array.of(1, 5 + ord), Float32Array.of(ord, 1));
  return new Map([['s', { ...common, shape: 'sparse', dimensions: 2, numbers }], ['d', {
    ...common,
    shape: 'one',
    dimensions: 2,
    numbers: Float32Array.of(1, ord),
  }]]);
}

describe('the indexes of the fields of a collection', () => {
  it('are saved and restored together, whatever their kinds, and change while they are saved', async () => {
    const indexes = FieldIndexes.create({ pool }, () => {});
    for (let ord = 1; ord <= 20; ord++) indexes.put(ord, vectorsOf(ord), () => 'float32');
    const saving = indexes.save();
    const pieces = [Buffer.from((await saving.next()).value as Uint8Array)];
    indexes.remove(20);
    for await (const piece of saving) pieces.push(Buffer.from(piece));
    const restored = await FieldIndexes.restore((async function*() {
      yield* pieces;
    })(), { pool }, () => {});
    expect(restored.documents).toBe(20);
    const query = { vector: { indices: Uint32Array.of(1), values: Float32Array.of(2) }, k: 2 };
    expect(await restored.sparse('s')!.search(query)).toEqual([{ ord: 20, score: 40 }, { ord: 19, score: 38 }]);
    expect(await indexes.sparse('s')!.search(query)).toEqual([{ ord: 19, score: 38 }, { ord: 18, score: 36 }]);
    expect([restored.of('d', 'dense')!.documentCount, restored.of('s', 'dense')]).toEqual([20, undefined]);
    restored.put(20, new Map(), () => 'float32');
    expect([restored.documents, restored.sparse('s')!.stats().documents]).toEqual([19, 19]);
    indexes.close();
    restored.close();
  });
});
