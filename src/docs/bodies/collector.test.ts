import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../lib/log.ts';
import { createOutbound, type Outbound } from '../../net/index.ts';
import { DOCUMENT_MIGRATIONS, type PlacedBody, type Sql } from '../../storage/index.ts';
import { openMigrated } from '../../testkit/migrated-database.ts';
import { S3Server } from '../../testkit/s3-server.ts';
import type { DocsEnvironment } from '../environment.ts';
import { type Bodies, createBodies, type Placement } from './bodies.ts';

const DAY = 24 * 3_600_000;

let s3: S3Server;
let outbound: Outbound;
let sql: Sql;
let bodies: Bodies;
let ahead: number;
let placement: Placement | undefined;

beforeEach(async () => {
  s3 = await S3Server.start();
  outbound = createOutbound({ allowPrivate: 'loopback', allowlist: [] });
  sql = await openMigrated({ path: ':memory:' }, DOCUMENT_MIGRATIONS);
  ahead = 0;
  const settings = { bodies: { graceMs: 7 * DAY, cacheBytes: 0 } } as DocsEnvironment['settings'];
  bodies = createBodies({ sql, settings, clock: { now: () => Date.now() + ahead }, log: silentLog }, {
    outbound,
    configOf: () => placement,
  });
  await sql.transaction((tx) => tx.run("INSERT INTO collections(id, name) VALUES (1, 'blog')"));
});
afterEach(async () => {
  await bodies.stop();
  await sql.close();
  await outbound.close();
  await s3.stop();
});

async function configure(next: Placement): Promise<void> {
  placement = next;
  await sql.transaction((tx) => bodies.remember(tx, 'blog', next));
}

const put = async (text: string): Promise<PlacedBody> => (await bodies.place('blog', [Buffer.from(text)]))![0]!;

/** Inserts a reference to a body into one of the tables. */
async function name({ backend, reference }: PlacedBody, ord: number,
  table: 'documents' | 'revisions' | 'deleted_revisions'): Promise<void>
{
  await sql.transaction(async (tx) => {
    if (table === 'documents')
      await tx.run(
        'INSERT INTO documents(ord, cid, id, key, lang, backend, crc, bytes, added_at, updated_at, meta, body) ' +
          "VALUES (?, 1, ?, 'k', 'en', ?, 0, 0, 0, 0, '{}', ?)",
        [ord, `blog|${ord}|en`, backend, reference],
      );
    else {
      if (table === 'deleted_revisions')
        await tx.run(
          'INSERT INTO deleted_documents(ord, cid, id, key, lang, rev_ts, added_at, deleted_at) VALUES (?, 1, ?, ' +
            "'k', 'en', 1, 0, 0)",
          [ord, `blog|${ord}|en`],
        );
      await tx.run(`INSERT INTO ${table}(ord, ts, updated_at, backend, meta, body) VALUES (?, 1, 0, ?, '{}', ?)`, [ord,
        backend, reference]);
    }
  });
}

const isThere = async ({ reference }: PlacedBody): Promise<boolean> =>
  bodies.fetch(reference).then(() => true, () => false);

describe.each(['s3', 'memory'] as const)('what nothing names in %s', (storageBackend) => {
  it('goes after its grace, and whatever a version names stays', async () => {
    await configure({ storageBackend, storageConfig: s3.config });
    const [document, revision, deleted, garbage] = await Promise.all(['a', 'b', 'c', 'd'].map(put)) as [PlacedBody,
      PlacedBody, PlacedBody, PlacedBody];
    await name(document, 1, 'documents');
    await name(revision, 1, 'revisions');
    await name(deleted, 2, 'deleted_revisions');
    await bodies.collect();
    expect(await isThere(garbage), 'within its grace').toBe(true);
    ahead = 8 * DAY;
    await bodies.collect();
    expect(await Promise.all([document, revision, deleted, garbage].map(isThere))).toEqual([true, true, true, false]);
  });

  it('stays when it is put again while the collection goes on', async () => {
    await configure({ storageBackend, storageConfig: s3.config });
    const garbage = await put('a');
    ahead = 8 * DAY;
    const [, again] = await Promise.all([bodies.collect(), put('a')]);
    expect(again.backend).toBe(garbage.backend);
    expect(await isThere(again)).toBe(true);
  });
});

describe('a place that its collection has left', () => {
  it('is forgotten once nothing is there, and read until then', async () => {
    await configure({ storageBackend: 's3', storageConfig: s3.config });
    const old = await put('a');
    await name(old, 1, 'documents');
    await configure({ storageBackend: 's3', storageConfig: { ...s3.config, prefix: 'new' } });
    expect((await put('a')).backend).not.toBe(old.backend);
    ahead = 8 * DAY;
    await bodies.collect();
    expect(await isThere(old)).toBe(true);
    expect(await sql.all('SELECT id FROM body_stores')).toHaveLength(2);
    await sql.transaction((tx) => tx.run('DELETE FROM documents'));
    ahead = 16 * DAY;
    await bodies.collect(); // removes the object
    ahead = 24 * DAY;
    await bodies.collect(); // finds nothing
    expect(await sql.all('SELECT target FROM body_stores')).toEqual([{
      target: expect.stringContaining('new/') as string,
    }]);
  });

  it('is read with the new credentials of its bucket', async () => {
    await configure({ storageBackend: 's3', storageConfig: { ...s3.config, secretKey: 'old' } });
    const old = await put('a');
    await configure({ storageBackend: 's3', storageConfig: { ...s3.config, prefix: 'new' } });
    const stored = (await sql.all<{ config: string }>('SELECT config FROM body_stores ORDER BY id')).map(({ config }) =>
      (JSON.parse(config) as { settings: { secretKey: string } }).settings.secretKey
    );
    expect(stored).toEqual(['S3RVER', 'S3RVER']);
    expect(await isThere(old)).toBe(true);
  });
});

it('a bucket that is down leaves everything for the next round', async () => {
  await configure({ storageBackend: 's3', storageConfig: s3.config });
  const garbage = await put('a');
  ahead = 8 * DAY;
  s3.fail('denied');
  await bodies.collect();
  s3.fail();
  expect(await isThere(garbage)).toBe(true);
  ahead = 9 * DAY;
  await bodies.collect();
  expect(await isThere(garbage)).toBe(false);
});
