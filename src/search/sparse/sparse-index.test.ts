import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrdSet } from '../../lib/ord-set.ts';
import { ReferenceSparse } from '../../testkit/sparse/reference.ts';
import { SparseCheckpointError, SparseFullError, SparseIndex, type SparseVector, sparseVector } from './index.ts';

/** Few dimensions and values, so that many documents share some and have equal scores. */
const vectors = fc.array(
  fc.tuple(fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constantFrom(2 ** 31, 2 ** 32 - 1)),
    fc.oneof(fc.constantFrom(-1, -0.5, 0, 1, 2), fc.float({ noNaN: true, min: -100, max: 100 }))),
  { maxLength: 24, size: 'max' },
).map((pairs): SparseVector => {
  const values = new Map(pairs);
  return sparseVector([...values.keys()], [...values.values()]);
});
const changes = fc.array(fc.record({ ord: fc.integer({ min: 0, max: 300 }), vector: fc.option(vectors) }), {
  minLength: 1,
  maxLength: 800,
  size: 'max',
});
const queries = fc.record({
  vector: vectors,
  k: fc.constantFrom(0, 1, 3, 10, 1000),
  eligible: fc.option(
    fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200, size: 'max' }).map((ords) => OrdSet.of(ords)),
    { nil: undefined },
  ),
  threshold: fc.option(fc.double({ min: -50, max: 50, noNaN: true }), { nil: undefined }),
});
type Change = { readonly ord: number; readonly vector: SparseVector | null };

function apply(index: Pick<SparseIndex, 'put' | 'remove'>, steps: readonly Change[]): void {
  for (const { ord, vector } of steps) {
    if (vector === null) index.remove(ord);
    else index.put(ord, vector);
  }
}

async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 9973) yield bytes.subarray(at, at + 9973);
}

/** Vectors of few of many dimensions, so that lists have all lengths. */
function drawn(ord: number, values = 30): SparseVector {
  const dims = new Map<number, number>();
  for (let i = 0, seed = ord * 7919 + 1; i < values; i++) {
    seed = (seed * 48_271) % 2_147_483_647;
    dims.set(Math.floor(((seed % 1000) / 1000) ** 3 * 5000), (seed % 97) / 97 + 0.01);
  }
  return sparseVector([...dims.keys()], [...dims.values()]);
}

describe.each(['release', 'debug'] as const)('an index of sparse vectors, %s build', (build) => {
  const numRuns = build === 'debug' ? 24 : 60;

  it('finds what a look at every document finds, after any changes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(changes, queries), { minLength: 1, maxLength: 4 }), async (rounds) => {
        const [index, reference] = [SparseIndex.create({ build }), new ReferenceSparse()];
        for (const [steps, query] of rounds) {
          apply(index, steps);
          apply(reference, steps);
          expect(index.stats().documents).toBe(reference.documents);
          expect(await index.search(query)).toEqual(reference.search(query));
        }
      }),
      { numRuns },
    );
  });

  it('restores what it has saved, as it was then, whatever changes meanwhile', async () => {
    await fc.assert(fc.asyncProperty(changes, changes, queries, async (steps, later, query) => {
      const [index, reference] = [SparseIndex.create({ build }), new ReferenceSparse()];
      apply(index, steps);
      apply(reference, steps);
      const source = index.save();
      const half = later.length >> 1;
      apply(index, later.slice(0, half));
      const pieces: Uint8Array[] = [];
      for await (const piece of source) {
        pieces.push(Buffer.from(piece));
        if (pieces.length === 1) apply(index, later.slice(half));
      }
      const restored = await SparseIndex.restore(inPieces(Buffer.concat(pieces)), build);
      expect(restored.stats().documents).toBe(reference.documents);
      expect(await restored.search(query)).toEqual(reference.search(query));
      apply(restored, later);
      apply(reference, later);
      expect(await restored.search(query)).toEqual(reference.search(query));
      expect(await index.search(query)).toEqual(reference.search(query));
    }), { numRuns: numRuns / 3 });
  });

  it('finds the same in full blocks, half of which are removed', async () => {
    const [index, reference] = [SparseIndex.create({ build }), new ReferenceSparse()];
    const steps: Change[] = [];
    for (let ord = 0; ord < 10_000; ord++) steps.push({ ord, vector: drawn(ord) });
    for (let i = 0; i < 9000; i++) steps.push({ ord: (i * 7919) % 10_000, vector: null });
    for (let ord = 0; ord < 2000; ord++) steps.push({ ord: ord * 3, vector: drawn(ord + 50_000) });
    for (const [from, to] of [[0, 10_000], [10_000, 16_000], [16_000, 21_000]] as const) {
      apply(index, steps.slice(from, to));
      apply(reference, steps.slice(from, to));
      for (const eligible of [undefined, OrdSet.of([5, 77, 4000, 9999]), OrdSet.upTo(5000)]) {
        const query = { vector: drawn(123_456 + from, 60), k: 50, eligible };
        expect(await index.search(query)).toEqual(reference.search(query));
      }
    }
  });

  it('returns its memory when documents change and go', () => {
    const index = SparseIndex.create({ build });
    const change = (round: number): void => {
      for (let ord = 0; ord < 6000; ord++) index.put(ord, drawn(ord + round * 6000, 20));
    };
    change(0);
    const { bytes } = index.stats();
    for (let round = 1; round < 4; round++) change(round);
    expect(index.stats().bytes).toBeLessThan(bytes * 2);
    for (let ord = 0; ord < 6000; ord++) index.remove(ord);
    expect(index.stats()).toMatchObject({ documents: 0 });
    expect(index.stats().bytes).toBeLessThan(bytes / 2);
  });
});

