import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BodyCodec } from '../body/body-codec.ts';
import { writeReference } from '../body/reference.ts';
import { ChangeFeed } from '../feed/change-feed.ts';
import { DOCUMENT_MIGRATIONS, migrate } from '../migrations/index.ts';
import { openDatabase } from '../open-database.ts';
import { FileLock } from '../sqlite/open.ts';
import { verifyDatabaseFile } from '../verify/verify.ts';
import { salvageDatabase } from './salvage.ts';

const DOCUMENTS = 600;
const FORMAT = DOCUMENT_MIGRATIONS.length;

describe('salvaging a damaged database (--repair-db)', () => {
  let folder: string;
  let good: string;
  let files = 0;

  /** Documents, some with bodies that fill several pages, the rows that belong to them, and a change feed. */
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quire-repair-'));
    good = join(folder, 'good.db');
    const sql = await openDatabase({ path: ':memory:' });
    await migrate(sql, DOCUMENT_MIGRATIONS);
    const feed = new ChangeFeed(sql);
    const codec = new BodyCodec();
    const rows = await Promise.all(Array.from({ length: DOCUMENTS }, async (_, i) => {
      const text = `# Document ${i}\n\n${
        (i % 10 === 0 ? randomBytes(9000) : randomBytes(200 + i % 700)).toString('base64')
      }`;
      return { i, crc: crc32(text), bytes: Buffer.byteLength(text), body: await codec.encode(text) };
    }));
    await sql.transaction(async (tx) => {
      await tx.run("INSERT INTO collections(id, name, docs) VALUES (1, 'blog', ?)", [DOCUMENTS]);
      await tx.runMany(
        'INSERT INTO documents(cid, id, key, lang, crc, bytes, added_at, updated_at, meta, body) VALUES (1, ?, ?, ' +
          "'en', ?, ?, 1, 9007199254740991, ?, ?)",
        rows.map((
          { i, crc, bytes, body },
        ) => [`blog|k${i}|en`, `k${i}`, crc, bytes, JSON.stringify({ tag: [`t${i % 7}`, 'all'] }), body]),
      );
      await tx.runMany("INSERT INTO spellings(cid, key, lang, ord) VALUES (1, ?, 'en', ?)",
        rows.flatMap(({ i }) => [[`k${i}`, i + 1], [`K${i}`, i + 1]]));
      await tx.runMany('INSERT INTO revisions(ord, ts, updated_at) VALUES (?, 1, 1)', rows.map(({ i }) => [i + 1]));
      await feed.append(tx, rows.map(({ i }) => ({ kind: 'doc.put' as const, collection: 'blog', ord: i + 1 })));
      await tx.run(
        "INSERT INTO users(username, uid, token_id, password_hash, admin, created_at) VALUES ('admin', 'u', 't', " +
          "'h', 1, 1)",
      );
    });
    await sql.snapshotTo(good);
    await sql.close();
  });
  afterAll(() => rm(folder, { recursive: true }));

  const size = (): number =>
    withDatabase(good, (database) => (database.prepare('PRAGMA page_size').get() as { page_size: number }).page_size);
  function withDatabase<T>(file: string, work: (database: DatabaseSync) => T): T {
    const database = new DatabaseSync(file);
    try {
      return work(database);
    } finally {
      database.close();
    }
  }
  const rowsOf = (file: string, sql: string): unknown[] =>
    withDatabase(file, (database) => database.prepare(sql).all());
  /** Numbers of the pages of a table or index, by type. */
  const pagesOf = (name: string, pagetype: string): number[] =>
    (rowsOf(good, `SELECT pageno FROM dbstat WHERE name = '${name}' AND pagetype = '${pagetype}' ORDER BY pageno`) as {
      pageno: number;
    }[]).map(({ pageno }) => pageno);
  /** A copy in which pages are overwritten with meaningless bytes. */
  async function damaged(pages: readonly number[], { at = 0, length = size() } = {}): Promise<string> {
    const file = join(folder, `damaged-${files++}.db`);
    await copyFile(good, file);
    const handle = await open(file, 'r+');
    for (const page of pages) await handle.write(Buffer.alloc(length, 0xa5), 0, length, (page - 1) * size() + at);
    await handle.close();
    return file;
  }
  async function salvage(file: string) {
    const target = join(folder, `new-${files++}.db`);
    const before = await readFile(file);
    const report = await salvageDatabase(file, target);
    expect(before.equals(await readFile(file))).toBe(true);
    expect(await verifyDatabaseFile(target, { knownFormat: FORMAT })).toMatchObject({ ok: true });
    return { target, report };
  }
  const tableOf = ({ tables }: Awaited<ReturnType<typeof salvageDatabase>>, name: string) =>
    tables.find((table) => table.name === name);
  const everything = (file: string) =>
    ['collections', 'documents', 'spellings', 'revisions', 'changes', 'users', 'schema_version',
      'sqlite_sequence WHERE seq > 0'].map((table) =>
        rowsOf(file, `SELECT * FROM ${table}`).map((row) => JSON.stringify(row)).sort()
      );

  it('copies a sound one whole', async () => {
    const { target, report } = await salvage(good);
    expect([report.complete, report.lostDocuments, report.notes]).toEqual([true, [], []]);
    expect(everything(target)).toEqual(everything(good));
  });

  it('takes along what is in the write-ahead log alone', async () => {
    const file = await damaged([]);
    const writer = new DatabaseSync(file);
    writer.exec(
      'PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; INSERT INTO settings(name, value) VALUES ' +
        "('late', 'x')",
    );
    const crashed = join(folder, 'crashed.db');
    await copyFile(file, crashed);
    await copyFile(`${file}-wal`, `${crashed}-wal`);
    writer.close();
    const { target, report } = await salvage(crashed);
    expect([report.complete, rowsOf(target, "SELECT value FROM settings WHERE name = 'late'")]).toEqual([true, [{
      value: 'x',
    }]]);
  });

  it('leaves out the rows of a page that is overwritten, and names the documents that are lost', async () => {
    const leaf = pagesOf('documents', 'leaf')[20]!;
    const { target, report } = await salvage(await damaged([leaf]));
    expect(report.complete).toBe(false);
    expect(tableOf(report, 'documents')!.damagedPages).toBe(1);
    const left = rowsOf(target, 'SELECT ord FROM documents') as { ord: number }[];
    expect(report.lostDocuments.length).toBe(DOCUMENTS - left.length);
    expect(report.lostDocuments.length).toBeGreaterThan(0);
    const kept = new Set(left.map(({ ord }) => `k${ord - 1}`));
    for (const { collection, key, lang } of report.lostDocuments)
      expect([collection, lang, kept.has(key.toLowerCase())]).toEqual(['blog', 'en', false]);
    expect(rowsOf(target, 'SELECT docs FROM collections')).toEqual([{ docs: left.length }]);
    expect(
      rowsOf(target,
        'SELECT 1 FROM spellings WHERE ord NOT IN (SELECT ord FROM documents) UNION SELECT 1 FROM revisions WHERE ' +
          'ord NOT IN (SELECT ord FROM documents)'),
    ).toEqual([]);
    // The rows that were salvaged are unchanged.
    const same = 'SELECT * FROM documents WHERE ord IN (SELECT ord FROM documents) ORDER BY ord';
    const lost = new Set(report.lostDocuments.map(({ key }) => Number(key.slice(1)) + 1));
    expect(rowsOf(target, same)).toEqual((rowsOf(good, same) as { ord: number }[]).filter(({ ord }) => !lost.has(ord)));
  });

  it('never takes a damaged body for a good one', async () => {
    const overflow = pagesOf('documents', 'overflow');
    const { target, report } = await salvage(await damaged([overflow[3]!], { at: 1000, length: 200 }));
    expect([report.complete, report.lostDocuments.length, tableOf(report, 'documents')]).toMatchObject([false, 1, {
      damagedPages: 0,
      damagedRows: 1,
    }]);
    const codec = new BodyCodec();
    for (const { body, crc } of rowsOf(target, 'SELECT body, crc FROM documents') as { body: Uint8Array;
      crc: number }[]) expect(crc32(codec.decode(body))).toBe(crc);
  });

  it('finds the rows below a page of branches that is overwritten', async () => {
    const [root] = pagesOf('documents', 'internal');
    const { target, report } = await salvage(await damaged([root!]));
    expect([report.complete, report.lostDocuments]).toEqual([false, []]);
    expect(rowsOf(target, 'SELECT count(*) AS n FROM documents')).toEqual([{ n: DOCUMENTS }]);
  });

  it('keeps documents whose bodies are elsewhere, and loses one whose reference is damaged', async () => {
    const file = await damaged(pagesOf('users', 'leaf'));
    const reference = writeReference({ store: 1, length: 9, hash: Buffer.alloc(32, 1), key: Buffer.alloc(32, 2) });
    withDatabase(file, (database) => {
      const place = database.prepare("UPDATE documents SET backend = 's3:1:' || ord, body = ? WHERE ord = ?");
      place.run(reference, 1);
      place.run(reference.subarray(0, 60), 2);
    });
    const { target, report } = await salvage(file);
    expect(report.lostDocuments.map(({ key }) => key.toLowerCase())).toEqual(['k1']);
    expect(rowsOf(target, 'SELECT backend, body FROM documents WHERE ord = 1')).toEqual([{
      backend: 's3:1:1',
      body: new Uint8Array(reference),
    }]);
  });

  it('loses nothing where only indexes are damaged', async () => {
    const { target, report } = await salvage(await damaged(pagesOf('documents_by_added', 'leaf').slice(0, 3)));
    expect([report.complete, report.lostDocuments]).toEqual([true, []]);
    expect(everything(target)).toEqual(everything(good));
  });

  it('leaves out a revision that is a delta against a lost one, and what rests on it', async () => {
    const file = await damaged(pagesOf('users', 'leaf'));
    withDatabase(file, (database) => {
      const insert = database.prepare('INSERT INTO revisions(ord, ts, updated_at, meta, body) VALUES (1, ?, 1, ?, ?)');
      // Flag, length, run and base, each of one byte here; 7 does not exist.
      for (const [ts, base] of [[2, 3], [3, 7], [4, 5], [5, 1]] as const)
        insert.run(ts, '{}', Uint8Array.of(3, 1, 1, base === 1 ? 6 : base, 0));
      insert.run(6, '{}', Uint8Array.of(0, 0));
    });
    const { target, report } = await salvage(file);
    expect(rowsOf(target, 'SELECT ts FROM revisions WHERE ord = 1 ORDER BY ts')).toEqual(
      [1, 4, 5, 6].map((ts) => ({ ts })),
    );
    expect(report.notes).toEqual(['2 revisions are lost with the later ones that they were stored as deltas against']);
  });

  it('starts a change feed over that has a gap, so that indexes are built from the documents', async () => {
    const { target, report } = await salvage(await damaged(pagesOf('changes', 'leaf').slice(1, 2)));
    expect([report.complete, report.lostDocuments]).toEqual([false, []]);
    expect(rowsOf(target, 'SELECT kind, lsn > 600 AS later FROM changes')).toEqual([{
      kind: 'feed.restart',
      later: 1,
    }]);
  });

  it('makes something sound of a file with holes anywhere, or says that it cannot', { timeout: 60_000 }, async () => {
    const count = (await readFile(good)).length / size();
    let seed = 20_261_122;
    const below = (limit: number): number => (seed = (seed * 48_271) % 2_147_483_647) % limit;
    for (let round = 0; round < 8; round++) {
      const holes = Array.from({ length: 1 + round % 5 }, () => 2 + below(count - 2));
      const partial = round % 2 === 0 ? {} : { at: below(3000), length: 300 };
      await salvage(await damaged(holes, partial)).catch((error: Error) =>
        expect(error.message).toMatch(/list of its tables/)
      );
    }
  });

  it.each([['a head that is overwritten', async () => damaged([1]), /its head is not that of an SQLite database/], [
    'a list of tables that is overwritten',
    async () => damaged([1], { at: 100 }),
    /the list of its tables cannot be read/,
  ], ['a file that is empty', async () =>
    damaged([]).then(async (file) => {
      await (await open(file, 'w')).close();
      return file;
    }), /ends too early/]])('fails for %s, and leaves nothing behind', async (_, make, message) => {
      const file = await make();
      const target = join(folder, `failed-${files++}.db`);
      await expect(salvageDatabase(file, target)).rejects.toThrow(message);
      expect((await readdir(folder)).filter((name) => name.startsWith('failed'))).toEqual([]);
    });

  it('touches neither a file that is there already nor one that is in use', async () => {
    const [file, other] = [await damaged([]), await damaged([])];
    await expect(salvageDatabase(file, other)).rejects.toThrow(`${other} exists already`);
    const lock = FileLock.take(file);
    await expect(salvageDatabase(file, join(folder, 'never.db'))).rejects.toThrow('in use by another process');
    lock.release();
  });
});
