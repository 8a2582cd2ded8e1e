import { describe, expect, it } from 'vitest';
import { withoutFields } from './without-fields.ts';

describe('a response without some fields', () => {
  it('misses them at every path, also within lists, and keeps the rest', () => {
    const answer = { id: 1, meta: { a: 1 }, document: { id: 2, body: 'x' }, results: [{ document: { id: 3, body: 'y' } }, { other: 1 }, null] };
    expect(withoutFields(answer, ['meta', 'document.body', 'results.document.body', 'absent.at.all'])).toEqual({
      id: 1, document: { id: 2 }, results: [{ document: { id: 3 } }, { other: 1 }, null],
    });
    expect(answer).toMatchObject({ meta: { a: 1 }, document: { body: 'x' }, results: [{ document: { body: 'y' } }, {}, null] });
  });

  it('is the response where nothing is named or nothing is there', () => {
    const answer = Object.freeze({ a: 1 });
    expect(withoutFields(answer, [])).toBe(answer);
    expect(withoutFields(answer, ['b', 'toString', 'a.b'])).toEqual({ a: 1 });
    expect(withoutFields(undefined, ['a'])).toBeUndefined();
  });
});
