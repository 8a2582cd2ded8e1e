import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RefusedRequest } from '../../operations/index.ts';
import { BurstDetector, RateLimitAlarm } from './alarms.ts';

describe('BurstDetector (contract section 5, rule 11)', () => {
  const detector = (threshold = 3) => {
    const clock = { time: 1_000_000, now: () => clock.time };
    return { clock, detector: new BurstDetector({ threshold, windowMs: 60_000, cooldownMs: 300_000, clock }) };
  };

  it('reports a burst when the count is reached within the window, and says what it saw', () => {
    const { detector: each, clock } = detector();
    expect([each.fail('eve', '10.0.0.1'), each.fail('eve', '10.0.0.1')]).toEqual([undefined, undefined]);
    clock.time += 59_999;
    expect(each.fail('eve', '10.0.0.1')).toEqual({ actor: 'eve', ip: '10.0.0.1', count: 3, windowSec: 60 });
  });

  it('counts actors and addresses apart, and forgets what is older than the window', () => {
    const { detector: each, clock } = detector();
    for (const [actor, ip] of [['eve', 'a'], ['eve', 'b'], ['bob', 'a'], ['eve', 'a'], ['eve', 'b'], ['bob',
      'a']] as const) expect(each.fail(actor, ip)).toBeUndefined();
    clock.time += 60_000;
    expect(each.fail('eve', 'a')).toBeUndefined();
  });

  it('reports the same burst again only after the cooldown', () => {
    const { detector: each, clock } = detector(1);
    expect(each.fail('eve', 'a')).toBeDefined();
    clock.time += 299_999;
    expect(each.fail('eve', 'a')).toBeUndefined();
    clock.time += 1;
    expect(each.fail('eve', 'a')).toBeDefined();
  });

  it('reports on after the clock was set back', () => {
    const { detector: each, clock } = detector(2);
    for (let i = 0; i < 2; i++) each.fail('eve', 'a');
    clock.time -= 86_400_000;
    expect(each.fail('eve', 'a')).toBeUndefined();
    expect(each.fail('eve', 'a')).toMatchObject({ count: 2 });
  });

  it('agrees with a plain count', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 60 }),
        (threshold, gaps) => {
          const { detector: each, clock } = detector(threshold);
          const times: number[] = [];
          let told = -Infinity;
          for (const gap of gaps) {
            clock.time += gap;
            times.push(clock.time);
            const within = times.filter((time) => time > clock.time - 60_000).length;
            const wanted = within >= threshold && clock.time - told >= 300_000;
            if (wanted) told = clock.time;
            expect(each.fail('eve', 'a') !== undefined).toBe(wanted);
          }
        }),
    );
  });
});

const COOLDOWN = 300_000;

function started() {
  const clock = { time: COOLDOWN * 1000, now: () => clock.time };
  const alarm = new RateLimitAlarm({ cooldownMs: COOLDOWN, clock });
  const refuse = (ip: string, username = '') =>
    alarm.refuse({ sender: { protocol: 'http', ip }, username, limit: 150, windowMs: 60_000 } satisfies RefusedRequest);
  return { clock, refuse };
}

describe('RateLimitAlarm (decisions, section 6)', () => {
  it('reports a sender once, with what was allowed, and again when the cooldown is over', () => {
    const { refuse, clock } = started();
    expect(refuse('192.0.2.1')).toEqual({ actor: '', ip: '192.0.2.1', limit: 150, windowSec: 60 });
    expect(refuse('192.0.2.1')).toBeUndefined();
    clock.time += 2 * COOLDOWN;
    expect(refuse('192.0.2.1')).toBeDefined();
  });

  it('reports users and addresses separately', () => {
    const { refuse } = started();
    expect([refuse('192.0.2.1'), refuse('192.0.2.2'), refuse('192.0.2.1', 'alice')].map((excess) => excess?.actor))
      .toEqual(['', '', 'alice']);
  });

  it('reports no more than thirty in a minute, however many there are', () => {
    const { refuse, clock } = started();
    const told = (): number =>
      Array.from({ length: 1000 }, (_, i) => refuse(`10.0.${i >> 8}.${i & 255}`, `${clock.time}`)).filter((excess) =>
        excess !== undefined
      ).length;
    expect(told()).toBe(30);
    clock.time += 120_000;
    expect(told()).toBe(30);
  });
});
