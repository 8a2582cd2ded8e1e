import { describe, expect, it } from 'vitest';
import { unreadFields, valueAt, withoutFields } from './answers.ts';

describe('a response without some fields', () => {
  it('misses them at every path, also within lists, and keeps the rest', () => {
    const answer = {
      id: 1,
      meta: { a: 1 },
      document: { id: 2, body: 'x' },
      results: [{ document: { id: 3, body: 'y' } }, { other: 1 }, null],
    };
    expect(withoutFields(answer, ['meta', 'document.body', 'results.document.body', 'absent.at.all'])).toEqual({
      id: 1,
      document: { id: 2 },
      results: [{ document: { id: 3 } }, { other: 1 }, null],
    });
    expect(answer).toMatchObject({
      meta: { a: 1 },
      document: { body: 'x' },
      results: [{ document: { body: 'y' } }, {}, null],
    });
  });

  it('is the response where nothing is named or nothing is there', () => {
    const answer = Object.freeze({ a: 1 });
    expect(withoutFields(answer, [])).toBe(answer);
    expect(withoutFields(answer, ['b', 'toString', 'a.b'])).toEqual({ a: 1 });
    expect(withoutFields(undefined, ['a'])).toBeUndefined();
  });
});

describe('a response with other values in some fields', () => {
  it('has 0, or what is beside them, at every path, and gains no field', () => {
    const answer = { deleted: 3, results: [{ document: { addedAt: 1, updatedAt: 2 } }, { document: {} }] };
    expect(unreadFields(answer, { deleted: 0, 'results.document.addedAt': 'updatedAt', absent: 0 })).toEqual({
      deleted: 0,
      results: [{ document: { addedAt: 2, updatedAt: 2 } }, { document: {} }],
    });
    expect(answer.results[0]).toEqual({ document: { addedAt: 1, updatedAt: 2 } });
  });
});

describe('the value at a path', () => {
  it('is undefined where the input has none, whatever is there instead', () => {
    expect(valueAt({ options: { skip: true } }, 'options.skip')).toBe(true);
    for (const input of [{}, { options: 'x' }, { options: null }, { options: [] }, { options: {} }])
      expect(valueAt(input, 'options.skip')).toBeUndefined();
    expect(valueAt({}, 'toString')).toBeUndefined();
  });
});
