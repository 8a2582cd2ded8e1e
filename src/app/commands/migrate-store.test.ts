import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DOCUMENT_MIGRATIONS, migrate, openDatabase, openPostgres, type Sql } from '../../storage/index.ts';
import { runQuire } from '../../testkit/commands/run-command.ts';
import { PostgresServer, WITHOUT_POSTGRES } from '../../testkit/postgres-server.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-migrate-'));
});
afterEach(() => rm(folder, { recursive: true }));

const copy = (from: string, to: string) => runQuire(['migrate-store', '--from', from, '--to', to]);
const checksums = (stdout: string) => stdout.split('\n').filter((line) => line !== '').sort();

/** Rows that refer to each other across tables, also against the alphabetical order of the tables. */
async function fill(sql: Sql): Promise<void> {
  await migrate(sql, DOCUMENT_MIGRATIONS);
  await sql.transaction(async (tx) => {
    await tx.run("INSERT INTO collections(id, name, docs) VALUES (7, 'blog', 2)");
    for (const ord of [3, 9]) {
      await tx.run(
        'INSERT INTO documents(ord, cid, id, key, lang, crc, bytes, added_at, updated_at, meta, body) VALUES (?, ' +
          "7, ?, 'k', 'en', 1, 2, 3, 4, '{}', ?)",
        [ord, `blog|${ord}|en`, new Uint8Array([0, ord, 255])],
      );
    }
    await tx.run(
      "INSERT INTO bulk_jobs(seq, id, collection, status, total, submitted_at) VALUES (1, 'job', 'blog', " +
        "'pending', 1, 0)",
    );
    await tx.run('INSERT INTO bulk_documents(job, first, count, documents) VALUES (1, 0, 1, ?)', [new Uint8Array([1])]);
    await tx.run("INSERT INTO changes(lsn, kind, collection, ord, at) VALUES (1, 'doc.put', 'blog', 3, 5)");
  });
}

it.skipIf(WITHOUT_POSTGRES !== undefined)('copies the documents to PostgreSQL and back, and numbers go on behind them',
  async ({ onTestFinished }) => {
    const server = await PostgresServer.start();
    onTestFinished(() => server.stop());
    const url = await server.createSchema();
    const [file, again] = [join(folder, 'quire.db'), join(folder, 'again.db')];
    const sql = await openDatabase({ path: file });
    await fill(sql);
    await sql.close();

    const there = await copy(`sqlite:${file}`, url);
    expect(there).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('documents: 2 rows, SHA-256 ') });
    const copied = await openPostgres({ url, pool: 3, turns: true });
    expect(
      await copied.transaction((tx) =>
        tx.get(
          'INSERT INTO documents(cid, id, key, lang, crc, bytes, added_at, updated_at, meta) VALUES (7, ' +
            "'blog|n|en', 'n', 'en', 1, 2, 3, 4, '{}') RETURNING ord",
        )
      ),
    ).toEqual({ ord: 10 });
    await copied.transaction((tx) => tx.run('DELETE FROM documents WHERE ord = 10'));
    await copied.close();

    const back = await copy(url, `sqlite:${again}`);
    expect(back.exitCode).toBe(0);
    expect(checksums(back.stdout)).toEqual(checksums(there.stdout));
  });

it('refuses a store with what nodes over PostgreSQL cannot serve', async () => {
  const file = join(folder, 'quire.db');
  const sql = await openDatabase({ path: file });
  await migrate(sql, DOCUMENT_MIGRATIONS);
  await sql.transaction((tx) =>
    tx.run(`INSERT INTO collection_configs(collection, config, updated_at) VALUES ('notes', '{"encrypted":true}', 0)`)
  );
  await sql.close();
  expect(await copy(`sqlite:${file}`, 'postgres://me:secret@127.0.0.1:1/x')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/cannot be opened|notes is encrypted/),
  });
});
