import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../errors/index.ts';
import { checkFilterSize, type Filter } from './filter.ts';
import { roomForFilters } from './index.ts';
import { parseFilter } from './parse-filter.ts';
import { type FilterNode, readFilterTree } from './read-filter-tree.ts';
import { checkMoments } from './test-condition.ts';
import { type Filtered, filtersOver, matches, printFilter, toTree } from './test-fixture.ts';

const document = (meta: Filtered['meta'], more: Partial<Filtered> = {}): Filtered => ({
  key: 'Guide/One',
  lang: 'en_GB',
  addedAt: 1_766_400_000,
  updatedAt: 1_766_400_000,
  meta,
  ...more,
});

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(ServiceError);
    expect((error as ServiceError).code).toBe('invalid_argument');
    return (error as ServiceError).message;
  }
  throw new Error('it was accepted');
}

describe('the grammar of filters', () => {
  it.each<[string, Filter]>([['year = 2020', { kind: 'match', field: 'year', values: [2020] }], ['year = "2020"', {
    kind: 'match',
    field: 'year',
    values: ['2020'],
  }], ["'a b' = 'it\\'s'", { kind: 'match', field: 'a b', values: ["it's"] }], ['a != b', {
    kind: 'not',
    part: { kind: 'match', field: 'a', values: ['b'] },
  }], ['a>=-1.5', { kind: 'range', field: 'a', bounds: { gte: -1.5 } }], ['day 2025-12-01 TO 2025-12-24T18:00:00Z', {
    kind: 'range',
    field: 'day',
    bounds: { gte: '2025-12-01', lte: '2025-12-24T18:00:00Z' },
  }], ['a IN [x, "y z", 3,]', { kind: 'match', field: 'a', values: ['x', 'y z', 3] }], ['a NOT IN [x]', {
    kind: 'not',
    part: { kind: 'match', field: 'a', values: ['x'] },
  }], ['a EXISTS', { kind: 'exists', field: 'a' }], ['a NOT EXISTS', {
    kind: 'not',
    part: { kind: 'exists', field: 'a' },
  }], ['a IS NULL', { kind: 'not', part: { kind: 'exists', field: 'a' } }], ['a IS NOT NULL', {
    kind: 'exists',
    field: 'a',
  }], ['a IS EMPTY', { kind: 'match', field: 'a', values: [''] }], ['a IS NOT EMPTY', {
    kind: 'not',
    part: { kind: 'match', field: 'a', values: [''] },
  }], ['key STARTS WITH guide/', { kind: 'prefix', field: 'key', prefix: 'guide/' }], ['a NOT STARTS WITH "b"', {
    kind: 'not',
    part: { kind: 'prefix', field: 'a', prefix: 'b' },
  }], ['"AND" = "OR"', { kind: 'match', field: 'AND', values: ['OR'] }], ['and = or', {
    kind: 'match',
    field: 'and',
    values: ['or'],
  }], ['цена = 5', { kind: 'match', field: 'цена', values: [5] }]])('%s',
    (text, filter) => expect(parseFilter(text)).toEqual(filter));

  it('binds NOT before AND before OR', () => {
    const exists = (field: string): Filter => ({ kind: 'exists', field });
    expect(parseFilter('a EXISTS OR b EXISTS AND NOT c EXISTS')).toEqual({
      kind: 'or',
      parts: [exists('a'), { kind: 'and', parts: [exists('b'), { kind: 'not', part: exists('c') }] }],
    });
    expect(parseFilter('(a EXISTS OR b EXISTS) AND c EXISTS')).toEqual({
      kind: 'and',
      parts: [{ kind: 'or', parts: [exists('a'), exists('b')] }, exists('c')],
    });
  });

  it.each([['', 'filter must have a field, NOT or "(" at character 1, got the end'], ['a',
    'filter must have an operator at character 2, got the end'], ['a =',
    'filter must have a value at character 4, got the end'], ['a = b c',
    'filter must have AND, OR or the end at character 7, got "c"'], ['a b c',
    'filter must have TO, or an operator before "b" at character 5, got "c"'], ['(a = b',
    'filter must have AND, OR or ")" at character 7, got the end'], ['a IN x',
    'filter must have "[" at character 6, got "x"'], ['a IN []', 'filter must have a value at character 7, got "]"'], [
    'a IN [b c]',
    'filter must have "," or "]" at character 9, got "c"',
  ], ['a NOT = b', 'filter must have IN, EXISTS or STARTS WITH at character 7, got "="'], ['a IS x',
    'filter must have NOT, EMPTY or NULL at character 6, got "x"'], ['a = AND',
    'filter must have a value at character 5, got "AND"'], ['a = "b',
    'filter has a quote at character 5 that is never closed'], ['a = b&c',
    'filter must have quotes around a text with "&", at character 6'], ['_geoRadius(1, 2, 3)',
    'filter must have an operator at character 11, got "("']])('refuses %j with the place and what it expects',
      (text, message) => expect(refusal(() => parseFilter(text))).toBe(message));

  it('is what it prints', () => {
    const filters = filtersOver(fc.string({ unit: 'grapheme' }),
      fc.oneof(fc.string({ unit: 'grapheme' }),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0)));
    fc.assert(fc.property(filters, (filter) => {
      expect(parseFilter(printFilter(filter))).toEqual(filter);
      expect(readFilterTree(toTree(filter))).toEqual(filter);
    }), { numRuns: 500 });
  });

  it('refuses any other text, without ever failing otherwise', () => {
    const piece = fc.oneof(
      fc.constantFrom('(', ')', '[', ']', ',', '=', '!=', '>', '<=', '"', "'", '\\', ' AND ', ' OR ', ' NOT ', ' IN ',
        ' TO ', ' IS ', ' EXISTS', 'a', '1', ' '),
      fc.string({ unit: 'binary', maxLength: 3 }),
    );
    fc.assert(fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      try {
        parseFilter(pieces.join(''));
      } catch (error) {
        expect(error).toBeInstanceOf(ServiceError);
      }
    }), { numRuns: 1000 });
  });

  it('has bounds on depth and size', () => {
    expect(refusal(() => parseFilter(`${'('.repeat(30_000)}a = 1`))).toContain(
      'nested deeper than 24 levels, at character 26',
    );
    expect(refusal(() => parseFilter(`${'NOT '.repeat(10_000)}a = 1`))).toContain('nested deeper');
    expect(refusal(() => checkFilterSize(parseFilter(Array.from({ length: 201 }, () => 'a = 1').join(' AND '))))).toBe(
      'filter must have at most 200 conditions, got 201',
    );
    expect(refusal(() => checkFilterSize(parseFilter(`a IN [${'1,'.repeat(1001)}]`)))).toBe(
      'filter must have at most 1000 values, got 1001',
    );
  });
});

