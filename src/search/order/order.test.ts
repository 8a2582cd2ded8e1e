import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareTexts } from '../filter/index.ts';
import { comparePlaces, compareSortValues, parseSort, type Place, readCursor, sortValueOf,
  writeCursor } from './index.ts';

const scored = { descending: true, scored: true };
const meta = (key: string, descending: boolean) => ({ column: { kind: 'meta', key }, descending });

describe('an order', () => {
  it.each([['addedAt', [{ column: { kind: 'time', name: 'addedAt' }, descending: true }]], ['year:asc, key:desc,score',
    [meta('year', false), { column: { kind: 'name', name: 'key' }, descending: true }, {
      column: { kind: 'score' },
      descending: true,
    }]], ['meta.year', [meta('year', true)]], ['meta.score:asc', [meta('score', false)]], [
    '"a, \\"b\\":c":asc , d:desc',
    [meta('a, "b":c', false), meta('d', true)],
  ], ['"title"', [meta('title', true)]], ['a:b:asc', [meta('a:b', false)]]])('%s',
    (sort, keys) => expect(parseSort(sort, scored)).toEqual(keys));

  it.each([['', 'sort must name a field'], ['key,', 'sort must name a field'], [':asc', 'sort must name a field'], [
    'size',
    'sort must be one of addedAt, updatedAt, expiresAt, key, lang, score, or a metadata key with a direction, ' +
    'such as "size:desc"; got "size"',
  ], ['"a" b', 'sort must have a comma, ":asc" or ":desc" behind quotes, at character 4'], [
    Array.from({ length: 9 }, () => 'key').join(','),
    'sort must have at most 8 keys, got 9',
  ]])('%j is refused', (sort, message) => expect(() => parseSort(sort, scored)).toThrow(message));

  it('has no score where nothing is searched for', () => {
    expect(() => parseSort('score', { descending: true, scored: false })).toThrow('sort must not be by score');
  });

  it('refuses nothing but with its own error', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('"', '\\', ',', ':', 'a', 'asc', ':desc', ' ') }), (text) => {
        try {
          expect(parseSort(text, scored).length).toBeGreaterThan(0);
        } catch (error) {
          expect((error as Error).message).toMatch(/^sort must /);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('places', () => {
  it('have numbers and dates as such, then texts by code point', () => {
    const sorted = ['-1', '9', '10', '2025-12-01', '2025-12-02T00:00:00Z', '', '10 km', 'a', 'ä', '\uffff',
      '\u{1f600}'];
    expect(sorted.toReversed().sort((a, b) => compareSortValues(sortValueOf(a), sortValueOf(b)))).toEqual(sorted);
  });

  it('compare texts as SQL does', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'ä', '\uffff', '\ud7ff', '\ue000', '\u{1f600}', '\u{10ffff}'),
    });
    fc.assert(fc.property(text, text, (a, b) => {
      expect(Math.sign(compareSortValues(a, b))).toBe(compareTexts(a, b));
    }));
  });

  it('without a value are last in either direction', () => {
    const places: Place[] = [[undefined, 1], [2, 1], [undefined, 2], [1, 1], [1, undefined]];
    const sorted = (first: boolean, second: boolean) =>
      places.toSorted((a, b) => comparePlaces(a, b, [{ descending: first }, { descending: second }]));
    expect(sorted(false, true)).toEqual([[1, 1], [1, undefined], [2, 1], [undefined, 2], [undefined, 1]]);
    expect(sorted(true, false)).toEqual([[2, 1], [1, 1], [1, undefined], [undefined, 1], [undefined, 2]]);
  });
});

describe('a cursor', () => {
  const value = fc.oneof(fc.constant(undefined),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0), fc.string({ unit: 'grapheme' }));

  it('is the place of a result and what told it from equal ones', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 4 }), fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }),
        (place, tie, order) => {
          expect(readCursor(writeCursor(order, { place, tie }), order, place.length)).toEqual({ place, tie });
          expect(() => readCursor(writeCursor(order, { place, tie }), `${order}!`, place.length)).toThrow(
            'cursor must be of the same collection',
          );
          expect(() => readCursor(writeCursor(order, { place, tie }), order, place.length + 1)).toThrow(
            'cursor must be "*"',
          );
        }),
    );
    expect(readCursor('*', 'a', 1)).toBeUndefined();
  });

  it('is no other text', () => {
    const json = fc.json().map((text) => Buffer.from(text).toString('base64url'));
    fc.assert(fc.property(fc.oneof(fc.string(), json, fc.base64String()).filter((text) => text !== '*'), (text) => {
      expect(() => readCursor(text, 'a', 1)).toThrow(/^cursor must be /);
    }), { numRuns: 1000 });
  });

  it('has finite numbers and short texts, whatever is stored', () => {
    expect([sortValueOf('1e999'), sortValueOf('-1e999'), sortValueOf('x'.repeat(1000))]).toEqual([Number.MAX_VALUE,
      -Number.MAX_VALUE, 'x'.repeat(256)]);
  });
});
