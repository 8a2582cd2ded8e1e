import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { migrate, openDatabase, openPostgres, RUN_QUEUE_MIGRATIONS } from '../../../storage/index.ts';
import { runQuire } from '../../../testkit/commands/run-command.ts';
import { PostgresServer, WITHOUT_POSTGRES } from '../../../testkit/postgres-server.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-migrate-'));
});
afterEach(() => rm(folder, { recursive: true }));

const copy = (from: string, to: string) => runQuire(['runs', 'migrate-store', '--from', from, '--to', to]);

it('says what is wrong', async () => {
  const file = `sqlite:${join(folder, 'runs.db')}`;
  const cases = [[file, file, 'both SQLite'], ['postgres://a/b', 'postgres://c:secret@d/e', 'both PostgreSQL'], [file,
    'mysql://me:secret@x/y', '--to: expected sqlite:FILE or postgres://'], [file, 'postgres://me:secret@127.0.0.1:1/x',
    'there is no file']] as const;
  for (const [from, to, problem] of cases) {
    const { exitCode, stderr } = await copy(from, to);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(problem)]);
    expect(stderr).not.toContain('secret');
  }
});

it.skipIf(WITHOUT_POSTGRES !== undefined)('copies a queue that no server has open, once',
  async ({ onTestFinished }) => {
    const server = await PostgresServer.start();
    onTestFinished(() => server.stop());
    const url = await server.createSchema();
    const file = join(folder, 'runs.db');
    const sql = await openDatabase({ path: file });
    await migrate(sql, RUN_QUEUE_MIGRATIONS);
    await sql.transaction((tx) => tx.run("INSERT INTO definitions(hash, body) VALUES ('h', 'b')"));
    expect(await copy(`sqlite:${file}`, url)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('is in use'),
    });
    await sql.close();

    const held = await openPostgres({ url, pool: 1 });
    expect(await copy(`sqlite:${file}`, url)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('a server is running over postgres://postgres@127.0.0.1'),
    });
    await held.close();

    expect(await copy(`sqlite:${file}`, url)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('definitions: 1 rows, SHA-256 '),
    });
    expect(await copy(`sqlite:${file}`, url)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('has rows already, in definitions'),
    });
  });
