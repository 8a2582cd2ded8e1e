import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_SECONDS, INTERVALS, periodOf } from './aggregate-documents.ts';

const dayNumber = (date: string): number => Date.parse(`${date}T00:00:00Z`) / 1000 / DAY_SECONDS;
const iso = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

describe('calendar periods (decisions section 4.5)', () => {
  it.each(
    [['2026-01-31', 'day', '2026-01-31', '2026-01-31', '2026-02-01'], ['2024-02-29', 'day', '2024-02-29', '2024-02-29',
      '2024-03-01'], ['2026-01-31', 'week', '2026-W05', '2026-01-26', '2026-02-02'], ['2026-01-31', 'month', '2026-01',
      '2026-01-01', '2026-02-01'], ['2025-12-22', 'month', '2025-12', '2025-12-01', '2026-01-01'], ['2026-01-31',
      'year', '2026', '2026-01-01', '2027-01-01']] as const,
  )('%s by %s is %s', (date, interval, key, from, to) => {
    const period = periodOf(dayNumber(date), interval);
    expect({ ...period, from: iso(period.from), to: iso(period.to) }).toEqual({ key, from, to });
  });

  it.each([
    // Examples of ISO 8601: weeks belong to the year of their Thursday.
    ['2005-01-01', '2004-W53'],
    ['2005-01-02', '2004-W53'],
    ['2005-12-31', '2005-W52'],
    ['2007-01-01', '2007-W01'],
    ['2007-12-30', '2007-W52'],
    ['2007-12-31', '2008-W01'],
    ['2008-12-28', '2008-W52'],
    ['2008-12-29', '2009-W01'],
    ['2009-12-31', '2009-W53'],
    ['2010-01-03', '2009-W53'],
    ['2010-01-04', '2010-W01'],
    ['1970-01-01', '1970-W01'],
  ])('%s is in week %s', (date, key) => {
    expect(periodOf(dayNumber(date), 'week').key).toBe(key);
  });

  it('hold their days, meet without a gap and have keys of their own', () => {
    fc.assert(
      fc.property(fc.integer({ min: -100_000, max: 2_000_000 }), fc.constantFrom(...INTERVALS), (day, interval) => {
        const period = periodOf(day, interval);
        expect(period.from).toBeLessThanOrEqual(day * DAY_SECONDS);
        expect(period.to).toBeGreaterThan(day * DAY_SECONDS);
        expect(periodOf(period.from / DAY_SECONDS, interval)).toEqual(period);
        const next = periodOf(period.to / DAY_SECONDS, interval);
        expect(next.from).toBe(period.to);
        expect(next.key > period.key || next.key.length > period.key.length).toBe(true);
        if (interval === 'week') expect(new Date(period.from * 1000).getUTCDay()).toBe(1);
      }),
    );
  });
});
