import { describe, expect, it } from 'vitest';
import { Checkpoints, LOG_PAGES } from './checkpoints.ts';

describe('Checkpoints', () => {
  it('are asked for when the log is large, and not again while one runs', async () => {
    const running = Promise.withResolvers<void>();
    let asked = 0;
    const checkpoints = new Checkpoints(() => (asked++, running.promise));
    checkpoints.afterCommit(LOG_PAGES);
    checkpoints.afterCommit(LOG_PAGES + 100);
    expect(asked).toBe(1);
    running.resolve();
    await running.promise;
    await Promise.resolve();
    checkpoints.afterCommit(LOG_PAGES);
    expect(asked).toBe(2);
  });

  it('go on after one that failed', async () => {
    let asked = 0;
    const checkpoints = new Checkpoints(() => (asked++, Promise.reject(new Error('busy'))));
    checkpoints.afterCommit(LOG_PAGES);
    await new Promise((resolve) => setImmediate(resolve));
    checkpoints.afterCommit(LOG_PAGES);
    expect(asked).toBe(2);
  });

  it('are not asked for while the log is small', () => {
    let asked = 0;
    new Checkpoints(async () => void asked++).afterCommit(LOG_PAGES - 1);
    expect(asked).toBe(0);
  });
});
