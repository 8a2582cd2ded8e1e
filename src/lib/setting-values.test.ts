import { describe, expect, it } from 'vitest';
import { deepFreeze, formatSyslogAddress, parseHeaderLine, parseSyslogAddress } from './setting-values.ts';

describe('parseSyslogAddress', () => {
  it.each([['log.example:514', 'udp://log.example:514'], ['udp://127.0.0.1:5514', 'udp://127.0.0.1:5514'], [
    'tcp://[::1]:601',
    'tcp://[::1]:601',
  ]])('reads %s', (text, shown) => expect(formatSyslogAddress(parseSyslogAddress(text)!)).toBe(shown));

  it.each(['', 'log.example', ':514', 'log.example:0', 'http://log.example:514', 'tcp://log.example:514/path',
    'log.example:99999'])('refuses %j', (text) => {
      expect(parseSyslogAddress(text)).toBeUndefined();
    });
});

describe('parseHeaderLine', () => {
  it('separates at the first colon', () =>
    expect(parseHeaderLine('Authorization:  Bearer a:b ')).toEqual({ name: 'Authorization', value: 'Bearer a:b' }));
  it.each(['', 'x', ': y', 'x:', 'a b: c', 'x: y\r\nz: 1', 'x: ☃'])('refuses %j',
    (line) => expect(parseHeaderLine(line)).toBeUndefined());
});

describe('deepFreeze', () => {
  it('freezes every level and returns the same object', () => {
    const value = { a: { list: [{ b: 1 }] }, none: null };
    expect(deepFreeze(value)).toBe(value);
    expect([value, value.a, value.a.list, value.a.list[0]].every(Object.isFrozen)).toBe(true);
  });
});
