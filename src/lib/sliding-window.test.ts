import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SlidingWindow } from './sliding-window.ts';

const WINDOW = 1000;

function windowOf(limit: number, capacity?: number) {
  const time = { now: 0 };
  return {
    time,
    window: new SlidingWindow({
      limit,
      windowMs: WINDOW,
      clock: { now: () => time.now },
      ...(capacity === undefined ? {} : { capacity }),
    }),
  };
}

describe('SlidingWindow', () => {
  it('allows as many as the limit, and counts down', () => {
    const { window } = windowOf(3);
    expect([1, 2, 3, 4].map(() => window.take('a'))).toMatchObject([{ allowed: true, remaining: 2, waitMs: 0 }, {
      allowed: true,
      remaining: 1,
      waitMs: 0,
    }, { allowed: true, remaining: 0 }, { allowed: false, remaining: 0 }]);
  });

  it('keeps the counts of keys apart', () => {
    const { window } = windowOf(1);
    expect([window.take('a').allowed, window.take('b').allowed, window.take('a').allowed]).toEqual([true, true, false]);
  });

  it('does not let twice the limit through where two fixed windows meet', () => {
    const { window, time } = windowOf(10);
    time.now = 999;
    for (let i = 0; i < 10; i++) window.take('a');
    time.now = 1001;
    expect(window.take('a').allowed).toBe(false);
  });

  it('forgets what lies more than two windows back', () => {
    const { window, time } = windowOf(2);
    window.take('a');
    window.take('a');
    time.now = 2000;
    expect(window.take('a')).toMatchObject({ allowed: true, remaining: 1 });
  });

  it('holds no more keys than it may', () => {
    const { window } = windowOf(1, 2);
    expect(['a', 'b', 'c', 'a'].map((key) => window.take(key).allowed)).toEqual([true, true, true, true]);
  });

  it('allows an event after exactly the time that it returned, and none before, whatever came', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.array(fc.integer({ min: 0, max: 1500 }), { maxLength: 60 }),
        (limit, gaps) => {
          const { window, time } = windowOf(limit);
          for (const gap of gaps) {
            time.now += gap;
            const verdict = window.take('a');
            if (verdict.allowed) continue;
            expect(verdict.waitMs).toBeGreaterThan(0);
            if (verdict.waitMs > 1) {
              time.now += verdict.waitMs - 2;
              expect(window.take('a').allowed).toBe(false);
              time.now += 2;
            } else time.now += verdict.waitMs;
            expect(window.take('a').allowed).toBe(true);
          }
        }),
    );
  });

  it('never allows more than the limit within a fixed window', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 }), fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 100 }),
        (limit, gaps) => {
          const { window, time } = windowOf(limit);
          const allowed = new Map<number, number>();
          for (const gap of gaps) {
            time.now += gap;
            const fixed = Math.floor(time.now / WINDOW);
            if (window.take('a').allowed) allowed.set(fixed, (allowed.get(fixed) ?? 0) + 1);
          }
          expect(Math.max(0, ...allowed.values())).toBeLessThanOrEqual(limit);
        }),
    );
  });
});
