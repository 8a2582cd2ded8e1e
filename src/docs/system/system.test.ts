import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { operations } from '../../../generated/docs/operations.ts';
import { createSpecificationReader, type SpecificationReader } from '../../api/http/specification.ts';
import { silentLog } from '../../lib/log.ts';
import { type Context, type Download, EVERYONE } from '../../operations/index.ts';
import { BodyCodec, ChangeFeed, DOCUMENT_MIGRATIONS, type Sql } from '../../storage/index.ts';
import { openMigrated } from '../../testkit/migrated-database.ts';
import { type ColumnsView, createColumns } from '../columns/index.ts';
import type { DocsEnvironment, DocsSettings } from '../environment.ts';
import { LOW_DISK_BYTES, withWarnings } from './health.ts';
import { createSystem, type System } from './index.ts';
import { formatUptime } from './stats.ts';

const listener = (addr: string, enabled: boolean) => ({ enabled, addr });
const description: DocsSettings['description'] = {
  protocols: {
    http: listener(':11023', true),
    grpc: listener(':11024', false),
    mcp: listener(':9000', false),
    graphql: { enabled: false },
    http3: listener(':11443', false),
  },
  authEnabled: false,
  metricsEnabled: true,
  metricsPublic: true,
  compliance: { production: false, missing: [] },
};
const settings: DocsSettings = {
  buildVersion: '0.1.0',
  mode: 'wr',
  backupDir: '/nowhere',
  ttlSweepMs: 30_000,
  codeMaxSymbols: 512,
  maxSearches: 0,
  searchStats: true,
  description,
};

let specification: SpecificationReader;
let dir: string;
let now: number;
let sql: Sql;
let feed: ChangeFeed;
let environment: DocsEnvironment;
let system: System;
let columns: ColumnsView;

beforeAll(async () => {
  specification = await createSpecificationReader(await readFile('generated/docs/openapi.json', 'utf8'));
});

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'system-'));
  await start(':memory:');
});

afterEach(async () => {
  await columns.stop();
  await sql.close();
  await rm(dir, { recursive: true });
});

/** Uses no memory. */
const none = { bytesOf: (): undefined => undefined };

/** The states that the views report. */
let views = [{ name: 'full-text', ready: true }, { name: 'vector', ready: true }];

async function start(path: string, changed: Partial<DocsSettings> = {}): Promise<void> {
  await sql?.close();
  now = 1_766_400_000_000;
  const clock = { now: () => now };
  sql = await openMigrated({ path }, DOCUMENT_MIGRATIONS);
  feed = new ChangeFeed(sql, clock);
  environment = { sql, feed, codec: new BodyCodec(), clock, log: silentLog, settings: { ...settings, ...changed } };
  columns = createColumns(environment, { collections: { configOf: () => undefined } });
  system = createSystem(environment, {
    columns,
    indexes: {
      fullText: { bytesOf: (collection) => (collection === 'zoo' ? 7 : undefined) },
      vectors: none,
      columns: { bytesOf: (collection) => (collection === 'zoo' ? columns.bytesOf(collection) ?? 0 : undefined) },
      geo: none,
      spelling: none,
    },
    documents: { checksum: async (collection) => Buffer.from(collection).toString('hex').padEnd(8, '0').slice(0, 8) },
    readiness: {
      get states() {
        return views;
      },
      get isReady() {
        return views.every(({ ready }) => ready);
      },
    },
  });
}

type Name = keyof System['handlers'];

/** Calls a handler and validates its result against the specification. */
async function call(name: Name): Promise<Record<string, unknown>> {
  const answer =
    (await system.handlers[name]({},
      { identity: EVERYONE, signal: new AbortController().signal } as Context)) as Record<string, unknown>;
  if (name !== 'getMetrics') expect(specification.violations(name, 200, answer)).toBeUndefined();
  return answer;
}

const metrics = async () => (await call('getMetrics') as unknown as Download).content as string;

