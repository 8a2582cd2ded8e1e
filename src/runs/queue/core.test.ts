import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { longestPause, pauseAfter } from './core.ts';

const backoff = { initial: 5000, factor: 2, max: 300_000, jitter: 0.2 };

describe('pauseAfter', () => {
  it('doubles from 5 s to 5 min', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8, 100].map((attempt) => pauseAfter(attempt, backoff, () => 0.5) / 1000)).toEqual([5,
      10, 20, 40, 80, 160, 300, 300, 300]);
  });

  it('strays by its jitter at most, to both sides', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, random) => {
          const pause = pauseAfter(attempt, backoff, () => random);
          const middle = pauseAfter(attempt, backoff, () => 0.5);
          expect(pause).toBeGreaterThanOrEqual(Math.round(0.8 * middle));
          expect(pause).toBeLessThanOrEqual(Math.min(Math.round(1.2 * middle), longestPause(backoff)));
          expect(Math.sign(pause - middle)).toBe(Math.sign(Math.round(0.4 * middle * (random - 0.5))));
        }),
    );
  });
});
