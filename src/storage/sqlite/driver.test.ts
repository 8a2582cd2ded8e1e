import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storageSuite } from '../../testkit/storage-suite.ts';
import type { Sql } from '../port.ts';
import { NodeSqlite } from './driver.ts';

/** Restores the first page, which holds the schema. */
async function copyHeader(from: string, to: string): Promise<void> {
  await writeFile(to, (await readFile(from)).subarray(0, 4096), { flag: 'r+' });
}

storageSuite('node:sqlite', async (folder) => new NodeSqlite(join(folder, 'quire.db')));

describe('node:sqlite: files', () => {
  let folder: string;
  let file: string;
  let sql: Sql | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quire-sqlite-'));
    file = join(folder, 'deep', 'er', 'quire.db');
    sql = undefined;
  });
  afterEach(async () => {
    await sql?.close();
    await rm(folder, { recursive: true });
  });

  it('makes the folder and the file for their owner alone', async () => {
    sql = new NodeSqlite(file);
    await sql.transaction((tx) => tx.run('CREATE TABLE t(a)'));
    const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
    expect([await mode(join(folder, 'deep')), await mode(file), await mode(`${file}-wal`)]).toEqual(['700', '600',
      '600']);
  });

  it('keeps what was committed, with foreign keys and the log in use', async () => {
    sql = new NodeSqlite(file);
    await sql.transaction((tx) => tx.run('CREATE TABLE t(a)'));
    await sql.close();
    await expect(access(`${file}-wal`)).rejects.toThrow('ENOENT');
    sql = new NodeSqlite(file);
    expect(await sql.all('SELECT name FROM sqlite_master')).toEqual([{ name: 't' }]);
    const pragmas = await sql.transaction(async (
      tx,
    ) => [await tx.get('PRAGMA journal_mode'), await tx.get('PRAGMA synchronous'),
      await tx.get('PRAGMA foreign_keys')]
    );
    expect(pragmas).toEqual([{ journal_mode: 'wal' }, { synchronous: 1 }, { foreign_keys: 1 }]);
    expect(sql.info).toMatchObject({ driver: 'node:sqlite', path: file });
  });

  it('copies a log that has grown into the database while it is open, without being asked', async () => {
    const database = (sql = new NodeSqlite(file));
    await database.transaction((tx) => tx.run('CREATE TABLE t(a BLOB)'));
    const add = () => database.transaction((tx) => tx.run('INSERT INTO t VALUES (?)', [new Uint8Array(2 ** 20)]));
    for (let i = 0; i < 6; i++) await add();
    // Only a checkpoint writes pages to the file itself, and a thread makes it at its own time.
    while ((await stat(file)).size < 4 * 2 ** 20) await add();
    expect(await database.get('SELECT count(*) > 5 AS enough FROM t')).toEqual({ enough: 1 });
  });

  it('says what is wrong with a file that is no database, and with a folder that cannot be made', async () => {
    await writeFile(join(folder, 'text'), 'this is a text file. '.repeat(100));
    expect(() => new NodeSqlite(join(folder, 'text'))).toThrow(expect.objectContaining({
      code: 'unavailable',
      message: `cannot open database ${join(folder, 'text')}: file is not a database`,
    }));
    expect(() => new NodeSqlite(join(folder, 'text', 'quire.db'))).toThrow(/cannot open database .*: E(NOTDIR|EXIST)/);
    expect(() => new NodeSqlite(folder)).toThrow(
      `cannot open database ${folder}: it has to be a file, in a folder in which this user may write`,
    );
    sql = new NodeSqlite(file); // the failed attempts left no lock behind
  });

  it('does not copy a database onto itself', async () => {
    sql = new NodeSqlite(file);
    await expect(sql.snapshotTo(file)).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('lets one process in, and the next one once the first is killed', async () => {
    const holder = spawn(process.execPath, ['--input-type=module', '-e', `
      import { NodeSqlite } from ${JSON.stringify(new URL('./driver.ts', import.meta.url).href)};
      globalThis.sql = new NodeSqlite(${JSON.stringify(file)});
      await sql.transaction((tx) => tx.run('CREATE TABLE t(a)'));
      console.log('open');
      setInterval(() => {}, 1000);`]);
    await once(holder.stdout, 'data');
    expect(() => new NodeSqlite(file)).toThrow(expect.objectContaining({
      code: 'unavailable',
      message: `database ${file} is in use by another process; stop that process first`,
    }));
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    sql = new NodeSqlite(file);
    expect(await sql.all('SELECT * FROM t')).toEqual([]);
  });
});

