import { describe, expect, it } from 'vitest';
import { missedRate, usualPace } from './arrival-pace.ts';

const { whole, stream } = usualPace();
const KIB = 1024;
const MINUTE = 60_000;

describe('the usual pace', () => {
  it('gives a body that is read as a whole 60 s, and more only at 64 KiB a second', () => {
    expect(missedRate(whole, MINUTE - 1, 0)).toBeUndefined();
    expect(missedRate(whole, MINUTE, 3000 * KIB)).toEqual({ afterMs: MINUTE, bytesPerSecond: 64 * KIB });
    expect(missedRate(whole, MINUTE, 60 * 64 * KIB)).toBeUndefined();
    expect(missedRate(whole, 2 * MINUTE, 60 * 64 * KIB)).toBeDefined();
  });

  it('takes the time for that from its caller', () => {
    expect(missedRate(usualPace(5000).whole, 5000, 1000)).toMatchObject({ afterMs: 5000 });
    expect(missedRate(usualPace(5000).whole, 4999, 0)).toBeUndefined();
  });

  it('asks the more of a stream the longer it lasts, and ends none that keeps 4 KiB a second', () => {
    expect([1, 59].map((seconds) => missedRate(stream, seconds * 1000, 0))).toEqual([undefined, undefined]);
    const least = [1, 9, 10, 60, 600].map((minutes) => missedRate(stream, minutes * MINUTE, 0)!.bytesPerSecond);
    expect(least).toEqual([KIB, KIB, 4 * KIB, 4 * KIB, 4 * KIB]);
    for (const minutes of [1, 10, 6000])
      expect(missedRate(stream, minutes * MINUTE, minutes * 60 * 4 * KIB)).toBeUndefined();
  });
});
