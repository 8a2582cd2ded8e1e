import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createBodies } from '../../../src/docs/bodies/index.ts';
import type { DocsEnvironment } from '../../../src/docs/index.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { createOutbound } from '../../../src/net/index.ts';
import { openDatabase } from '../../../src/storage/index.ts';
import { DocsProcess } from '../../../src/testkit/docs-process.ts';
import { S3Server } from '../../../src/testkit/s3-server.ts';

const DAY = 24 * 3_600_000;
/** The server is killed before it receives the response for this object. */
const LAST = 20;

let folder: string;
let s3: S3Server;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-kill-'));
  s3 = await S3Server.start();
});
afterEach(async () => {
  await DocsProcess.killAll();
  await s3.stop();
  await rm(folder, { recursive: true, force: true });
});

async function call(url: string, method: string, path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(url + path, {
    method,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return await response.json() as Record<string, unknown>;
}

const content = (i: number): string => `kookaburra number ${i}`;

it(
  'a server that is killed (SIGKILL) between a body and the transaction that names it loses nothing that it ' +
    'acknowledged, and the body goes after its grace',
  async () => {
    const database = join(folder, 'quire.db');
    const first = await DocsProcess.serve(database);
    await call(first.url, 'PUT', '/v1/collection-config', {
      collection: 'birds',
      storageBackend: 's3',
      storageConfig: s3.config,
    });
    let puts = 0;
    const killed = Promise.withResolvers<void>();
    s3.onPut = () => {
      if (++puts === LAST) killed.resolve(first.server.end('SIGKILL').then(() => undefined));
    };
    let acknowledged = 0;
    try {
      for (;;) {
        await call(first.url, 'POST', '/v1/add', {
          collection: 'birds',
          key: `b${acknowledged}`,
          lang: 'en',
          contentMd: content(acknowledged),
        });
        acknowledged++;
      }
    } catch {
      await killed.promise;
    }
    s3.onPut = undefined;
    expect(acknowledged).toBeLessThan(LAST);
    expect(await s3.objects().then(({ size }) => size)).toBeGreaterThan(acknowledged);

    const second = await DocsProcess.serve(database);
    const readAll = async (url: string): Promise<void> => {
      for (let i = 0; i < acknowledged; i++)
        expect((await call(url, 'POST', '/v1/get', { collection: 'birds', key: `b${i}`, lang: 'en' }))['contentMd'])
          .toBe(content(i));
    };
    await readAll(second.url);
    await second.server.end();

    const sql = await openDatabase({ path: database });
    const outbound = createOutbound({ allowPrivate: 'loopback', allowlist: [] });
    const bodies = createBodies({
      sql,
      log: silentLog,
      clock: { now: () => Date.now() + 8 * DAY },
      settings: {} as DocsEnvironment['settings'],
    }, { outbound, configOf: () => undefined });
    await bodies.load();
    await bodies.collect();
    const documents = (await sql.get<{ n: number }>('SELECT count(*) AS n FROM documents'))!.n;
    await sql.close();
    await outbound.close();
    expect((await s3.objects()).size).toBe(documents);

    const third = await DocsProcess.serve(database);
    await readAll(third.url);
    await third.server.end();
  },
  60_000,
);
