import { unzipSync } from 'fflate';
import { copyFile, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Document } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { silentLog } from '../../lib/log.ts';
import type { Context, Download } from '../../operations/index.ts';
import { BodyCodec, ChangeFeed, DOCUMENT_MIGRATIONS, FeedGap, migrate, openDatabase, type Sql,
  verifyDatabaseFile } from '../../storage/index.ts';
import { UNRESTRICTED } from '../../testkit/unrestricted.ts';
import { splitFrontMatter } from '../../text/front-matter.ts';
import { type ColumnsView, createColumns } from '../columns/index.ts';
import { createDocuments } from '../documents/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { createMaintenance, type Maintenance } from './index.ts';

const NOW = 1_766_400_000;
const clock = { now: () => NOW * 1000 };
const codec = new BodyCodec();
const context = UNRESTRICTED as Context;

let dir: string;
let path: string;
let sql: Sql;
let feed: ChangeFeed;
let maintenance: Maintenance;
let columns: ColumnsView;
let reloads: number;
let failReload: boolean;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'maintenance-'));
  path = join(dir, 'quire.db');
  await start(await openDatabase({ path }));
});

afterEach(async () => {
  await columns.stop();
  await sql.close();
  await rm(dir, { recursive: true });
});

async function start(database: Sql): Promise<void> {
  sql = database;
  await migrate(sql, DOCUMENT_MIGRATIONS);
  feed = new ChangeFeed(sql, clock);
  await sql.transaction((tx) => tx.run("INSERT INTO collections(id, name) VALUES (1, 'blog')"));
  maintenance = createOver(sql);
  await columns.start();
  reloads = 0;
  failReload = false;
}

function createOver(database: Sql): Maintenance {
  const env = environment(database);
  const collections = { configOf: () => undefined };
  columns = createColumns(env, { collections });
  const areas = { collections, columns, schemas: { violations: async () => [], has: () => false } };
  return createMaintenance(env, { documents: createDocuments(env, areas), onRestored: [onRestored] });
}

function environment(database: Sql): DocsEnvironment {
  return {
    sql: database,
    feed,
    codec,
    clock,
    log: silentLog,
    settings: { backupDir: dir } as DocsEnvironment['settings'],
  };
}

async function onRestored(): Promise<void> {
  reloads += 1;
  if (failReload && reloads === 1) throw new Error('a cache cannot be read');
}

interface Draft {
  readonly key: string;
  readonly meta?: Record<string, string[]>;
  readonly body?: string;
  readonly expiresAt?: number;
}

async function store({ key, meta = {}, body = '', expiresAt }: Draft): Promise<void> {
  const stored = await codec.encode(body);
  const insert = `INSERT INTO documents(cid, id, key, lang, crc, bytes, added_at, updated_at, expires_at, meta, body)
    VALUES (1, ?, ?, 'en', 0, ?, 1766300000, 1766350000, ?, ?, ?) RETURNING ord`;
  await sql.transaction(async (tx) => {
    const params = [`blog|${key.toLowerCase()}|en`, key, Buffer.byteLength(body), expiresAt ?? null,
      JSON.stringify(meta), stored];
    const row = await tx.get<{ ord: number }>(insert, params);
    await feed.append(tx, [{ kind: 'doc.put', collection: 'blog', ord: row!.ord, key }]);
  });
}

const keys = async () =>
  (await sql.all<{ key: string }>('SELECT key FROM documents ORDER BY key')).map(({ key }) => key);

async function exported(format: 'ndjson' | 'zip', filterMeta?: Record<string, string[]>,
  collection = 'blog'): Promise<Download & { bytes: Buffer }>
{
  await columns.caughtUp();
  const download =
    (await maintenance.handlers.exportDocuments({ collection, format, ...(filterMeta && { filterMeta }) },
      context)) as Download;
  return { ...download, bytes: Buffer.concat(await Array.fromAsync(download.content as AsyncIterable<Uint8Array>)) };
}

const lines = async (filterMeta?: Record<string, string[]>, collection = 'blog') =>
  (await exported('ndjson', filterMeta, collection)).bytes.toString().split('\n').slice(0, -1).map((line) =>
    JSON.parse(line) as Document
  );

