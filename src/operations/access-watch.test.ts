import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { ManualTimer } from '../testkit/manual-timer.ts';
import { AccessWatches } from './access-watch.ts';

function setUp() {
  const listeners = new Set<() => void>();
  const time = { now: 1000 };
  const timer = new ManualTimer();
  const accessWatches = new AccessWatches({
    clock: { now: () => time.now },
    timer,
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });
  return { accessWatches, time, timer, listeners, change: () => listeners.forEach((listener) => listener()) };
}

const refusal = new Error('invalid token');

describe('the right to a stream', () => {
  it('is there or not from the beginning', async () => {
    const { accessWatches, listeners } = setUp();
    const good = accessWatches.follow(async () => undefined);
    await good.ready;
    const bad = accessWatches.follow(() => Promise.reject(refusal));
    await expect(bad.ready).rejects.toBe(refusal);
    expect([good.signal.aborted, bad.signal.reason]).toEqual([false, refusal]);
    expect([accessWatches.size, listeners.size]).toEqual([1, 1]);
    good.release();
    good.release();
    expect([accessWatches.size, listeners.size]).toEqual([0, 0]);
  });

  it('is asked for again whenever rights change, and ends when it is gone', async () => {
    const { accessWatches, change } = setUp();
    let allowed = true;
    let asked = 0;
    const accessWatch = accessWatches.follow(async () => {
      asked++;
      if (!allowed) throw refusal;
      return undefined;
    });
    await accessWatch.ready;
    change();
    await Promise.resolve();
    expect([asked, accessWatch.signal.aborted]).toEqual([2, false]);
    allowed = false;
    const ended = once(accessWatch.signal, 'abort');
    change();
    await ended;
    expect([accessWatch.signal.reason, accessWatches.size]).toEqual([refusal, 0]);
  });

  it('ends when the credential expires, and stays where it was renewed', async () => {
    const { accessWatches, time, timer } = setUp();
    let expiresAt = 5000;
    const follow = () =>
      accessWatches.follow(async () => {
        if (time.now >= expiresAt) throw refusal;
        return expiresAt;
      });
    const accessWatch = follow();
    await accessWatch.ready;
    const elapse = async () => {
      const before = timer.sleeps.length;
      await timer.elapse();
      while (timer.sleeps.length === before && !accessWatch.signal.aborted) await new Promise(setImmediate);
    };
    time.now = 4999;
    await elapse();
    expect(accessWatch.signal.aborted).toBe(false);
    [time.now, expiresAt] = [6000, 9000];
    await elapse();
    expect(accessWatch.signal.aborted).toBe(false);
    time.now = 9000;
    const ended = once(accessWatch.signal, 'abort');
    await elapse();
    await ended;
    expect(accessWatch.signal.reason).toBe(refusal);
  });
});