async function fill(): Promise<void> {
  await sql.transaction(async (tx) => {
    await tx.run(
      "INSERT INTO collections(id, name, docs) VALUES (1, 'zoo', 2), (2, 'blog', 2), (3, '_memory', 1), (4, " +
        "'empty', 0), (5, 'xmemory', 1)",
    );
    const insert =
      'INSERT INTO documents(ord, cid, id, key, lang, crc, bytes, added_at, updated_at, expires_at, meta, body) ' +
      "VALUES (?, ?, ?, 'k', 'en', 0, 0, 0, 0, ?, ?, x'00')";
    await tx.runMany(insert, [[1, 1, 'zoo|a|en', null, '{"k":["a","b"]}'], [2, 1, 'zoo|b|en', now / 1000 + 10, '{}'], [
      3,
      2,
      'blog|a|en',
      null,
      '{"k":["a"]}',
    ], [4, 2, 'blog|b|en', now / 1000, '{}'], [5, 3, '_memory|a|en', null, '{"k":["a"]}'], [6, 5, 'xmemory|a|en', null,
      '{}']]);
    await tx.runMany('INSERT INTO revisions(ord, ts, updated_at) VALUES (?, ?, 0)', [[1, 1], [1, 2], [3, 1], [5, 1]]);
    await feed.append(tx, [{ kind: 'doc.put', collection: 'zoo' }, { kind: 'doc.put', collection: 'blog' }]);
  });
  await columns.start();
  await columns.settled();
}

describe.each(['getHealth', 'getHealthV1'] as const)('%s (decision D-60)', (name) => {
  it('reports that a database in memory is healthy and not durable', async () => {
    expect(await call(name)).toMatchObject({
      status: 'healthy',
      mode: 'wr',
      durable: false,
      persistence: {
        path: ':memory:',
        filesystem: 'memory',
        ephemeral: true,
        writable: true,
        freeBytes: null,
        warnings: [{ code: 'EPHEMERAL_FS' }],
      },
    });
  });

  it('describes where a file lives', async () => {
    const path = join(dir, 'quire.db');
    await start(path);
    const { persistence, durable, mcpSessions } = (await call(name)) as { persistence: Record<string, unknown>;
      durable: boolean; mcpSessions: unknown };
    expect(persistence).toMatchObject({ path, writable: true, freeBytes: expect.any(Number) as number });
    expect(durable).toBe(sql.info.durable && persistence['ephemeral'] === false);
    expect(mcpSessions).toBeUndefined();
  });

  it('returns 503 with the state when the database does not answer', async () => {
    await sql.close();
    const error = await system.handlers[name]({}, { identity: EVERYONE } as Context).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'unavailable',
      status: 503,
      message: 'the database is unreachable',
      body: { status: 'unhealthy', mode: 'wr' },
    });
  });
});

describe.each(['getReadiness', 'getReadinessV1'] as const)('%s (decision D-130)', (name) => {
  afterEach(() => {
    views = views.map(({ name: view }) => ({ name: view, ready: true }));
  });

  it('is ready when every view serves', async () => {
    expect(await call(name)).toEqual({ status: 'ready', views });
  });

  it('returns 503 with the views that do not serve, and says when to ask again', async () => {
    views = [{ name: 'full-text', ready: true }, { name: 'vector', ready: false }];
    await expect(system.handlers[name]({}, { identity: EVERYONE } as Context)).rejects.toMatchObject({
      code: 'index_loading',
      status: 503,
      message: 'the vector indexes are not ready',
      headers: { 'Retry-After': '1' },
      body: { status: 'loading', views },
    });
  });

  it('returns 503 when the database does not answer', async () => {
    await sql.close();
    await expect(system.handlers[name]({}, { identity: EVERYONE } as Context)).rejects.toMatchObject({
      code: 'unavailable',
      status: 503,
      body: { status: 'unhealthy', views },
    });
  });
});

describe('warnings of persistence (decision D-60)', () => {
  const good = { path: '/d/q.db', filesystem: 'ext4', ephemeral: false, writable: true, freeBytes: LOW_DISK_BYTES };
  it.each([[good, []], [{ ...good, freeBytes: LOW_DISK_BYTES - 1 }, ['LOW_DISK']], [{ ...good, writable: false }, [
    'READ_ONLY_DIR',
  ]], [{ ...good, filesystem: 'tmpfs', ephemeral: true, freeBytes: 0 }, ['EPHEMERAL_FS', 'LOW_DISK']]])('%#',
    (state, codes) => {
      expect(withWarnings(state).warnings.map(({ code }) => code)).toEqual(codes);
    });
});

