import { beforeAll, describe, expect, it } from 'vitest';
import { OrdSet } from '../../lib/ord-set.ts';
import { mostWork } from '../../testkit/work-counter.ts';
import { SparseIndex, type SparseVector, sparseVector } from './index.ts';

const DOCUMENTS = 40_000;
/** Units of work that may be done without a pause: some milliseconds. */
const BOUND = 800_000;

/** Vectors that all have the same dimensions, so that each product of a query is one of every document. */
function vectorOf(values: number, factor: number): SparseVector {
  return sparseVector(Array.from({ length: values }, (_, i) => i * 3),
    Array.from({ length: values }, (_, i) => ((i * 7 + factor) % 13) + 1));
}

describe('an index of many sparse vectors', () => {
  let index: SparseIndex;
  const query = { vector: vectorOf(100, 5), k: 10 };
  beforeAll(() => {
    index = SparseIndex.create();
    for (let ord = 0; ord < DOCUMENTS; ord++) index.put(ord, vectorOf(100, ord));
  });

  it('is searched in small steps', async () => {
    expect(await mostWork(() => index.search(query))).toBeLessThan(BOUND);
  });

  it('is changed in small steps', async () => {
    const other = SparseIndex.create();
    const changes = [...Array(9000).keys()].map((ord) => () => other.put(ord, vectorOf(100, ord)));
    changes.push(...[...Array(9000).keys()].map((ord) => () => void other.remove(ord)));
    for (const change of changes) expect(await mostWork(async () => change())).toBeLessThan(BOUND);
  });

  it('finds what was there when a search began, whatever changes meanwhile', async () => {
    const before = await index.search(query);
    const searches = [index.search(query), index.search({ ...query, eligible: OrdSet.upTo(DOCUMENTS) })];
    expect(index.settle()).toBe(true);
    for (const { ord } of before) index.remove(ord);
    expect(await Promise.all(searches)).toEqual([before, before]);
    const after = await index.search(query);
    expect(after.filter(({ ord }) => before.some((one) => one.ord === ord))).toEqual([]);
  });

  it('is asked no further when the signal aborts', async () => {
    const search = index.search(query, AbortSignal.abort(new Error('gone')));
    await expect(search).rejects.toThrow('gone');
    expect(index.settle()).toBe(false);
  });
});
