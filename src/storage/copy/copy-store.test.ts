import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { PostgresServer, WITHOUT_POSTGRES } from '../../testkit/postgres-server.ts';
import { migrate, type Migration } from '../migrations/index.ts';
import { openDatabase, openPostgres } from '../open-database.ts';
import type { Sql } from '../port.ts';
import { copyStore } from './copy-store.ts';

const FORMAT: Migration = {
  version: 1,
  name: 'format',
  sql: `CREATE TABLE numbered(id INTEGER PRIMARY KEY AUTOINCREMENT, v TEXT, n INTEGER, r REAL, b BLOB) STRICT;
    CREATE TABLE keyed(a TEXT NOT NULL, b INTEGER NOT NULL, PRIMARY KEY(b, a)) STRICT, WITHOUT ROWID;
    CREATE TABLE vacant(id INTEGER PRIMARY KEY) STRICT`,
};

describe.skipIf(WITHOUT_POSTGRES !== undefined)('copying a store', () => {
  let server: PostgresServer;
  let sqlite: Sql;
  let postgres: Sql;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    sqlite = await fresh(() => openDatabase({ path: ':memory:' }));
    postgres = await fresh(async () => openPostgres({ url: await server.createSchema(), pool: 3 }));
  });

  async function fresh(open: () => Promise<Sql>): Promise<Sql> {
    const sql = await open();
    onTestFinished(() => sql.close());
    await migrate(sql, [FORMAT]);
    return sql;
  }

  const fill = (sql: Sql) =>
    sql.transaction(async (tx) => {
      const values = [['a\u0000\u0001', 2n ** 62n, 0.1, new Uint8Array([0, 255])], [null, null, null, null], ['', -1,
        1e300, new Uint8Array(0)]];
      await tx.runMany('INSERT INTO numbered(v, n, r, b) VALUES (?, ?, ?, ?)',
        Array.from({ length: 1201 }, (_, i) => values[i % 3]!));
      await tx.runMany('INSERT INTO keyed VALUES (?, ?)', [['é', 2], ['z', 1], ['Z', 2], ['a', 10]]);
    });

  it('keeps every value, there and back, and the numbers go on', async () => {
    await fill(sqlite);
    const there = await copyStore(sqlite, postgres);
    expect(there.map(({ name, rows }) => [name, rows])).toEqual([['keyed', 4], ['numbered', 1201], ['vacant', 0]]);
    const again = await fresh(() => openDatabase({ path: ':memory:' }));
    expect(await copyStore(postgres, again)).toEqual(there);
    for (const query of ['SELECT * FROM numbered ORDER BY id', 'SELECT * FROM keyed ORDER BY b, a'])
      expect(await again.all(query)).toEqual(await sqlite.all(query));
    for (const sql of [postgres, again])
      expect(await sql.transaction((tx) => tx.get('INSERT INTO numbered(v) VALUES (NULL) RETURNING id'))).toEqual({
        id: 1202,
      });
  });

  it('writes nothing where there are rows, or other formats', async () => {
    await fill(sqlite);
    await postgres.transaction((tx) => tx.run('INSERT INTO vacant(id) VALUES (1)'));
    await expect(copyStore(sqlite, postgres)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('has rows already, in vacant'),
    });
    await sqlite.transaction((tx) => tx.run("UPDATE schema_version SET name = 'another'"));
    await expect(copyStore(sqlite, postgres)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('the formats differ'),
    });
    expect(await postgres.all('SELECT * FROM numbered')).toEqual([]);
  });
});
