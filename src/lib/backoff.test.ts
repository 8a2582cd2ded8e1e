import { describe, expect, it } from 'vitest';
import { backoffDelay } from './backoff.ts';

describe('backoffDelay', () => {
  const backoff = { initial: 100, max: 1000 };

  it('doubles up to the maximum', () => {
    expect([1, 2, 3, 4, 5, 2000].map((failures) => backoffDelay(failures, backoff, () => 0))).toEqual([100, 200, 400,
      800, 1000, 1000]);
  });

  it('is shortened by at most a quarter', () => {
    expect(backoffDelay(1, backoff, () => 1)).toBe(75);
  });
});
