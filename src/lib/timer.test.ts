import { describe, expect, it } from 'vitest';
import { systemTimer } from './timer.ts';

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