describe('an index of sparse vectors', () => {
  const filled = (documents: number): SparseIndex => {
    const index = SparseIndex.create();
    for (let ord = 0; ord < documents; ord++) index.put(ord, drawn(ord));
    return index;
  };
  const saved = async (index: SparseIndex): Promise<Buffer> => Buffer.concat(await Array.fromAsync(index.save()));

  it('does not find documents without a dimension of the query, but finds those with a product of 0', async () => {
    const index = SparseIndex.create();
    index.put(1, sparseVector([1, 2], [1, 1]));
    index.put(2, sparseVector([3], [5]));
    index.put(3, sparseVector([1], [-1e-30]));
    index.put(4, sparseVector([], []));
    expect(await index.search({ vector: sparseVector([1, 2], [1, -1]), k: 9 })).toEqual([{ ord: 1, score: 0 }, {
      ord: 3,
      score: Math.fround(-1e-30),
    }]);
    expect(await index.search({ vector: sparseVector([1], [1e-30]), k: 9 })).toEqual([{
      ord: 1,
      score: Math.fround(1e-30),
    }, { ord: 3, score: 0 }]);
    expect(await index.search({ vector: sparseVector([], []), k: 9 })).toEqual([]);
  });

  it('keeps a threshold that is no float32', async () => {
    const index = SparseIndex.create();
    index.put(1, sparseVector([7], [1]));
    const scored = async (value: number, threshold: number): Promise<number> =>
      (await index.search({ vector: sparseVector([7], [value]), k: 1, threshold })).length;
    expect([await scored(0.1, 0.1), await scored(0.3, Math.fround(0.3) + 1e-12), await scored(0.7, 0.7)]).toEqual([1, 0,
      0]);
  });

  it('refuses checkpoints that are damaged, cut off, or something else', async () => {
    const bytes = await saved(filled(600));
    const restore = (copy: Buffer): Promise<SparseIndex> => SparseIndex.restore(inPieces(copy));
    for (const at of [3, 9, 20, 60, 5000, bytes.length - 1]) {
      const copy = Buffer.from(bytes);
      copy[at]! ^= 1;
      await expect(restore(copy)).rejects.toThrow(SparseCheckpointError);
    }
    for (const length of [0, 5, 30, 40_000, bytes.length - 2])
      await expect(restore(bytes.subarray(0, length))).rejects.toThrow(SparseCheckpointError);
    expect((await restore(bytes)).stats().documents).toBe(600);
  });

  it('ends a checkpoint when another is begun, and frees what it kept', async () => {
    const index = filled(3000);
    const first = index.save()[Symbol.asyncIterator]();
    await first.next();
    const bytes = await saved(index);
    await expect(first.next()).rejects.toThrow(SparseCheckpointError);
    expect((await SparseIndex.restore(inPieces(bytes))).stats().documents).toBe(3000);
  });

  it('refuses vectors when it is full, and goes on', async () => {
    const index = SparseIndex.create({ maxBytes: 1 << 27 });
    const long = sparseVector(Array.from({ length: 30_000 }, (_, i) => i), new Float32Array(30_000).fill(1));
    let count = 0;
    expect(() => {
      for (; count < 100_000; count++) index.put(count, long);
    }).toThrow(SparseFullError);
    expect(index.stats().documents).toBe(count);
    for (let ord = 0; ord < count / 2; ord++) index.remove(ord);
    index.put(0, drawn(0));
    expect(await index.search({ vector: drawn(0), k: 1, eligible: OrdSet.of([0]) })).toHaveLength(1);
  });

  it('refuses everything when it is closed', async () => {
    const index = filled(10);
    index.close();
    expect(() => index.put(1, drawn(1))).toThrow('closed');
    await expect(index.search({ vector: drawn(1), k: 1 })).rejects.toThrow('closed');
  });
});
