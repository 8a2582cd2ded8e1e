import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SqlValue } from '../port.ts';
import { inChunks } from './rows-at-once.ts';

const INSERT = 'INSERT INTO t(a, b) VALUES (?, ?)';

it('inserts all rows in their order, in few statements of few shapes', () => {
  fc.assert(fc.property(fc.array(fc.tuple(fc.integer(), fc.string()), { maxLength: 300 }), (rows) => {
    const chunks = inChunks(INSERT, rows);
    expect(chunks.flatMap(([, values]) => values)).toEqual(rows.flat());
    for (const [sql, values] of chunks) expect(sql.split('?').length - 1).toBe(values.length);
    expect(chunks.length).toBeLessThanOrEqual(rows.length / 64 + 6);
    expect(chunks.every(([, { length }]) => Number.isInteger(Math.log2(length / 2)))).toBe(true);
  }));
});

it.each([['keeps what follows the row', 'INSERT INTO t(a) VALUES (?) ON CONFLICT(a) DO NOTHING',
  'INSERT INTO t(a) VALUES (?), (?) ON CONFLICT(a) DO NOTHING'], [
  'leaves updates of conflicts alone, which cannot change a row twice',
  'INSERT INTO t(a) VALUES (?) ON CONFLICT(a) DO UPDATE SET a = excluded.a',
  undefined,
], ['leaves rows with constants alone', 'INSERT INTO t(a, b) VALUES (?, 1)', undefined], [
  'leaves other statements alone',
  'UPDATE t SET a = ?',
  undefined,
]])('%s', (_, sql, expected) => {
  expect(inChunks(sql, [[1], [2]])).toEqual(expected === undefined ? [[sql, [1]], [sql, [2]]] : [[expected, [1, 2]]]);
});

describe('with the types of the columns', () => {
  const TYPES = new Map([['a', 'bigint'], ['b', 'text'], ['c', 'jsonb']]);
  const chunksOf = (rows: (readonly SqlValue[])[], sql = INSERT) => inChunks(sql, rows, () => TYPES);

  it('inserts any number of rows by one statement for every 64', () => {
    fc.assert(fc.property(fc.array(fc.tuple(fc.integer(), fc.string()), { minLength: 2, maxLength: 300 }), (rows) => {
      const chunks = chunksOf(rows);
      expect(chunks.length).toBe(Math.ceil(rows.length / 64));
      for (const [sql, values] of chunks) {
        expect(sql).toBe('INSERT INTO t(a, b) SELECT * FROM unnest(CAST(? AS bigint[]), CAST(? AS text[]))');
        expect(values.length).toBe(2);
      }
    }));
  });

  it.each<[string, SqlValue[][], string?]>([['a value of another type', [[1, 'x'], ['2', 'y']]], [
    'an integer that is too large',
    [[1, 'x'], [2n ** 63n, 'y']],
  ], ['a fraction', [[1, 'x'], [1.5, 'y']]], ['a missing value', [[1, 'x'], [2]]], [
    'values that are too large to be copied',
    [[1, 'x'], [2, 'y'.repeat(300_000)]],
  ], ['a type without arrays', [[1, 'x'], [2, 'y']], 'INSERT INTO t(a, c) VALUES (?, ?)'], ['an unknown column', [[1,
    'x'], [2, 'y']], 'INSERT INTO t(a, d) VALUES (?, ?)']])('inserts rows as they are for %s',
      (_, rows, sql = INSERT) => {
        expect(chunksOf(rows, sql)).toEqual([[sql.replace('(?, ?)', '(?, ?), (?, ?)'), rows.flat()]]);
      });
});