const backup = (to?: string) =>
  maintenance.handlers.createBackup(to === undefined ? {} : { to }, context) as Promise<
    { backup: string; sizeBytes: number; verified: boolean; includesIndexes: boolean }
  >;
const restore = (from: string) => maintenance.handlers.restoreBackup({ from }, context);

/** All temporary files of a backup or restore are removed in the end. */
const files = async () => (await readdir(dir)).filter((name) => !name.startsWith('quire.db')).sort();

describe('export (contract section 4, decision D-72)', () => {
  beforeEach(async () => {
    await store({ key: 'b', meta: { tag: ['x', 'y'], lang: ['en'] }, body: '# B\n' });
    await store({ key: 'A', meta: { tag: ['y'] }, body: 'ä'.repeat(20_000), expiresAt: NOW + 1 });
    await store({ key: 'gone', meta: { tag: ['x'] }, expiresAt: NOW });
  });

  it('writes one document on each line, by id, without expired ones', async () => {
    const { contentType, fileName } = await exported('ndjson');
    expect({ contentType, fileName }).toEqual({ contentType: 'application/x-ndjson', fileName: 'blog.ndjson' });
    expect(await lines()).toEqual([{
      id: 'blog|a|en',
      key: 'A',
      lang: 'en',
      meta: { tag: ['y'] },
      contentMd: 'ä'.repeat(20_000),
      addedAt: 1766300000,
      updatedAt: 1766350000,
      expiresAt: NOW + 1,
    }, {
      id: 'blog|b|en',
      key: 'b',
      lang: 'en',
      meta: { tag: ['x', 'y'], lang: ['en'] },
      contentMd: '# B\n',
      addedAt: 1766300000,
      updatedAt: 1766350000,
    }]);
  });

  it.each([[{ tag: ['y'] }, ['A', 'b']], [{ tag: ['x', 'z'] }, ['b']], [{ tag: ['y'], lang: ['en'] }, ['b']], [{
    tag: ['z'],
  }, []], [{ tag: [] }, []], [{}, ['A', 'b']]])('keeps what matches %j', async (filterMeta, expected) => {
    expect((await lines(filterMeta)).map(({ key }) => key)).toEqual(expected);
  });

  it('takes the collection in any letter case and is empty for an unknown one', async () => {
    expect(await lines(undefined, 'BLOG')).toHaveLength(2);
    expect((await exported('ndjson', undefined, 'blo')).bytes).toHaveLength(0);
    expect(unzipSync((await exported('zip', undefined, 'blo')).bytes)).toEqual({});
  });

  it('makes a ZIP of files that front matter turns back into the same documents', async () => {
    await store({ key: '../../etc/x', body: 'safe' });
    const { contentType, fileName, bytes } = await exported('zip');
    expect({ contentType, fileName }).toEqual({ contentType: 'application/zip', fileName: 'blog.zip' });
    const entries = Object.entries(unzipSync(bytes)).map(([name, content]) =>
      [name, splitFrontMatter(Buffer.from(content).toString())] as const
    );
    expect(Object.fromEntries(entries)).toMatchObject({
      'A.en.md': { meta: { tag: ['y'] }, body: 'ä'.repeat(20_000) },
      'b.en.md': { meta: { tag: ['x', 'y'], lang: ['en'] }, body: '# B\n' },
      'etc/x.en.md': { meta: {}, body: 'safe' },
    });
    expect(entries).toHaveLength(3);
  });

  it('is made while it is read, and its snapshot is closed when the reader leaves', async () => {
    for (let i = 0; i < 100; i++) await store({ key: `k${i}`, body: 'x'.repeat(70_000) });
    const { content } =
      (await maintenance.handlers.exportDocuments({ collection: 'blog', format: 'ndjson' }, context)) as Download;
    let pieces = 0;
    for await (const _ of content as AsyncIterable<Uint8Array>) if (++pieces === 2) break;
    expect(pieces).toBe(2);
    await sql.close(); // would wait forever, or fail, with a snapshot still open
    sql = await openDatabase({ path });
  });
});

