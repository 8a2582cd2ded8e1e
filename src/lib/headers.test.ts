import { describe, expect, it } from 'vitest';
import { presentedCredential, readEntityTags, retryAfter } from './headers.ts';

const tag = (value: string, isWeak = false) => ({ value, isWeak });

it.each<[string, ReturnType<typeof readEntityTags>]>([['*', '*'], [' * ', '*'], ['"a"', [tag('a')]], ['W/"a"', [
  tag('a', true),
]], ['"a", W/"b" ,"c"', [tag('a'), tag('b', true), tag('c')]], ['"a-gzip", "b-br", "c-zstd", "d-x"', [tag('a'),
  tag('b'), tag('c'), tag('d-x')]], ['""', [tag('')]], ['', []], ['a, "b, "c"', [tag('c')]]])('readEntityTags reads %j',
    (header, expected) => {
      expect(readEntityTags(header)).toEqual(expected);
    });

const wait = (value: string, date?: string) =>
  retryAfter(new Headers({ 'Retry-After': value, ...(date === undefined ? {} : { Date: date }) }));

describe('retryAfter', () => {
  it('reads seconds', () => {
    expect(wait('3')).toBe(3000);
    expect(wait('0.5')).toBe(500);
    expect(wait('0')).toBe(0);
  });

  it("counts a date from the response's own date", () => {
    expect(wait('Wed, 21 Oct 2015 07:28:10 GMT', 'Wed, 21 Oct 2015 07:28:00 GMT')).toBe(10_000);
    expect(wait('Wed, 21 Oct 2015 07:27:00 GMT', 'Wed, 21 Oct 2015 07:28:00 GMT')).toBe(0);
  });

  it('takes a date without company as one of our own time', () => {
    expect(wait('Wed, 21 Oct 2015 07:28:10 GMT')).toBe(0);
  });

  it('returns at most a day', () => {
    expect(wait('1000000')).toBe(86_400_000);
    expect(wait('Fri, 31 Dec 9999 23:59:59 GMT')).toBe(86_400_000);
  });

  it.each(['', 'soon', '-5x'])('ignores %j', (value) => {
    expect(wait(value)).toBeUndefined();
  });

  it('is undefined without the header', () => {
    expect([retryAfter(new Headers()), retryAfter({})]).toEqual([undefined, undefined]);
  });

  it('reads headers as Node has them', () => {
    expect(retryAfter({ 'retry-after': '1.5' }, 0)).toBe(1500);
    expect(retryAfter({ 'retry-after': 'Wed, 21 Oct 2015 07:28:30 GMT', date: 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0))
      .toBe(30_000);
    expect(retryAfter({ 'retry-after': 'Wed, 21 Oct 2015 07:28:30 GMT' }, Date.UTC(2015, 9, 21, 7, 28, 29))).toBe(1000);
    expect(retryAfter({ 'retry-after': 'soon' }, 0)).toBeUndefined();
    expect(retryAfter({}, 0)).toBeUndefined();
  });
});

describe('a presented credential', () => {
  it.each([['key', undefined, { scheme: 'api-key', value: 'key' }], [undefined, 'Bearer token', {
    scheme: 'bearer',
    value: 'token',
  }], [undefined, 'bearer  a b', { scheme: 'bearer', value: 'a b' }], ['key', 'Bearer token', {
    scheme: 'api-key',
    value: 'key',
    overrides: true,
  }], [undefined, 'Basic abc', undefined], [undefined, 'Bearer', undefined], [['one', 'two'], undefined, undefined], [
    undefined,
    undefined,
    undefined,
  ]])('X-API-Key %j and Authorization %j', (key, authorization, expected) => {
    expect(presentedCredential(key, authorization)).toEqual(expected);
  });
});
