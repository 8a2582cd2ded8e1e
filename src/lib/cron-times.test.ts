import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CronTimes } from './cron-times.ts';

const MINUTE = 60_000;
const at = (iso: string): number => Date.parse(iso);

/** The times after `from` and before `to`. */
function moments(expression: string, zone: string, from: string, to: string): string[] {
  const times = new CronTimes(expression, zone);
  const found: string[] = [];
  for (let ms = times.after(at(from)); ms !== undefined && ms < at(to); ms = times.after(ms))
    found.push(new Date(ms).toISOString().slice(0, 16));
  return found;
}

describe('the times of a cron expression', () => {
  it('are those of the clock on the wall of their zone', () => {
    expect(moments('0 9 * * mon-fri', 'America/New_York', '2026-01-02T00:00Z', '2026-01-07T00:00Z')).toEqual([
      '2026-01-02T14:00',
      '2026-01-05T14:00',
      '2026-01-06T14:00',
    ]);
    expect(moments('15 */6 1 * *', 'Asia/Kolkata', '2026-05-30T00:00Z', '2026-06-02T00:00Z')).toEqual([
      '2026-05-31T18:45',
      '2026-06-01T00:45',
      '2026-06-01T06:45',
      '2026-06-01T12:45',
    ]);
    expect(moments('0 0 L * *', 'UTC', '2026-02-01T00:00Z', '2026-04-01T00:00Z')).toEqual(['2026-02-28T00:00',
      '2026-03-31T00:00']);
  });

  it('that the clock skips come at the end of the gap, once', () => {
    expect(moments('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', '2026-03-31T00:00Z')).toEqual([
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ]);
    expect(moments('10,20,40 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', '2026-03-29T12:00Z')).toEqual([
      '2026-03-29T01:00',
    ]);
    expect(moments('0 0 * * *', 'America/Santiago', '2026-09-05T12:00Z', '2026-09-07T00:00Z')).toEqual([
      '2026-09-06T04:00',
    ]);
  });

  it('that come twice count at the first', () => {
    expect(moments('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', '2026-10-27T00:00Z')).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
    expect(moments('0 1-3 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', '2026-10-25T12:00Z')).toEqual([
      '2026-10-24T23:00',
      '2026-10-25T00:00',
      '2026-10-25T02:00',
    ]);
  });

  it('follow the time that passes where they are for every hour', () => {
    expect(moments('*/30 * * * *', 'Europe/Berlin', '2026-10-24T23:45Z', '2026-10-25T02:15Z')).toEqual([
      '2026-10-25T00:00',
      '2026-10-25T00:30',
      '2026-10-25T01:00',
      '2026-10-25T01:30',
      '2026-10-25T02:00',
    ]);
    expect(moments('*/30 * * * *', 'Europe/Berlin', '2026-03-29T00:15Z', '2026-03-29T01:45Z')).toEqual([
      '2026-03-29T00:30',
      '2026-03-29T01:00',
      '2026-03-29T01:30',
    ]);
    expect(moments('0 * * * *', 'Australia/Lord_Howe', '2026-04-04T13:30Z', '2026-04-04T17:00Z')).toEqual([
      '2026-04-04T14:00',
      '2026-04-04T15:30',
      '2026-04-04T16:30',
    ]);
  });

  it('may be years away, and are found both ways', () => {
    const leap = new CronTimes('0 12 29 2 *', 'UTC');
    expect([leap.after(at('2026-01-01T00:00Z')), leap.upTo(at('2026-01-01T00:00Z'))]).toEqual([at('2028-02-29T12:00Z'),
      at('2024-02-29T12:00Z')]);
  });

  it('agree with a look at each minute, where the clock does not change', () => {
    const field = (least: number, most: number) =>
      fc.oneof(fc.constant('*'), fc.integer({ min: least, max: most }).map(String), fc.constantFrom('*/7', '*/3'));
    const zones = ['UTC', 'Asia/Tokyo', 'Asia/Kathmandu', 'Pacific/Kiritimati', 'America/Phoenix'];
    fc.assert(
      fc.property(field(0, 59), field(0, 23), fc.constantFrom(...zones), fc.integer({ min: 0, max: 400_000 }),
        (minute, hour, zone, start) => {
          const from = at('2026-01-01T00:00Z') + start * MINUTE;
          const expected = firstMatch(minute, hour, zone, from);
          const times = new CronTimes(`${minute} ${hour} * * *`, zone);
          expect(times.after(from)).toBe(expected);
          expect(times.upTo(expected)).toBe(expected);
          expect(times.upTo(expected - 1)).toBeLessThanOrEqual(from);
        }),
      { numRuns: 60 },
    );
  });
});

/** The slow way: tests each minute of local time. */
function firstMatch(minute: string, hour: string, timeZone: string, from: number): number {
  const wall = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });
  const offset = at(`1970-01-01T${wall.format(from)}Z`) - (from % 86_400_000);
  for (let ms = from - (from % MINUTE) + MINUTE;; ms += MINUTE) {
    const date = new Date(ms + offset);
    if (fits(minute, date.getUTCMinutes()) && fits(hour, date.getUTCHours())) return ms;
  }
}

function fits(field: string, value: number): boolean {
  if (field === '*') return true;
  return field.startsWith('*/') ? value % Number(field.slice(2)) === 0 : Number(field) === value;
}