describe('backup (contract section 4, decision D-73)', () => {
  it('writes a verified copy under a default name', async () => {
    await store({ key: 'a' });
    const { backup: name, sizeBytes, verified, includesIndexes } = await backup();
    expect({ name, verified, includesIndexes }).toEqual({
      name: `backup-${NOW}.db`,
      verified: true,
      includesIndexes: false,
    });
    expect((await stat(join(dir, name))).size).toBe(sizeBytes);
    expect(await verifyDatabaseFile(join(dir, name), { knownFormat: 1 })).toMatchObject({ ok: true });
  });

  it('finds another default name within the same second', async () => {
    await backup();
    expect(await backup()).toMatchObject({ backup: `backup-${NOW}-2.db` });
  });

  it('never overwrites a file', async () => {
    await writeFile(join(dir, 'mine.db'), 'precious');
    await expect(backup('mine.db')).rejects.toMatchObject({ code: 'conflict' });
    expect(await readFile(join(dir, 'mine.db'), 'utf8')).toBe('precious');
  });

  it.each(['../x.db', '/tmp/x.db', 'quire.db', 'quire.db-wal', 'a\0b'])('refuses the name %j', async (name) => {
    await expect(backup(name)).rejects.toMatchObject({ code: 'invalid_argument', message: 'invalid backup name' });
    await expect(restore(name)).rejects.toMatchObject({ code: 'invalid_argument', message: 'invalid backup name' });
  });

  it('runs alone', async () => {
    const results = await Promise.allSettled([backup('a.db'), backup('b.db'), restore('a.db')]);
    expect(results.map((result) => (result.status === 'rejected' ? (result.reason as ServiceError).code : 'done')))
      .toEqual(['done', 'busy', 'busy']);
    expect(await backup('b.db')).toMatchObject({ backup: 'b.db' });
  });
});

