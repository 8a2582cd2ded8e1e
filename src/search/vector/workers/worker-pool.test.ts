import { afterAll, describe, expect, it } from 'vitest';
import { SegmentMemory } from '../../../kernels/vectors.ts';
import { WorkerFailure, WorkerPool } from './worker-pool.ts';

describe('a pool of workers', () => {
  const pool = new WorkerPool(2);
  afterAll(() => pool.close());

  const call = (segment: SegmentMemory, name: string, ...args: number[]) => ({
    memory: segment.memory,
    module: 'vectors',
    build: segment.build,
    call: name,
    args,
  });

  it('runs kernels over the memory that the caller has', async () => {
    const segment = new SegmentMemory(4, 'float32', 'debug');
    const address = await pool.run(call(segment, 'allocate', 1000));
    expect(segment.allocate(1000)).toBe(address + segment.call.roomFor(1000));
    segment.f32(address, 4).set([1, 2, 3, 4]);
    expect(await pool.run(call(segment, 'dot', address, address, 16))).toBe(30);
  });

  it('allocates every chunk once, whichever threads ask at the same time', async () => {
    const segment = new SegmentMemory(4, 'float32', 'debug');
    const sizes = Array.from({ length: 400 }, (_, i) => 64 + (i % 7) * 64);
    const take = () =>
      Promise.all(sizes.map(async (size) => [await pool.run(call(segment, 'allocate', size)), size] as const));
    const chunks = await take();
    await Promise.all(chunks.map(([at, size]) => pool.run(call(segment, 'release', at, size))));
    const again = await take();
    const taken = again.toSorted(([a], [b]) => a - b);
    for (const [i, [at]] of taken.entries()) {
      if (i > 0) expect(at).toBeGreaterThanOrEqual(taken[i - 1]![0] + taken[i - 1]![1]);
    }
    expect(new Set(again.map(([at]) => at))).toEqual(new Set(chunks.map(([at]) => at)));
  });

  it('rejects the call of a kernel that fails, with its message, and goes on', async () => {
    const segment = new SegmentMemory(4, 'float32', 'debug');
    await expect(pool.run(call(segment, 'kill', 5))).rejects.toThrow(/a row without a block/);
    await expect(pool.run(call(segment, 'noSuchFunction'))).rejects.toThrow(WorkerFailure);
    await expect(pool.run({ ...call(segment, 'allocate', 1), module: 'none' })).rejects.toThrow();
    expect(await pool.run(call(segment, 'rowCount'))).toBe(0);
  });

  it('takes searches before building, and builds one thing after the other', async () => {
    const segment = new SegmentMemory(4, 'float32');
    const calls = [['build 1', true], ['build 2', true], ['build 3', true], ['search 1', false], ['search 2',
      false]] as const;
    const orderOf = async (workers: WorkerPool): Promise<string[]> => {
      const order: string[] = [];
      await Promise.all(
        calls.map(([name, background]) =>
          workers.run({ ...call(segment, 'rowCount'), background }).then(() => order.push(name))
        ),
      );
      return order;
    };
    const single = new WorkerPool(1);
    expect(await orderOf(single)).toEqual(['build 1', 'search 1', 'search 2', 'build 2', 'build 3']);
    await single.close();
    // One of the two workers is kept free of building. Whether the search or the build ends first depends on the
    // system.
    expect((await orderOf(pool)).filter((name) => name.startsWith('build'))).toEqual(['build 1', 'build 2', 'build 3']);
  });

  it('does a call that is not needed only if a worker is free, and starts one for the next', async () => {
    const own = new WorkerPool(1);
    const segment = new SegmentMemory(4, 'float32');
    expect(own.tryRun(call(segment, 'rowCount'))).toBeUndefined();
    const first = own.tryRun(call(segment, 'rowCount'));
    expect(own.tryRun(call(segment, 'rowCount'))).toBeUndefined();
    expect(await first).toBe(0);
    await own.close();
    expect(own.tryRun(call(segment, 'rowCount'))).toBeUndefined();
  });

  it('registers a memory again after it was released', async () => {
    const segment = new SegmentMemory(4, 'float32');
    await Promise.all([1, 2, 3].map(() => pool.run(call(segment, 'rowCount'))));
    pool.forget(segment.memory);
    expect(await Promise.all([1, 2, 3].map(() => pool.run(call(segment, 'rowCount'))))).toEqual([0, 0, 0]);
  });

  it('rejects the calls of workers that end, and replaces them', async () => {
    const own = new WorkerPool(2);
    const segment = new SegmentMemory(4, 'float32');
    const settled = Promise.allSettled([1, 2, 3, 4].map(() => own.run(call(segment, 'rowCount'))));
    await own.crash();
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled']);
    expect(await own.run(call(segment, 'rowCount'))).toBe(0);
    await own.close();
  });

  it('rejects running calls when it closes, and all later ones', async () => {
    const own = new WorkerPool(1);
    const segment = new SegmentMemory(4, 'float32');
    const calls = [1, 2, 3].map(() => own.run(call(segment, 'rowCount')));
    const settled = Promise.allSettled(calls);
    await own.close();
    for (const result of await settled)
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(WorkerFailure) as unknown });
    await expect(own.run(call(segment, 'rowCount'))).rejects.toThrow(WorkerFailure);
  });
});
