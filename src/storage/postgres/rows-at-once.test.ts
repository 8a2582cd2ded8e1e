import fc from 'fast-check';
import { expect, it } from 'vitest';
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

it.each([
  ['keeps what follows the row', 'INSERT INTO t(a) VALUES (?) ON CONFLICT(a) DO NOTHING', 'INSERT INTO t(a) VALUES (?), (?) ON CONFLICT(a) DO NOTHING'],
  ['leaves updates of conflicts alone, which cannot change a row twice', 'INSERT INTO t(a) VALUES (?) ON CONFLICT(a) DO UPDATE SET a = excluded.a', undefined],
  ['leaves rows with constants alone', 'INSERT INTO t(a, b) VALUES (?, 1)', undefined],
  ['leaves other statements alone', 'UPDATE t SET a = ?', undefined],
])('%s', (_, sql, expected) => {
  expect(inChunks(sql, [[1], [2]])).toEqual(expected === undefined ? [[sql, [1]], [sql, [2]]] : [[expected, [1, 2]]]);
});
