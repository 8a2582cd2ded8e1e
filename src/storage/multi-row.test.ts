import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MultiRow } from './multi-row.ts';
import { openDatabase } from './open-database.ts';
import type { Sql } from './port.ts';

let sql: Sql;

beforeAll(async () => {
  sql = await openDatabase({ path: ':memory:' });
  await sql.transaction((tx) =>
    tx.run('CREATE TABLE numbers(n INTEGER PRIMARY KEY, twice INTEGER NOT NULL, kept INTEGER NOT NULL) STRICT')
  );
});
afterAll(() => sql.close());

const INSERT = new MultiRow('INSERT INTO numbers(n, twice, kept) VALUES', '(?, ?, 0)',
  'ON CONFLICT(n) DO UPDATE SET twice = excluded.twice');
const DOUBLE = new MultiRow('UPDATE numbers SET kept = ?, twice = given.column2 FROM (VALUES',
  '(CAST(? AS BIGINT), CAST(? AS BIGINT))', ') AS given WHERE n = given.column1 RETURNING n');

describe('statements of many rows', () => {
  it.each([0, 1, 2, 63, 64, 65, 200])('write %i rows, as often as they are run', async (count) => {
    const rows = Array.from({ length: count }, (_, n) => [n, 0]);
    await sql.transaction((tx) => INSERT.run(tx, [], rows));
    const { changes } = await sql.transaction((tx) => INSERT.run(tx, [], rows));
    expect(changes).toBe(count);
    const found = await sql.transaction((tx) =>
      DOUBLE.all<{ n: number }>(tx, [count], rows.map(([n]) => [n!, 2 * n!]))
    );
    expect(found.map(({ n }) => n).sort((a, b) => a - b)).toEqual(rows.map(([n]) => n));
    expect(await sql.get('SELECT count(*) AS n FROM numbers WHERE kept = ? AND twice = 2 * n', [count])).toEqual({
      n: count === 0 ? 0 : count,
    });
    await sql.transaction((tx) => tx.run('DELETE FROM numbers'));
  });

  it('say how many rows were found', async () => {
    await sql.transaction((tx) => INSERT.run(tx, [], [[1, 0]]));
    expect(await sql.transaction((tx) => DOUBLE.run(tx, [7], [[1, 2], [9, 18]]))).toEqual({ changes: 1 });
  });
});