describe('getStats (decision D-62)', () => {
  it('counts by collection and in all, without expired documents, empty and system collections', async () => {
    await fill();
    now += 2_000;
    expect(await call('getStats')).toMatchObject({
      databasePath: ':memory:',
      mode: 'wr',
      totalDocuments: 4,
      totalRevisions: 3,
      totalMetaIndices: 3,
      uptime: '2s',
      collections: [{ name: 'blog', documentCount: 1, revisionCount: 1, metaIndexCount: 1, checksum: '626c6f67' }, {
        name: 'xmemory',
        documentCount: 1,
        revisionCount: 0,
        metaIndexCount: 0,
      }, {
        name: 'zoo',
        documentCount: 2,
        revisionCount: 2,
        metaIndexCount: 2,
        checksum: '7a6f6f00',
        indexBytes: { fullText: 7, columns: expect.any(Number) as number },
      }],
    });
  });

  it('tells the parts of the memory of the process, which metrics tell as well', async () => {
    const { memory: { resident, ...parts } } = await call('getStats') as { memory: Record<string, number> };
    const sum = Object.values(parts).reduce((all, bytes) => all + bytes, 0);
    expect(Object.keys(parts)).toEqual(['heap', 'buffers', 'mapped', 'other']);
    expect(sum).toBeGreaterThanOrEqual(resident!);
    if (parts['other']! > 0) expect(sum).toBe(resident);
    if (process.platform === 'linux') expect(parts['mapped']).toBeGreaterThan(0);
    expect(await metrics()).toMatch(/^svc_memory_bytes{part="mapped"} \d+$/m);
  });

  it('is empty at first', async () => {
    expect(await call('getStats')).toMatchObject({
      collections: [],
      totalDocuments: 0,
      databaseSize: await sql.sizeBytes(),
    });
  });

  it.each([[0, '0s'], [59.9, '59s'], [60, '1m0s'], [8130, '2h15m30s'], [7200, '2h0m0s'], [360_000, '100h0m0s']])(
    'writes %d seconds as %s',
    (seconds, text) => {
      expect(formatUptime(seconds)).toBe(text);
    },
  );
});

describe('getSystemInfo (decision D-61)', () => {
  it('describes the process', async () => {
    now += 90_000;
    expect(await call('getSystemInfo')).toMatchObject({
      goVersion: `node${process.versions.node}`,
      runtime: 'node',
      runtimeVersion: process.versions.node,
      version: '2.15.0',
      buildVersion: '0.1.0',
      uptimeSeconds: 90,
      os: process.platform,
    });
  });

  it('measures the processor between two calls', async () => {
    await call('getSystemInfo');
    for (const end = performance.now() + 50; performance.now() < end;);
    expect((await call('getSystemInfo'))['cpuUsagePercent']).toBeGreaterThan(10);
  });
});

describe('getConfig (decision D-63)', () => {
  it('reports the settings', async () => {
    expect(await call('getConfig')).toMatchObject({
      version: '2.15.0',
      buildVersion: '0.1.0',
      databasePath: ':memory:',
      mode: 'wr',
      authEnabled: false,
      metricsEnabled: true,
      protocols: { http: { enabled: true, addr: ':11023' }, grpc: { enabled: false, addr: ':11024' } },
      vectorConfig: { enabled: false, provider: 'none' },
    });
  });

  it('has the version of the specification (contract section 9)', async () => {
    const { info } = JSON.parse(await readFile('generated/docs/openapi.json', 'utf8')) as { info: { version: string } };
    expect((await call('getConfig'))['version']).toBe(info.version);
  });
});

describe('listEndpoints', () => {
  it('lists every operation of the specification', async () => {
    const { http, grpc, mcp } = (await call('listEndpoints')) as {
      http: { method: string; path: string; requiresAuth: boolean }[];
      grpc: unknown[];
      mcp: unknown[];
    };
    expect(http).toHaveLength(Object.keys(operations).length);
    expect(http).toContainEqual({
      method: 'POST',
      path: '/v1/add',
      description: 'Create or update one document',
      requiresAuth: true,
    });
    expect(http.find(({ path }) => path === '/health')).toMatchObject({ requiresAuth: false });
    expect([grpc, mcp]).toEqual([[], []]);
  });
});

