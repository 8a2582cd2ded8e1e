import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { allFactories, VectorCheckpointError, VectorIndex, type VectorIndexOptions, WorkerPool } from './index.ts';

const pool = new WorkerPool(2);
afterAll(() => pool.close());

const DIMS = 40;
const vectorOf = (seed: number, dims = DIMS) =>
  Float32Array.from({ length: dims }, (_, i) => Math.sin(seed * 12.9898 + i * 78.233));
const options: VectorIndexOptions = {
  pool,
  exactBytes: 0,
  factories: allFactories().map((factory) => ({ ...factory, minRows: 1 })),
};

async function* stream(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

function filled(): VectorIndex {
  const index = new VectorIndex(options);
  for (let ord = 0; ord < 700; ord++)
    index.put(ord, [{ vector: vectorOf(ord) }, { vector: vectorOf(ord + 0.5) }], ord % 10 === 0 ? 'int8' : 'float32');
  for (let ord = 700; ord < 730; ord++) index.put(ord, [{ vector: vectorOf(ord, 7) }], 'int4');
  for (let ord = 0; ord < 700; ord += 7) index.remove(ord);
  for (let ord = 1; ord < 700; ord += 90) index.put(ord, [{ vector: vectorOf(-ord) }]);
  return index;
}

describe('a checkpoint of vectors', () => {
  it('returns the index, its structures, and the position in the change feed', async () => {
    const index = filled();
    for (const algorithm of ['sq', 'sq4', 'bq'] as const) await index.search({ vector: vectorOf(1), k: 1, algorithm });
    await index.settled();
    const { index: restored, lsn } = await VectorIndex.restore(stream(await Array.fromAsync(index.save(() => '42'))),
      options);
    expect(lsn).toBe('42');
    expect(restored.stats()).toEqual({
      ...index.stats(),
      bytes: expect.any(Number) as number,
      sets: index.stats().sets.map((set) => ({ ...set, bytes: expect.any(Number) as number })),
    });
    expect([...restored.ords()]).toEqual([...index.ords()]);
    for (const ord of index.ords()) expect(restored.vectorsOf(ord)).toEqual(index.vectorsOf(ord));
    for (const algorithm of ['flat', 'sq', 'sq4', 'bq'] as const) {
      const query = { vector: vectorOf(13.2), k: 20, algorithm };
      expect(await restored.search(query)).toEqual(await index.search(query));
      expect((await restored.search(query)).algorithm).toBe(algorithm);
    }
    restored.put(5000, [{ vector: vectorOf(5000) }]);
    expect((await restored.search({ vector: vectorOf(5000), k: 1, algorithm: 'sq' })).hits).toMatchObject([{
      ord: 5000,
    }]);
  });

  it('is of the moment at which it was begun, whatever happens while it is written', async () => {
    const index = filled();
    await index.search({ vector: vectorOf(1), k: 1, algorithm: 'sq' });
    await index.settled();
    const before = await index.search({ vector: vectorOf(3), k: 1500 });
    const pieces: Uint8Array[] = [];
    let lsn = 1;
    for await (const piece of index.save(() => String(lsn))) {
      pieces.push(Uint8Array.from(piece));
      lsn++;
      index.remove(lsn * 3);
      index.put(lsn * 5, [{ vector: vectorOf(3) }]);
      if (lsn === 4) await index.compact();
      await index.search({ vector: vectorOf(lsn), k: 3, algorithm: 'sq' });
    }
    await index.settled();
    const restored = await VectorIndex.restore(stream(pieces), options);
    expect(restored.lsn).toBe('1');
    expect((await restored.index.search({ vector: vectorOf(3), k: 1500 })).hits).toEqual(before.hits);
  });

  it('may be given up, and the structures grow on', async () => {
    const index = filled();
    await index.search({ vector: vectorOf(1), k: 1, algorithm: 'bq' });
    for await (const piece of index.save(() => '1')) if (piece.length > 0) break;
    for (let ord = 2000; ord < 2100; ord++) index.put(ord, [{ vector: vectorOf(ord) }]);
    await index.settled();
    const { structures, chunks, dead } = index.stats().sets.find(({ type }) => type === 'float32')!;
    expect(structures[0]!.covers).toBe(chunks + dead);
  });

  it('is of an empty index, too', async () => {
    const { index, lsn } = await VectorIndex.restore(
      stream(await Array.fromAsync(new VectorIndex(options).save(() => '0'))),
      options,
    );
    expect([lsn, index.documentCount]).toEqual(['0', 0]);
  });

  it('is refused when a byte of it is not what was written, or bytes are missing', async () => {
    const index = new VectorIndex(options);
    for (let ord = 0; ord < 50; ord++) index.put(ord, [{ vector: vectorOf(ord) }]);
    await index.search({ vector: vectorOf(1), k: 1, algorithm: 'sq' });
    await index.settled();
    const whole = Buffer.concat(await Array.fromAsync(index.save(() => '7')));
    await fc.assert(fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
      const damaged = Buffer.from(whole);
      damaged[at]! ^= change;
      await expect(VectorIndex.restore(stream([damaged]), options)).rejects.toThrow(VectorCheckpointError);
    }), { numRuns: 60 });
    await fc.assert(fc.asyncProperty(fc.nat(whole.length - 1), async (length) => {
      await expect(VectorIndex.restore(stream([whole.subarray(0, length)]), options)).rejects.toThrow(
        VectorCheckpointError,
      );
    }), { numRuns: 30 });
  });

  it('is read without a structure of another version, which is rebuilt', async () => {
    const index = filled();
    await index.search({ vector: vectorOf(1), k: 1, algorithm: 'sq' });
    await index.settled();
    const pieces = await Array.fromAsync(index.save(() => '7'));
    const others = options.factories!.map((factory) => ({
      ...factory,
      restore: () => Promise.reject(new Error('another version')),
    }));
    const { index: restored } = await VectorIndex.restore(stream(pieces), { ...options, factories: others });
    expect((await restored.search({ vector: vectorOf(2), k: 1, algorithm: 'sq' })).algorithm).toBe('flat');
    await restored.settled();
    expect(await restored.search({ vector: vectorOf(2), k: 1, algorithm: 'sq' })).toMatchObject({
      algorithm: 'sq',
      hits: [{ ord: 2 }],
    });
  });
});