describe('restore (contract section 4)', () => {
  beforeEach(async () => {
    await store({ key: 'old' });
    await backup('b.db');
    await store({ key: 'new' });
  });

  it('serves the content of the backup and leaves nothing behind', async () => {
    expect(await restore('b.db')).toEqual({ restored: 'b.db' });
    expect(await keys()).toEqual(['old']);
    expect(reloads).toBe(1);
    expect(await files()).toEqual(['b.db']);
    await store({ key: 'later' });
    expect(await keys()).toEqual(['later', 'old']);
  });

  it('keeps it over a restart', async () => {
    await restore('b.db');
    await sql.close();
    sql = await openDatabase({ path });
    expect(await keys()).toEqual(['old']);
  });

  it('can be repeated, the backup being untouched', async () => {
    const before = await readFile(join(dir, 'b.db'));
    await restore('b.db');
    await store({ key: 'again' });
    await restore('b.db');
    expect(await keys()).toEqual(['old']);
    expect((await readFile(join(dir, 'b.db'))).equals(before)).toBe(true);
  });

  it('restarts the change feed, so that its followers rebuild', async () => {
    const head = await feed.head();
    await restore('b.db');
    for (const position of [0, 1, head, head + 100])
      await expect(feed.read(position, 10)).rejects.toBeInstanceOf(FeedGap);
    const first = await feed.oldest();
    expect((await feed.read(first - 1, 10)).map(({ kind }) => kind)).toEqual(['feed.restart', 'database.restore']);
    expect(await sql.get("SELECT value FROM settings WHERE name = 'binlog_epoch'")).toEqual({ value: String(first) });
  });

  it('returns 404 where there is no such backup', async () => {
    await expect(restore('none.db')).rejects.toMatchObject({
      code: 'not_found',
      message: 'not found: the backup directory (SVC_BACKUP_DIR) has no file none.db',
    });
  });

  it('restores what was saved in memory, and into memory', async () => {
    await sql.close();
    await start(await openDatabase({ path: ':memory:' }));
    await restore('b.db');
    expect(await keys()).toEqual(['old']);
    await backup('memory.db');
    await sql.close();
    await rm(path);
    await start(await openDatabase({ path }));
    await restore('memory.db');
    expect(await keys()).toEqual(['old']);
  });

  describe('a failure leaves the previous content', () => {
    const expectPrevious = async (kept: string[]) => {
      expect(await keys()).toEqual(['new', 'old']);
      expect(await files()).toEqual(kept);
      await store({ key: 'still writable' });
    };

    it.each([['text', async (file: string) => writeFile(file, 'not a database')], ['an empty file',
      async (file: string) => writeFile(file, '')], ['a torn file',
      async (file: string) => writeFile(file, (await readFile(join(dir, 'b.db'))).subarray(0, 8192))], ['flipped bytes',
      async (file: string) => {
        await copyFile(join(dir, 'b.db'), file);
        const handle = await open(file, 'r+');
        await handle.write(Buffer.alloc(2048, 0xff), 0, 2048, 4096);
        await handle.close();
      }]])('after %s', async (_, damage) => {
        await damage(join(dir, 'bad.db'));
        await expect(restore('bad.db')).rejects.toMatchObject({
          code: 'internal',
          message: expect.stringMatching(/^restore failed: the backup is damaged: /) as string,
        });
        expect(reloads).toBe(0);
        await expectPrevious(['b.db', 'bad.db']);
      });

    it('after a database of another program, of a newer build, and of another service', async () => {
      const foreign = async (name: string, script: string[]) => {
        const other = await openDatabase({ path: join(dir, name) });
        for (const statement of script) await other.transaction((tx) => tx.run(statement));
        await other.snapshotTo(join(dir, `${name}.copy`));
        await other.close();
        return `${name}.copy`;
      };
      const versions =
        'CREATE TABLE schema_version(version INTEGER PRIMARY KEY, name TEXT NOT NULL, breaking INTEGER NOT NULL, ' +
        'applied_at INTEGER NOT NULL) STRICT';
      const mark = (version: number, name: string) => `INSERT INTO schema_version VALUES (${version}, '${name}', 1, 0)`;
      const program = await foreign('program', ['CREATE TABLE t(a)']);
      const newer = await foreign('newer', [versions, mark(1, 'documents'), mark(9999, 'future')]);
      const service = await foreign('service', [versions, mark(1, 'runs')]);
      for (const [name, reason] of [[program, 'another program'], [newer, 'format 9999'], [service,
        'does not fit this service']] as const)
      {
        await expect(restore(name)).rejects.toMatchObject({
          code: 'internal',
          message: expect.stringContaining(reason) as string,
        });
      }
      expect(await keys()).toEqual(['new', 'old']);
    });

    it('after a swap that fails', async () => {
      maintenance = createOver(withFailingSwap(sql, 1));
      await expect(restore('b.db')).rejects.toMatchObject({
        code: 'internal',
        message: expect.stringContaining('the previous one is still served') as string,
      });
      await expectPrevious(['b.db']);
    });

    it('after a cache that cannot be loaded: the swap is undone', async () => {
      failReload = true;
      await expect(restore('b.db')).rejects.toMatchObject({ code: 'internal' });
      expect(reloads).toBe(2);
      await expectPrevious(['b.db']);
    });

    it('unless even that fails: then the snapshot is kept and named', async () => {
      maintenance = createOver(withFailingSwap(sql, 2));
      failReload = true;
      const error = await restore('b.db').catch((thrown: unknown) => thrown as ServiceError);
      const [, kept] = /kept as (pre-restore-\S+\.db)$/.exec((error as ServiceError).message)!;
      expect(await files()).toEqual(['b.db', kept]);
      expect(await restore(kept!)).toEqual({ restored: kept });
      expect(await keys()).toEqual(['new', 'old']);
    });
  });
});

/** A database whose n-th swap fails. */
function withFailingSwap(database: Sql, n: number): Sql {
  let swaps = 0;
  return new Proxy(database, {
    get(target, name) {
      const replaceFrom = async (file: string): Promise<void> => {
        if (++swaps === n) throw new ServiceError('unavailable', 'the disk failed');
        await target.replaceFrom(file);
      };
      if (name === 'replaceFrom') return replaceFrom;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value;
    },
  });
}
