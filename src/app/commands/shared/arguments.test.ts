import { describe, expect, it } from 'vitest';
import { collectFilter, commaList, wholeNumber } from './arguments.ts';
import { formatBytes, formatMoment, formatRate, plural } from './output.ts';

describe('collectFilter', () => {
  it('gathers alternatives of one key, and keeps keys apart', () => {
    const given = ['tags=a', 'kind=x=y', 'tags=b', '__proto__=p'];
    const filter = given.reduce<Record<string, string[]> | undefined>((previous, text) => collectFilter(text, previous),
      undefined);
    expect(Object.entries(filter!)).toEqual([['tags', ['a', 'b']], ['kind', ['x=y']], ['__proto__', ['p']]]);
  });

  it.each(['tags', '=a', ''])('refuses %j', (text) => expect(() => collectFilter(text)).toThrow('Expected key=value'));
  it('takes an empty value', () => expect(collectFilter('a=')).toEqual({ a: [''] }));
});

describe('wholeNumber', () => {
  it('takes its bounds', () => expect([wholeNumber(1, 9)('1'), wholeNumber(1, 9)('9')]).toEqual([1, 9]));
  it.each(['0', '10', '-1', '1.5', '1e1', ''])('refuses %j',
    (text) => expect(() => wholeNumber(1, 9)(text)).toThrow('from 1 to 9'));
});

describe('commaList', () => {
  it('trims and drops what is empty', () => expect(commaList(' a, b,,c ')).toEqual(['a', 'b', 'c']));
  it('refuses an empty list', () => expect(() => commaList(' , ')).toThrow('Expected names'));
});

describe('numbers for people', () => {
  it.each([[0, '0 bytes'], [999, '999 bytes'], [1500, '1.5 KB'], [55_209_097, '55.2 MB'], [3.2e9, '3.2 GB']])(
    '%i bytes',
    (bytes, text) => expect(formatBytes(bytes)).toBe(text),
  );
  it('counts in words', () =>
    expect([plural(1, 'document'), plural(13_173, 'document'), plural(0, 'file')]).toEqual(['1 document',
      '13,173 documents', '0 files']));
  it('has a rate before any time has passed', () =>
    expect([formatRate(10, 0), formatRate(13_173, 12.3), formatRate(1, 3)]).toEqual(['0', '1,070', '0.333']));
  it('writes local time', () =>
    expect(formatMoment(new Date(2026, 1, 3, 4, 5).getTime() / 1000)).toBe('2026-02-03 04:05'));
});
