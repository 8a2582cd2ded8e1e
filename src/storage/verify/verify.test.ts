import { copyFile, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChangeFeed } from '../feed/change-feed.ts';
import { DOCUMENT_MIGRATIONS, migrate } from '../migrations/index.ts';
import { openDatabase } from '../open-database.ts';
import { verifyDatabaseFile } from './verify.ts';

describe('verifyDatabaseFile', () => {
  let folder: string;
  let good: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quire-verify-'));
    good = join(folder, 'good.db');
    const sql = await openDatabase({ path: ':memory:' });
    await migrate(sql, DOCUMENT_MIGRATIONS);
    const feed = new ChangeFeed(sql);
    await sql.transaction((tx) =>
      feed.append(tx, Array.from({ length: 2000 }, () => ({ kind: 'doc.put' as const, collection: 'c' })))
    );
    await sql.snapshotTo(good);
    await sql.close();
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** A copy of the good file, changed by SQL. */
  const changed = async (name: string, sql: string): Promise<string> => {
    const file = join(folder, name);
    await copyFile(good, file);
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
    return file;
  };

  it('accepts a good file and leaves its folder as it is', async () => {
    const before = await readdir(folder);
    expect(await verifyDatabaseFile(good, { knownFormat: 1 })).toEqual({ ok: true, problems: [], formatVersion: 1 });
    expect(await readdir(folder)).toEqual(before);
  });

  it('finds a file that is absent, empty or no database', async () => {
    const text = join(folder, 'text');
    await writeFile(text, 'SQLite format 2, or something else altogether');
    await writeFile(join(folder, 'empty'), '');
    expect((await verifyDatabaseFile(join(folder, 'absent'))).problems[0]).toContain('ENOENT');
    for (const name of ['text', 'empty']) {
      expect(await verifyDatabaseFile(join(folder, name))).toMatchObject({
        ok: false,
        problems: ['the file is not an SQLite database'],
      });
    }
  });

  it('finds a truncated and a damaged file', async () => {
    const bytes = await readFile(good);
    const truncated = join(folder, 'truncated');
    await writeFile(truncated, bytes.subarray(0, bytes.length - 8192));
    expect((await verifyDatabaseFile(truncated)).ok).toBe(false);
    const damaged = join(folder, 'damaged');
    await copyFile(good, damaged);
    const handle = await open(damaged, 'r+');
    await handle.write(Buffer.alloc(4096, 0x5a), 0, 4096, Math.floor(bytes.length / 8192) * 4096);
    await handle.close();
    expect((await verifyDatabaseFile(damaged)).ok).toBe(false);
  });

  it('finds a gap in the change feed, and a row that refers to nothing', async () => {
    const gap = await changed('gap', 'DELETE FROM changes WHERE lsn = 1000');
    expect((await verifyDatabaseFile(gap)).problems).toEqual([
      'the change feed has a gap: 1999 entries from 1 to 2000',
    ]);
    const pruned = await changed('pruned', 'DELETE FROM changes WHERE lsn < 1000');
    expect((await verifyDatabaseFile(pruned)).ok).toBe(true);
    const orphan = await changed('orphan', `PRAGMA foreign_keys = OFF;
      INSERT INTO documents(cid, id, key, lang, crc, bytes, added_at, updated_at, meta) VALUES (9, 'x', 'k', 'en', 0, 0, 0, 0, '{}')`);
    expect((await verifyDatabaseFile(orphan)).problems).toEqual([
      'row 1 of documents refers to a missing row of collections',
    ]);
  });

  it('finds the database of another program and one of a newer breaking format', async () => {
    const foreign = await changed('foreign', 'DROP TABLE schema_version');
    expect(await verifyDatabaseFile(foreign)).toMatchObject({ ok: true, formatVersion: undefined });
    expect((await verifyDatabaseFile(foreign, { knownFormat: 1 })).problems).toEqual([
      'the file is an SQLite database of another program',
    ]);
    const newer = await changed('newer', "INSERT INTO schema_version VALUES (2, 'next', 1, 0)");
    expect(await verifyDatabaseFile(newer, { knownFormat: 1 })).toEqual({
      ok: false,
      problems: ['the file has format 2, this build knows 1'],
      formatVersion: 2,
    });
    expect((await verifyDatabaseFile(newer, { knownFormat: 2 })).ok).toBe(true);
    const harmless = await changed('harmless', "INSERT INTO schema_version VALUES (2, 'next', 0, 0)");
    expect(await verifyDatabaseFile(harmless, { knownFormat: 1 })).toMatchObject({ ok: true, formatVersion: 2 });
  });
});