describe('node:sqlite: faults', () => {
  let folder: string;
  let sql: NodeSqlite;
  let fail: { commit?: boolean; sync?: boolean; statement?: RegExp };
  let syncing: Promise<void> | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quire-sqlite-'));
    fail = {};
    syncing = undefined;
    sql = new NodeSqlite(join(folder, 'quire.db'), {
      onCommit: () => {
        if (fail.commit) throw new Error('disk I/O error');
      },
      onSync: async () => {
        await syncing;
        if (fail.sync) throw new Error('EIO: i/o error, fdatasync');
      },
      onStatement: (text) => {
        if (fail.statement?.test(text)) throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
      },
    });
    await sql.transaction((tx) => tx.run('CREATE TABLE t(a)'));
  });
  afterEach(async () => {
    await sql.close();
    await rm(folder, { recursive: true });
  });

  const insert = (a: number) => sql.transaction((tx) => tx.run('INSERT INTO t VALUES (?)', [a]));
  const rows = async () => (await sql.all('SELECT a FROM t')).map((row) => row.a);

  it('rejects every member of a group whose commit fails, writes nothing, and recovers', async () => {
    fail.commit = true;
    const told: number[] = [];
    const outcomes = await Promise.allSettled([insert(1), sql.transaction(async (tx) => {
      tx.onCommit(() => told.push(2));
      await tx.run('INSERT INTO t VALUES (2)');
    }), sql.transaction(() => Promise.reject(new Error('own reason')))]);
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
    expect([told, await rows(), await sql.healthy()]).toEqual([[], [], false]);
    fail.commit = false;
    expect(await sql.healthy()).toBe(true);
    await insert(3);
    expect(await rows()).toEqual([3]);
  });

  it('acknowledges nothing before the log is on disk, and reads meanwhile', async () => {
    const disk = Promise.withResolvers<void>();
    syncing = disk.promise;
    const done: string[] = [];
    const written = insert(1).then(() => done.push('acknowledged'));
    const told = sql.transaction(async (tx) => tx.onCommit(() => done.push('told')));
    while ((await rows()).length === 0) await new Promise(setImmediate);
    expect(done).toEqual([]);
    disk.resolve();
    await Promise.all([written, told]);
    expect(done).toContain('acknowledged');
  });

  it('waits for no disk where it is not asked to, and says so', async () => {
    const fast = new NodeSqlite(join(folder, 'fast.db'), { onSync: () => Promise.reject(new Error('synced')) },
      undefined, { synced: false, busyTimeoutMs: 50 });
    await fast.transaction((tx) => tx.run('CREATE TABLE t(a)'));
    expect([fast.info.durable, await fast.transaction((tx) => tx.get('PRAGMA busy_timeout'))]).toEqual([false, {
      timeout: 50,
    }]);
    await fast.close();
  });

  it('rejects what the disk does not confirm, and confirms nothing more before all of the log is copied elsewhere', async () => {
    await Promise.all([insert(7), insert(8), insert(9)]);
    fail.sync = true;
    await expect(insert(1)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('the disk did not confirm the transaction, which may be written or not: EIO'),
    });
    expect(await sql.healthy()).toBe(false);
    fail.sync = false;
    const reader = sql.stream('SELECT a FROM t', [], { batch: 1 })[Symbol.asyncIterator]();
    await reader.next(); // its snapshot keeps a checkpoint from copying what is written after it
    await expect(insert(2)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('not all of the log'),
    });
    await reader.return!(undefined);
    await insert(3);
    expect([await sql.healthy(), (await rows()).includes(3)]).toEqual([true, true]);
  });

  it('rejects only the member whose statement the disk fails, if the transaction lives on', async () => {
    fail.statement = /VALUES \(2\)/;
    const outcomes = await Promise.allSettled([insert(1), sql.transaction((tx) => tx.run('INSERT INTO t VALUES (2)')),
      insert(3)]);
    expect(outcomes[1]).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
    expect(await rows()).toEqual([1, 3]);
  });

  it('rejects what is queued when no transaction can begin', async () => {
    fail.statement = /BEGIN/;
    const outcomes = await Promise.allSettled([insert(1), insert(2)]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected' });
    fail = {};
    await insert(3);
    expect(await rows()).toEqual([3]);
  });

  it('opens a new connection when it cannot even roll back', async () => {
    fail = { commit: true, statement: /ROLLBACK/ };
    await expect(insert(1)).rejects.toMatchObject({ code: 'unavailable' });
    fail = {};
    await insert(2);
    expect(await rows()).toEqual([2]);
  });

  it('notifies listeners of a commit before the transaction resolves, each once', async () => {
    const order: string[] = [];
    await Promise.all(['a', 'b'].map(async (name) => {
      await sql.transaction(async (tx) => tx.onCommit(() => order.push(`${name} committed`)));
      order.push(`${name} resolved`);
    }));
    expect(order.indexOf('a committed')).toBeLessThan(order.indexOf('a resolved'));
    expect([...order].sort()).toEqual(['a committed', 'a resolved', 'b committed', 'b resolved']);
  });

  it('is unhealthy once the file is found damaged, until its content is replaced', async () => {
    const [file, copy] = [join(folder, 'quire.db'), join(folder, 'copy.db')];
    await sql.transaction((tx) =>
      tx.runMany('INSERT INTO t VALUES (zeroblob(3000))', Array.from({ length: 100 }, () => []))
    );
    await sql.snapshotTo(copy);
    await sql.close();
    await writeFile(file, Buffer.alloc(40_960, 0x5a), { flag: 'r+' });
    await copyHeader(copy, file);
    sql = new NodeSqlite(file);
    await expect(sql.all('SELECT length(a) FROM t')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('corrupt'),
    });
    expect(await sql.healthy()).toBe(false);
    await expect(sql.background.all('SELECT length(a) FROM t')).rejects.toMatchObject({ code: 'unavailable' });
    await sql.replaceFrom(copy);
    expect([await sql.healthy(), (await rows()).length]).toEqual([true, 100]);
  });

  it('starts the reading thread again after a crash', async () => {
    await sql.transaction((tx) => tx.runMany('INSERT INTO t VALUES (?)', Array.from({ length: 1000 }, (_, i) => [i])));
    const interrupted = sql.background.all(
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n',
    );
    await Promise.all([expect(interrupted).rejects.toMatchObject({ code: 'unavailable' }), sql.crashReader()]);
    expect(await sql.background.get('SELECT count(*) AS n FROM t')).toEqual({ n: 1000 });
  });
});