describe('filters as trees', () => {
  it('have conditions that must all hold, bounds of which a single value must satisfy', () => {
    expect(readFilterTree({ field: 'n', gte: 1, lt: 5, exists: true })).toEqual({
      kind: 'and',
      parts: [{ kind: 'range', field: 'n', bounds: { gte: 1, lt: 5 } }, { kind: 'exists', field: 'n' }],
    });
    expect(readFilterTree({ and: [{ field: 'ok', eq: true }, { text: 'a = 1 OR b = 2' }] })).toEqual({
      kind: 'and',
      parts: [{ kind: 'match', field: 'ok', values: ['true'] }, parseFilter('a = 1 OR b = 2')],
    });
    expect(readFilterTree({ or: [{ field: 'a', ne: 'x' }] })).toEqual(parseFilter('a != x'));
    expect(readFilterTree({ not: { field: 'a', notIn: [1] } })).toEqual({
      kind: 'not',
      part: parseFilter('a NOT IN [1]'),
    });
  });

  it.each<[unknown, string]>([[{}, 'filter must have exactly one of text, and, or, not, field, got none'], [{
    and: [{ or: [], field: 'a' }],
  }, 'filter.and[0] must have exactly one of text, and, or, not, field, got or and field'], [{ and: [] },
    'filter.and must not be empty'], [{ field: 'a' },
    'filter must have a condition beside field: one of eq, ne, gte, lte, gt, lt, in, notIn, startsWith, exists'], [{
    not: { text: 'a', eq: 1 },
  }, 'filter.not must have eq beside field, not beside text'], [{ or: [{ text: 'a =' }] },
    'filter.or[0].text must have a value at character 4, got the end'], [{ field: 'a', equals: 1 },
    'filter must not have the field equals; a node has one of text, and, or, not, field']])('%j is refused',
      (tree, message) => expect(refusal(() => readFilterTree(tree as FilterNode))).toBe(message));

  it('are refused when they are too deep, also together with a text', () => {
    let tree: FilterNode = { text: '(((a = 1)))' };
    for (let i = 0; i < 22; i++) tree = { not: tree };
    expect(refusal(() => readFilterTree(tree))).toContain('nested deeper');
    for (let i = 0; i < 20_000; i++) tree = { not: tree };
    expect(refusal(() => readFilterTree(tree))).toContain('nested deeper');
  });
});

