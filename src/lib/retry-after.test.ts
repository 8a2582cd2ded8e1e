import { describe, expect, it } from 'vitest';
import { MAX_RETRY_AFTER_MS, retryAfter } from './retry-after.ts';

const wait = (value: string, date?: string) => retryAfter(new Headers({ 'Retry-After': value, ...(date === undefined ? {} : { Date: date }) }));

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

  it('waits for nobody longer than a minute', () => {
    expect(wait('86400')).toBe(MAX_RETRY_AFTER_MS);
    expect(wait('Fri, 31 Dec 9999 23:59:59 GMT')).toBe(MAX_RETRY_AFTER_MS);
  });

  it.each(['', 'soon', '-5x'])('ignores %j', (value) => {
    expect(wait(value)).toBeUndefined();
  });

  it('is undefined without the header', () => {
    expect(retryAfter(new Headers())).toBeUndefined();
  });
});
