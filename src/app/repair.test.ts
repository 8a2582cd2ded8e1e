import { spawnSync } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../lib/log.ts';
import { MAIN } from '../testkit/docs-process.ts';
import { startDocumentService } from './docs-service.ts';
import { loadSettings } from './settings/index.ts';

describe('quire docs --repair-db FILE --repair-to NEW', () => {
  let folder: string;
  let file: string;
  const path = (name: string): string => join(folder, name);
  const post = async (url: string, route: string, body: object): Promise<unknown> =>
    (await fetch(`${url}${route}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })).json();
  const serve = (database: string) =>
    startDocumentService({
      settings: loadSettings({
        env: {
          SVC_PATH: database,
          SVC_HTTP_ADDR: '127.0.0.1:0',
          SVC_GRPC_ADDR: '127.0.0.1:0',
          SVC_MCP_ADDR: '127.0.0.1:0',
        },
      }).settings,
      log: silentLog,
      validateResponses: true,
    });
  const quire = (...flags: string[]) => spawnSync(process.execPath, [MAIN, 'docs', ...flags], { encoding: 'utf8' });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quire-repair-'));
    file = path('q.db');
    const service = await serve(file);
    const documents = Array.from({ length: 300 }, (_, i) => ({
      key: `k${i}`,
      lang: 'en',
      contentMd: `A quokka, number ${i}. ${`word${i} `.repeat(60)}`,
      meta: { n: [`${i}`] },
    }));
    await post(service.url, '/v1/add-batch', { collection: 'zoo', documents });
    await service.stop();
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function damage(table: string): Promise<void> {
    const database = new DatabaseSync(file);
    const { page_size: size } = database.prepare('PRAGMA page_size').get() as { page_size: number };
    const leaves = database.prepare("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno")
      .all(table) as { pageno: number }[];
    database.close();
    const handle = await open(file, 'r+');
    await handle.write(Buffer.alloc(size, 0x5a), 0, size, (leaves[Math.floor(leaves.length / 2)]!.pageno - 1) * size);
    await handle.close();
  }

  it(
    'exits with 2 without --repair-to, 1 when it cannot, 0 when nothing is lost, and 3 with what is lost when ' +
      'something is',
    { timeout: 60_000 },
    async () => {
      expect(quire('--repair-db', file)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('--repair-to') as string,
      });
      expect(quire('--repair-db', path('nowhere.db'), '--repair-to', path('a.db'))).toMatchObject({
        status: 1,
        stderr: `${path('nowhere.db')} could not be repaired: the file does not exist\n`,
      });
      expect(quire('--repair-db', file, '--repair-to', file)).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('exists already') as string,
      });
      expect(quire('--repair-db', file, '--repair-to', path('whole.db'))).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('documents: 300 rows\n') as string,
      });
      await damage('documents');
      const { status, stdout } = quire('--repair-db', file, '--repair-to', path('partial.db'));
      expect([status, stdout]).toEqual([3,
        expect.stringMatching(/^documents: \d+ rows, passed over 1 damaged pages$/m)]);
      expect(stdout).toMatch(/^lost: k\d+ \(en\) of collection zoo$/m);
      expect(quire('--verify-db', path('partial.db')).status).toBe(0);
    },
  );

  it('makes a database that is served, with everything that could be read', async () => {
    const service = await serve(path('partial.db'));
    const lost = 300 -
      ((await post(service.url, '/v1/fts', { collection: 'zoo', query: 'quokka' })) as { totalMatches: number })
        .totalMatches;
    expect(lost).toBeGreaterThan(0);
    expect(lost).toBeLessThan(100);
    expect(await post(service.url, '/v1/search', { collection: 'zoo', filterMeta: { n: ['1', '299'] } })).toMatchObject(
      [{ key: 'k1' }, { key: 'k299' }],
    );
    await post(service.url, '/v1/add', { collection: 'zoo', key: 'new', lang: 'en', contentMd: 'quokka' });
    expect(await post(service.url, '/v1/fts', { collection: 'zoo', query: 'quokka' })).toMatchObject({
      totalMatches: 301 - lost,
    });
    await service.stop();
  });
});
