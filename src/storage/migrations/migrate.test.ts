import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../open-database.ts';
import type { Sql } from '../port.ts';
import { DOCUMENT_MIGRATIONS, RUN_QUEUE_MIGRATIONS } from './index.ts';
import { migrate, type Migration } from './migrate.ts';

const clock = { now: () => 1_700_000_000_000 };
const first: Migration = { version: 1, name: 'first', sql: 'CREATE TABLE a(b); CREATE INDEX a_by_b ON a(b);' };
const second: Migration = { version: 2, name: 'second', sql: 'ALTER TABLE a ADD COLUMN c' };
const breaking: Migration = {
  version: 2,
  name: 'second',
  sql: '-- breaking: b means something else\nALTER TABLE a RENAME COLUMN b TO d',
};

describe('migrate', () => {
  let sql: Sql;
  beforeEach(async () => {
    sql = await openDatabase({ path: ':memory:' });
  });
  afterEach(() => sql.close());

  it('applies what is missing, once', async () => {
    expect(await migrate(sql, [first], clock)).toEqual({ from: 0, to: 1 });
    expect(await migrate(sql, [first, second], clock)).toEqual({ from: 1, to: 2 });
    expect(await migrate(sql, [first, second], clock)).toEqual({ from: 2, to: 2 });
    expect(await sql.all('SELECT * FROM schema_version')).toEqual([{
      version: 1,
      name: 'first',
      breaking: 0,
      applied_at: 1_700_000_000,
    }, { version: 2, name: 'second', breaking: 0, applied_at: 1_700_000_000 }]);
  });

  it('refuses a database with a newer breaking format, and accepts other newer ones', async () => {
    await migrate(sql, [first, second], clock);
    expect(await migrate(sql, [first], clock)).toEqual({ from: 2, to: 2 });
  });

  it('says in one line what to do about a newer breaking format', async () => {
    await migrate(sql, [first, breaking], clock);
    await expect(migrate(sql, [first], clock)).rejects.toMatchObject({
      code: 'unavailable',
      message: 'database :memory: was written by a newer version (format 2, this build knows 1); use that version or ' +
        'restore a backup',
    });
  });

  it('refuses the database of another service', async () => {
    await migrate(sql, [first], clock);
    await expect(migrate(sql, DOCUMENT_MIGRATIONS, clock)).rejects.toThrow(
      'belongs to another service (its format 1 is "first")',
    );
  });

  it('leaves nothing of a migration that fails', async () => {
    const broken = { ...second, sql: 'CREATE TABLE half(a); CREATE TABLE a(b)' };
    await migrate(sql, [first], clock);
    await expect(migrate(sql, [first, broken], clock)).rejects.toThrow('already exists');
    expect(await sql.all("SELECT name FROM sqlite_master WHERE name = 'half'")).toEqual([]);
    expect(await migrate(sql, [first, second], clock)).toEqual({ from: 1, to: 2 });
  });

  it('makes all tables of a new database or none', async () => {
    const broken = { ...second, sql: 'CREATE TABLE a(b)' };
    await expect(migrate(sql, [first, broken], clock)).rejects.toThrow('already exists');
    expect(await sql.all("SELECT name FROM sqlite_master WHERE name = 'a'")).toEqual([]);
    expect(await migrate(sql, [first, second], clock)).toEqual({ from: 0, to: 2 });
  });

  it('refuses numbers with a gap', async () => {
    await expect(migrate(sql, [second], clock)).rejects.toThrow('leaves a gap');
  });
});

describe.each([['document service', DOCUMENT_MIGRATIONS], ['run queue', RUN_QUEUE_MIGRATIONS]] as const)(
  'the tables of the %s',
  (_, migrations) => {
    it('are strict', async () => {
      const sql = await openDatabase({ path: ':memory:' });
      await migrate(sql, migrations, clock);
      const loose = await sql.all(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND strict = 0 AND name NOT LIKE 'sqlite\\_%' " +
          "ESCAPE '\\'",
      );
      expect(loose).toEqual([]);
      await sql.close();
    });
  },
);