describe('getMetrics (decision D-64)', () => {
  it('is text in the Prometheus format', async () => {
    const { contentType, content, fileName } = (await call('getMetrics')) as unknown as Download;
    expect(contentType).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(fileName).toBeUndefined();
    for (const name of ['svc_info{version="2.15.0",mode="wr"} 1', 'process_cpu_seconds_total',
      'nodejs_eventloop_lag_seconds', 'svc_database_size_bytes '])
    {
      expect(content).toContain(name);
    }
  });

  it('counts what the database holds, at most every 15 seconds', async () => {
    await fill();
    expect(
      (await metrics()).split('\n').filter((line) =>
        /^svc_(documents|revisions|meta|index|binlog|schemas|uptime)/.test(line)
      ),
    ).toEqual(['svc_uptime_seconds 0', 'svc_schemas_total 0', 'svc_binlog_entries_total 2',
      expect.stringMatching(/^svc_binlog_size_bytes [1-9]/), 'svc_binlog_oldest_lsn 1',
      'svc_documents_total{collection="blog"} 1', 'svc_documents_total{collection="xmemory"} 1',
      'svc_documents_total{collection="zoo"} 2', 'svc_revisions_total{collection="blog"} 1',
      'svc_revisions_total{collection="xmemory"} 0', 'svc_revisions_total{collection="zoo"} 2',
      'svc_meta_indices_total{collection="blog"} 1', 'svc_meta_indices_total{collection="xmemory"} 0',
      'svc_meta_indices_total{collection="zoo"} 2', 'svc_index_bytes{view="full-text",collection="zoo"} 7',
      expect.stringMatching(/^svc_index_bytes{view="columns",collection="zoo"} [1-9]/)]);
  });

  it('leaves out what an index knows while it is loading', async () => {
    await fill();
    await columns.stop();
    const text = await metrics();
    expect(text).toContain('svc_documents_total{collection="zoo"} 2');
    expect(text).not.toContain('svc_meta_indices_total{');
    await expect(call('getStats')).rejects.toMatchObject({ code: 'index_loading' });
  });

  it('counts again after 15 seconds', async () => {
    await fill();
    await metrics();
    await sql.transaction((tx) => tx.run("UPDATE collections SET docs = 0 WHERE name = 'zoo'"));
    expect(await metrics()).toContain('svc_documents_total{collection="zoo"} 2');
    now += 15_000;
    expect(await metrics()).not.toContain('collection="zoo"');
  });

  it('counts gRPC calls by method and status', async () => {
    system.observeGrpc({ method: 'quire.docs.v1.DocumentDB/Add', code: 'OK' });
    system.observeGrpc({ method: 'quire.docs.v1.DocumentDB/Add', code: 'OK' });
    system.observeGrpc({ method: 'quire.docs.v1.DocumentDB/Add', code: 'NOT_FOUND' });
    const text = await metrics();
    expect(text).toContain('svc_grpc_requests_total{method="quire.docs.v1.DocumentDB/Add",code="OK"} 2');
    expect(text).toContain('svc_grpc_requests_total{method="quire.docs.v1.DocumentDB/Add",code="NOT_FOUND"} 1');
  });

  it('counts requests by method, path template and status', async () => {
    system.observeHttp({ method: 'GET', path: operations.getHealth.path, status: 200, milliseconds: 7 });
    system.observeHttp({ method: 'GET', path: operations.getHealth.path, status: 200, milliseconds: 700 });
    system.observeHttp({ method: 'GET', status: 404, milliseconds: 1 });
    system.observeHttp({ method: 'BREW', status: 405, milliseconds: 1 });
    const text = await metrics();
    expect(text).toContain('svc_http_requests_total{method="GET",path="/health",status="200"} 2');
    expect(text).toContain('svc_http_requests_total{method="GET",path="/other",status="404"} 1');
    expect(text).toContain('svc_http_requests_total{method="OTHER",path="/other",status="405"} 1');
    expect(text).toContain('svc_http_request_duration_seconds_bucket{le="0.005",method="GET",path="/health"} 0');
    expect(text).toContain('svc_http_request_duration_seconds_bucket{le="0.01",method="GET",path="/health"} 1');
    expect(text).toContain('svc_http_request_duration_seconds_count{method="GET",path="/health"} 2');
  });

  it('leaves the numbers of a database out that does not answer', async () => {
    await sql.close();
    const text = await metrics();
    expect(text).toContain('svc_uptime_seconds 0');
    expect(text).not.toMatch(/^svc_database_size_bytes \d/m);
  });

  it('is absent where it is switched off', async () => {
    await start(':memory:', { description: { ...description, metricsEnabled: false } });
    await expect(call('getMetrics')).rejects.toMatchObject({ code: 'not_found', message: 'not found' });
  });
});
