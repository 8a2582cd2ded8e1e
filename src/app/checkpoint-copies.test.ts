import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../lib/log.ts';
import { DocsProcess } from '../testkit/docs-process.ts';
import { PostgresServer, WITHOUT_POSTGRES } from '../testkit/postgres-server.ts';
import { BUCKET, CREDENTIAL, S3Server } from '../testkit/s3-server.ts';
import { type RunningDocumentService, startDocumentService } from './docs-service.ts';
import { type Environment, loadSettings } from './settings/index.ts';

type Addressed = Pick<RunningDocumentService, 'url'>;

let service: S3Server;
let folder: string;
const running = new Set<RunningDocumentService>();
beforeAll(async () => {
  service = await S3Server.start();
});
afterAll(() => service.stop());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-copies-'));
});
afterEach(async () => {
  service.fail();
  await DocsProcess.killAll();
  for (const each of running) await each.stop();
  running.clear();
  await rm(folder, { recursive: true, force: true });
});

/** The settings of the bucket. */
const environment = (): Record<string, string> => ({
  SVC_SEARCH_REST_AFTER: '0s',
  SVC_CHECKPOINTS: `s3://${BUCKET}/quire`,
  SVC_CHECKPOINTS_S3_ENDPOINT: `http://${service.endpoint}`,
  SVC_CHECKPOINTS_S3_ACCESS_KEY: CREDENTIAL,
  SVC_CHECKPOINTS_S3_SECRET_KEY: CREDENTIAL,
});

/** A server with its own disk, whose collections do not rest. */
async function start(disk: string, env: Environment = {}): Promise<RunningDocumentService> {
  const { settings } = loadSettings({
    env: {
      SVC_PATH: join(folder, disk, 'quire.db'),
      SVC_HTTP_ADDR: '127.0.0.1:0',
      SVC_GRPC_ENABLED: 'false',
      SVC_MCP_ENABLED: 'false',
      ...environment(),
      ...env,
    },
  });
  const server = await startDocumentService({ settings, log: silentLog });
  running.add(server);
  return server;
}

/** Copies a database, without what is beside it. */
async function copyDatabase(from: string, to: string): Promise<void> {
  for (const name of await readdir(join(folder, from)))
    if (/\.db(-wal|-shm)?$/.test(name)) await cp(join(folder, from, name), join(folder, to, name), { recursive: true });
}

async function stop(server: RunningDocumentService): Promise<void> {
  running.delete(server);
  await server.stop();
}

async function call<T>({ url }: Addressed, path: string, body: object): Promise<T> {
  const response = await fetch(`${url}/v1/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return await response.json() as T;
}

const fill = (server: Addressed, count: number) =>
  call(server, 'add-batch', {
    collection: 'c',
    documents: Array.from({ length: count }, (_, i) => ({ key: `k${i}`, lang: 'en', contentMd: `word${i} shared` })),
  });

const total = async (server: Addressed): Promise<number> =>
  (await call<{ total: number }>(server, 'fts', { collection: 'c', query: 'shared' })).total;

/** The value of a metric, by its name with labels; 0 where it is not shown. */
async function metric({ url }: Addressed, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(text.split('\n').find((line) => line.startsWith(`${name} `))?.split(' ')[1] ?? 0);
}

const DOWN = 'svc_checkpoint_bytes_total{direction="down"}';

describe('a server over SQLite', () => {
  it('starts from the bucket with nothing but its database', async () => {
    const first = await start('a');
    await fill(first, 20);
    expect(await total(first)).toBe(20);
    await stop(first);
    await copyDatabase('a', 'b');
    const second = await start('b');
    expect([await total(second), await metric(second, DOWN)]).toEqual([20, expect.any(Number)]);
    expect(await metric(second, DOWN)).toBeGreaterThan(0);
    expect(await readdir(join(folder, 'b', 'quire.db.fts'))).toEqual(['c.idx']);
  });

  it('that is killed during an upload leaves nothing that a start cannot live with', async () => {
    const database = join(folder, 'a', 'quire.db');
    await mkdir(join(folder, 'a'));
    const { server, url } = await DocsProcess.serve(database, [], environment());
    await fill({ url }, 20);
    expect(await total({ url })).toBe(20);
    const killed = Promise.withResolvers<void>();
    service.onPut = () => {
      service.onPut = undefined;
      process.kill(server.pid, 'SIGKILL');
      killed.resolve();
    };
    await Promise.all([server.end('SIGTERM'), killed.promise]);
    await copyDatabase('a', 'b');
    const second = await start('b');
    expect(await total(second)).toBe(20);
    await stop(second);
    await copyDatabase('b', 'c');
    const third = await start('c');
    expect(await total(third)).toBe(20);
    expect(await metric(third, DOWN)).toBeGreaterThan(0);
  });

  it.each(['gone', 'error', 'denied', 'cut', 'damaged'] as const)('serves while the bucket is not right (%s)',
    async (fault) => {
      service.fail(fault);
      const server = await start('a');
      await fill(server, 5);
      expect(await total(server)).toBe(5);
      await stop(server);
      const again = await start('a');
      expect(await total(again)).toBe(5);
      expect(await metric(again, DOWN)).toBe(0);
    });
});

describe.skipIf(WITHOUT_POSTGRES !== undefined)('a node over PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.stop());

  it('with an empty disk starts from the bucket and the feed, and takes over what another one wrote', async () => {
    const env = { SVC_STORAGE_DRIVER: 'postgres', SVC_POSTGRES_URL: await server.createSchema() };
    const first = await start('a', env);
    await fill(first, 20);
    expect(await total(first)).toBe(20);
    await stop(first);
    const before = await service.objects();
    const second = await start('b', env);
    const third = await start('c', env);
    for (const node of [second, third]) {
      expect(await total(node)).toBe(20);
      expect(await metric(node, DOWN)).toBeGreaterThan(0);
    }
    await call(second, 'add', { collection: 'c', key: 'more', lang: 'en', contentMd: 'shared' });
    expect(await total(second)).toBe(21);
    await stop(second);
    await stop(third);
    const manifests = (paths: Iterable<string>): string[] =>
      [...paths].filter((path) => /\/(?!sqlite)\w+\/manifests\/fts\//.test(path));
    const [earlier, later] = [before, await service.objects()].map((objects) => manifests(objects.keys()));
    expect([earlier!.length, later!.length]).toEqual([1, 1]);
    expect(later![0]! > earlier![0]!).toBe(true);
    const fourth = await start('d', env);
    expect(await total(fourth)).toBe(21);
    expect(await metric(fourth, DOWN)).toBeGreaterThan(0);
  });
});
