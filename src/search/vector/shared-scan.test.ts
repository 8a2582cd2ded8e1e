import { setImmediate } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { VectorIndex, WorkerPool } from './index.ts';

const DIMS = 16;
/** So many that a sample is scanned first. */
const ROWS = 17_000;
/** Half of it is less than a scan by signs reads, all of it is more. */
const INLINE_BYTES = 1_500_000;
const vectorOf = (seed: number) =>
  Float32Array.from({ length: DIMS }, (_, i) => Math.sin(seed * 12.9898 + i * 78.233) + Math.cos(seed * (i + 1)));
const pools: WorkerPool[] = [];
afterAll(() => Promise.all(pools.map((pool) => pool.close())));

/** Has a worker that is done before it has begun. */
class IdlePool extends WorkerPool {
  override tryRun(): Promise<number> {
    return Promise.resolve(0);
  }
}

/** An index whose searches by signs use their structure. */
async function indexWith(pool: WorkerPool): Promise<VectorIndex> {
  pools.push(pool);
  const index = new VectorIndex({ pool, exactBytes: 0, inlineBytes: INLINE_BYTES });
  for (let i = 0; i < ROWS; i++) index.put(i, [{ vector: vectorOf(i) }], 'int8');
  await index.search({ vector: vectorOf(0), k: 1, algorithm: 'bq' });
  await index.settled();
  return index;
}

describe('a scan that a worker shares', () => {
  const search = (index: VectorIndex, seed: number) =>
    index.search({ vector: vectorOf(seed + 0.5), k: 20, algorithm: 'bq', perDocument: true });

  it('finds what one thread finds, alone or beside others', async () => {
    const index = await indexWith(new WorkerPool(2));
    const alone = await indexWith(new WorkerPool(1));
    const seeds = Array.from({ length: 12 }, (_, i) => i * 31);
    const expected = await Promise.all(seeds.map((seed) => search(alone, seed)));
    expect(expected[0]).toMatchObject({ algorithm: 'bq', scanned: ROWS });
    for (const [i, seed] of seeds.entries()) {
      expect(await search(index, seed)).toEqual(expected[i]);
      // Here the worker's answer arrives, so that it is free again.
      await setImmediate();
    }
    expect(await Promise.all(seeds.map((seed) => search(index, seed)))).toEqual(expected);
    await index.close();
    await alone.close();
  });

  it('does not free its memory when the worker ends, but when both have', async () => {
    const index = await indexWith(new IdlePool(2));
    const expected = await search(index, 5);
    expect(await Promise.all([5, 77, 5].map((seed) => search(index, seed)))).toMatchObject([expected, { scanned: ROWS },
      expected]);
    await index.close();
  });

  it('goes on without its worker', async () => {
    const pool = new WorkerPool(2);
    const index = await indexWith(pool);
    const expected = await search(index, 5);
    await pool.crash();
    expect(await search(index, 5)).toEqual(expected);
    expect(await search(index, 5)).toEqual(expected);
    await index.close();
  });
});
