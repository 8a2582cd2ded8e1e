import { describe, expect, it } from 'vitest';
import type { RefusedRequest } from '../../operations/index.ts';
import { RateLimitAlarm } from './alarms.ts';

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
