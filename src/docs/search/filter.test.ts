import { describe, expect, it } from 'vitest';
import { documentTest, isWithin } from '../../search/filter/index.ts';
import { expressionOf, type RequestFilter, toConditions } from './filter.ts';

const document = {
  key: 'Intro',
  lang: 'en',
  addedAt: 1_766_400_000,
  updatedAt: 1_766_400_000,
  meta: { tag: ['x', 'y'], n: ['9'], addedAt: ['5'], lang: ['shadow'], 'meta.z': ['1'] },
};
const passes = (request: RequestFilter): boolean => documentTest(expressionOf(request)!)(document);

describe('the filters of a request as one expression', () => {
  it('is absent without any', () => {
    for (const request of [{}, { filterMeta: {} }, { langs: [] }, { rangeMeta: [] }])
      expect(expressionOf(request)).toBeUndefined();
  });

  it.each<[RequestFilter, boolean]>([[{ filterMeta: { tag: ['y', 'z'] } }, true], [{
    filterMeta: { tag: ['y'], n: ['8'] },
  }, false], [{ filterMeta: { tag: [] } }, false], [{ filterMeta: { lang: ['shadow'] } }, true], [{
    filterMeta: { lang: ['en'] },
  }, false], [{ filterMeta: { 'meta.z': ['1'] } }, true], [{ filterMeta: { z: ['1'] } }, false], [{
    filterMeta: { '': ['1'] },
  }, false], [{ langs: ['EN', 'de'] }, true], [{ langs: ['de'] }, false], [{ rangeMeta: { n: { gt: 8, lt: 10 } } },
    true], [{ rangeMeta: [{ field: 'addedAt', gte: '2025-12-01' }] }, true], [{
    rangeMeta: [{ field: 'addedAt', lt: 10 }],
  }, false], [{ rangeMeta: [{ field: 'lang', gte: 's' }] }, true], [{ filter: 'tag = x AND lang = en' }, true], [{
    filter: 'NOT tag = x',
  }, false], [{ filterMeta: { tag: ['x'] }, rangeMeta: { n: { gte: 9 } }, langs: ['en'], filter: 'key = intro' }, true],
    [{ filterMeta: { tag: ['x'] }, rangeMeta: { n: { gte: 9 } }, langs: ['de'], filter: 'key = intro' }, false]])('%j',
      (request, expected) => expect(passes(request)).toBe(expected));

  it('takes a language for those with a region or a script, and one with a region for itself (decision D-182)', () => {
    const isIn = (lang: string, langs: string[]): boolean =>
      documentTest(expressionOf({ langs })!)({ ...document, lang });
    for (const lang of ['en', 'EN', 'en-US', 'en_GB', 'EN-gb']) expect(isIn(lang, ['de', 'en']), lang).toBe(true);
    for (const lang of ['zh-cn', 'zh-Hant-TW']) expect(isIn(lang, ['ZH']), lang).toBe(true);
    for (const lang of ['en', 'en-GB', 'en-USA', 'eng', 'enm-US']) expect(isIn(lang, ['en-US']), lang).toBe(false);
    for (const lang of ['eng', 'enm-US']) expect(isIn(lang, ['en']), lang).toBe(false);
    expect(isIn('EN-us', ['en-US'])).toBe(true);
  });

  it('is refused where it has too many values, or compares a time with something else', () => {
    const values = Array.from({ length: 501 }, (_, i) => String(i));
    expect(() => expressionOf({ filterMeta: { a: values, b: values } })).toThrow(
      'filterMeta must have at most 1000 values, got 1002',
    );
    expect(() => expressionOf({ rangeMeta: { updatedAt: { gte: 'soon' } } })).toThrow('rangeMeta: gte of updatedAt');
    expect(() => expressionOf({ filter: 'addedAt = soon' })).toThrow('filter must compare addedAt');
  });
});

describe('ranges (decision D-91)', () => {
  it.each([['10', { gt: '9' }, true], [' 1e3 ', { gte: 1000 }, true], ['10', { gt: 'a' }, false], ['b', {
    gt: 'a',
    lt: 'c',
  }, true], ['2025-12-24', { gte: '2025-12-01T00:00:00Z', lt: '2026-01' }, true], ['2025-12-24T12:00', {
    lte: '2025-12-24T12:00:00+00:00',
  }, true], ['1766400000', { gte: '2025-12-22', lt: '2025-12-23' }, true], ['2025-13-45', { gt: '2025-12-01' }, false],
    [
      'ä',
      { gt: 'z' },
      true,
    ], ['\u{1f600}', { gt: '\uffff' }, true], ['x', {}, true]])('%j within %j: %s',
      (value, bounds, within) => expect(isWithin(value, bounds)).toBe(within));

  it('understands both forms, and refuses times that are none', () => {
    expect(toConditions([{ field: 'n', gte: 1 }])).toEqual([{ field: 'n', bounds: { gte: 1 } }]);
    expect(toConditions({ n: { lt: 'x' }, addedAt: { gte: '2025-01-01' } })).toEqual([{
      field: 'n',
      bounds: { lt: 'x' },
    }, { field: 'addedAt', bounds: { gte: '2025-01-01' } }]);
    expect(() => toConditions([{ field: 'addedAt', lt: 'later' }])).toThrow('rangeMeta: lt of addedAt');
  });
});
