import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expiredBackups, momentOfName, type RetentionPolicy, scheduledName } from './backup-schedule.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NONE: RetentionPolicy = { last: 1, daily: 0, weekly: 0, monthly: 0, maxAgeMs: 0 };
const START = Date.UTC(2026, 0, 1, 3);

const at = (ms: number) => ({ name: String(ms), at: ms });
const nightly = (count: number) => Array.from({ length: count }, (_, i) => at(START + i * DAY));

function kept(count: number, policy: Partial<RetentionPolicy>, timezone = 'UTC'): string[] {
  const backups = nightly(count);
  const gone = new Set(expiredBackups(backups, { ...NONE, ...policy }, START + count * DAY, timezone));
  return backups.filter((backup) => !gone.has(backup)).map(({ at: ms }) => new Date(ms).toISOString().slice(0, 10));
}

describe('expiredBackups', () => {
  it('keeps the newest of days, weeks that begin on Monday, and months', () => {
    expect(kept(60, { last: 2, daily: 3, weekly: 2, monthly: 3 })).toEqual(['2026-01-31', '2026-02-22', '2026-02-27',
      '2026-02-28', '2026-03-01']);
  });

  it('keeps the newest one whatever its age is', () => {
    expect(kept(10, { last: 10, maxAgeMs: 1 })).toEqual(['2026-01-10']);
    expect(kept(10, { last: 10, maxAgeMs: 3 * DAY })).toEqual(['2026-01-08', '2026-01-09', '2026-01-10']);
  });

  it('counts days by the time zone', () => {
    const evening = [at(Date.UTC(2026, 5, 1, 21)), at(Date.UTC(2026, 5, 1, 23))]; // one day in UTC, two in Berlin
    expect(expiredBackups(evening, { ...NONE, daily: 2 }, START, 'UTC')).toHaveLength(1);
    expect(expiredBackups(evening, { ...NONE, daily: 2 }, START, 'Europe/Berlin')).toHaveLength(0);
  });

  it('keeps at most as many as the numbers add up to, always the newest, and the same when asked again', () => {
    const policy = fc.record({
      last: fc.integer({ min: 1, max: 5 }),
      daily: fc.nat(5),
      weekly: fc.nat(5),
      monthly: fc.nat(5),
      maxAgeMs: fc.constant(0),
    });
    fc.assert(fc.property(fc.uniqueArray(fc.nat(10_000), { maxLength: 50 }), policy, (hours, numbers) => {
      const backups = hours.map((hour) => at(START + hour * HOUR));
      const gone = new Set(expiredBackups(backups, numbers, START, 'UTC'));
      const left = backups.filter((backup) => !gone.has(backup));
      expect(left.length).toBeLessThanOrEqual(numbers.last + numbers.daily + numbers.weekly + numbers.monthly);
      expect(left.length).toBeGreaterThanOrEqual(Math.min(backups.length, numbers.last));
      const newest = Math.max(...hours);
      expect(hours.length === 0 || left.some(({ at: ms }) => ms === START + newest * HOUR)).toBe(true);
      expect(expiredBackups(left, numbers, START, 'UTC')).toEqual([]);
    }));
  });
});

describe('names of scheduled backups', () => {
  it('hold their moment, and no other name is taken for one', () => {
    const name = scheduledName(START + 1234, '.db');
    expect(name).toBe('scheduled-20260101T030001Z.db');
    expect(momentOfName(name, '.db')).toBe(START + 1000);
    for (const other of ['nightly.db', 'scheduled-20260101T030001Z', 'scheduled-20260101T030001Z.db.tmp',
      'backup-1766400000.db']) expect(momentOfName(other, '.db'), other).toBeUndefined();
  });
});
