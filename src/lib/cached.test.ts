import { describe, expect, it } from 'vitest';
import { cached } from './cached.ts';

describe('cached', () => {
  it('keeps a response for its time and shares a load', async () => {
    let now = 0;
    let loads = 0;
    const read = cached(async () => ++loads, 100, { now: () => now });
    expect(await Promise.all([read(), read()])).toEqual([1, 1]);
    now = 99;
    expect(await read()).toBe(1);
    now = 100;
    expect(await read()).toBe(2);
  });

  it('does not keep a failure', async () => {
    let loads = 0;
    const read = cached(async () => {
      if (++loads === 1) throw new Error('not now');
      return loads;
    }, 100, { now: () => 0 });
    await expect(read()).rejects.toThrow('not now');
    expect(await read()).toBe(2);
  });
});