describe('what filters mean', () => {
  const one = document({
    year: ['1999', '2021'],
    price: ['10.0'],
    version: ['1.10'],
    day: ['2025-12-24T12:00:00Z'],
    empty: [''],
    key: ['k'],
    tags: ['Red'],
    state: ['n/a'],
  }, { expiresAt: 1_766_500_000 });
  it.each([['price = 10', true], ['price = "10"', false], ['price = "10.0"', true], ['version = "1.1"', false], [
    'version = 1.1',
    true,
  ], ['year > 2000 AND year < 2000', true], ['year 2000 TO 2020', false], ['year 2000 TO 2021', true], ['year < 300',
    false], ['year != 2021', false], ['year NOT IN [2020, 2022]', true], ['missing != x', true], ['NOT missing EXISTS',
    true], ['day >= 2025-12-24', true], ['day < 2025-12-24T12:00', false], ['day = 2025-12-24', false], [
    'empty IS EMPTY',
    true,
  ], ['empty EXISTS', true], ['missing IS EMPTY', false], ['missing IS NULL', true], ['tags = red', false], [
    'tags STARTS WITH R',
    true,
  ], ['key = guide/one', true], ['key = k', false], ['meta.key = k', true], ['key STARTS WITH "GUIDE/"', true], [
    'meta.year EXISTS',
    true,
  ], ['state > 1000', false], ['state <= 1000', false], ['state >= 2025-01-01', false], ['state 1 TO zz', false], [
    'state > m',
    true,
  ], ['price > a', false], ['day > 0', true], ['lang = EN_gb', true], ['lang IN [en, de]', false], [
    'addedAt = 1766400000',
    true,
  ], [
    'addedAt = 2025-12-22T10:40:00Z',
    true,
  ], ['addedAt >= 2025-12-22 AND addedAt < 2025-12-23', true], ['expiresAt EXISTS', true], ['expiresAt > 2026-01-01',
    false]])('%s: %s', (text, holds) => expect(matches(parseFilter(text), one)).toBe(holds));

  it('refuses times that are none', () => {
    expect(refusal(() => checkMoments(parseFilter('a = 1 OR NOT addedAt > later')))).toBe(
      'filter must compare addedAt with a Unix time or an ISO 8601 date, got "later"',
    );
    expect(refusal(() => checkMoments(parseFilter('updatedAt STARTS WITH 2025')))).toContain('updatedAt');
  });
});

const MIB = 1024 * 1024;

describe('the room for filters', () => {
  it('has a lower and an upper limit', () => {
    expect([0, 1, 200_000].map(roomForFilters)).toEqual([8 * MIB, 8 * MIB, 8 * MIB]);
    expect([2_000_000, 100_000_000].map(roomForFilters)).toEqual([32 * MIB, 32 * MIB]);
  });

  it('grows with the documents between them', () => {
    expect(roomForFilters(500_000)).toBe(16_000_000);
    expect(Math.floor(roomForFilters(1_000_000) / (1_000_000 / 8))).toBe(256);
  });
});
