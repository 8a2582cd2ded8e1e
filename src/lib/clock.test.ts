import { describe, expect, it } from 'vitest';
import { backoffDelay, systemTimer } from './clock.ts';

describe('systemTimer', () => {
  it('ends a sleep when the signal aborts, and does not begin one after', async () => {
    const abort = new AbortController();
    const sleeping = systemTimer.sleep(1_000_000, abort.signal);
    abort.abort();
    await sleeping;
    await systemTimer.sleep(1_000_000, abort.signal);
    expect(abort.signal.aborted).toBe(true);
  });

  it('sleeps without a signal', async () => {
    await expect(systemTimer.sleep(0)).resolves.toBeUndefined();
  });
});

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
