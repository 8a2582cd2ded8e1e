import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration, parseDurationOrSeconds } from './duration.ts';

describe('parseDuration (decision D-05)', () => {
  it.each([['500ms', 500], ['5s', 5000], ['15m', 900_000], ['24h', 86_400_000], ['7d', 604_800_000], ['2w',
    1_209_600_000], ['1h30m', 5_400_000], ['1.5s', 1500], ['0s', 0], ['1m5ms', 60_005]])('reads %s',
      (text, expected) => {
        expect(parseDuration(text)).toBe(expected);
      });

  it.each(['', '5', 's', '-5s', '5 s', ' 5s', '5s ', '5S', '5sec', '1.s', '.5s', '1e3s', '99999999999999w'])(
    'refuses %j',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );

  it('does not take exponential time on a long text that fails at its end', () => {
    expect(parseDuration(`${'1s'.repeat(50_000)}!`)).toBeUndefined();
  });
});

describe('parseDurationOrSeconds (decision D-05)', () => {
  it('reads a bare integer as seconds', () => {
    expect(parseDurationOrSeconds('60')).toBe(60_000);
    expect(parseDurationOrSeconds('0')).toBe(0);
    expect(parseDurationOrSeconds('60ms')).toBe(60);
  });

  it('refuses a bare fraction', () => {
    expect(parseDurationOrSeconds('1.5')).toBeUndefined();
  });
});

describe('formatDuration', () => {
  it.each([[0, '0s'], [8_130_000, '2h15m30s'], [604_800_000, '7d'], [1, '1ms'], [61_001, '1m1s1ms']])('writes %d as %s',
    (value, text) => {
      expect(formatDuration(value)).toBe(text);
    });

  it('is read back to the same value', () => {
    fc.assert(fc.property(fc.nat({ max: 1e12 }), (value) => parseDuration(formatDuration(value)) === value));
  });
});
