import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ListNodesResponse } from '../../../generated/docs/sdk/types.gen.ts';
import { type DocsServer, startDocsServer } from '../../../src/testkit/docs-server.ts';
import { PostgresServer, WITHOUT_POSTGRES } from '../../../src/testkit/postgres-server.ts';

const TIME = { timeout: 120_000 };

interface Answer {
  readonly status: number;
  readonly lsn: number;
  readonly body: Record<string, unknown>;
}

describe.skipIf(WITHOUT_POSTGRES !== undefined)('several nodes over one PostgreSQL', TIME, () => {
  let postgres: PostgresServer;
  let nodes: DocsServer[];

  const startNode = (url: string): Promise<DocsServer> =>
    startDocsServer({
      env: {
        SVC_STORAGE_DRIVER: 'postgres',
        SVC_POSTGRES_URL: url,
        SVC_POSTGRES_POOL: '4',
        SVC_GRPC_ENABLED: 'false',
        SVC_MCP_ENABLED: 'false',
      },
    });
  let url: string;
  beforeAll(async () => {
    postgres = await PostgresServer.start();
    url = await postgres.createSchema();
    nodes = [await startNode(url), await startNode(url)];
  }, TIME.timeout);
  afterAll(async () => {
    for (const node of nodes) await node.stop();
    await postgres.stop();
  }, TIME.timeout);

  async function send(node: DocsServer, method: string, path: string, body?: object,
    headers: Record<string, string> = {}): Promise<Answer>
  {
    const response = await fetch(`${node.url}${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    return {
      status: response.status,
      lsn: Number(response.headers.get('x-quire-lsn')),
      body: await response.json() as Record<string, unknown>,
    };
  }
  const add = (node: DocsServer, collection: string, key: string, contentMd = `# ${key}`) =>
    send(node, 'POST', '/v1/add', { collection, key, lang: 'en', contentMd });
  const get = (node: DocsServer, collection: string, key: string) =>
    send(node, 'POST', '/v1/get', { collection, key, lang: 'en' });

  it('know of each other, and what each of them holds, drains, and has left', async () => {
    const third = await startNode(url);
    const list = async (node: DocsServer) =>
      (await send(node, 'GET', '/v1/nodes?collection=placed')).body as unknown as ListNodesResponse;
    await add(nodes[0]!, 'placed', 'one');
    const [name, ...others] = (await Promise.all([third, ...nodes].map(list))).map(({ self }) => self);
    const held = (names: readonly string[]) =>
      vi.waitFor(async () => {
        for (const node of nodes) {
          const { partitions: [placed], ...answer } = await list(node);
          expect(placed!.ready.toSorted()).toEqual(placed!.wanted.toSorted());
          expect(placed!.ready).toHaveLength(2);
          expect(names).toEqual(expect.arrayContaining(placed!.ready));
          expect(answer).toMatchObject({ replicas: 2, shortTotal: 0 });
        }
      }, { timeout: 30_000, interval: 200 });
    await held([name!, ...others]);
    expect((await send(nodes[1]!, 'POST', `/v1/nodes/${name}/drain`)).body).toEqual({ name, draining: true });
    expect((await send(nodes[1]!, 'POST', '/v1/nodes/unknown/drain')).status).toBe(404);
    await held(others);
    expect((await list(third)).nodes.find((node) => node.name === name)).toMatchObject({ state: 'draining' });
    const metrics = await (await fetch(`${nodes[0]!.url}/metrics`)).text();
    expect(metrics).toContain('svc_cluster_nodes{state="draining"} 1');
    expect(metrics).toContain('svc_cluster_partitions_short 0');
    await third.stop();
    await vi.waitFor(async () =>
      expect((await list(nodes[0]!)).nodes.find((node) => node.name === name)).toMatchObject({ state: 'gone' })
    );
  });

  it('read by name what any of them has acknowledged, and find it by its LSN', async () => {
    for (const [writer, reader] of [[nodes[0]!, nodes[1]!], [nodes[1]!, nodes[0]!]] as const) {
      for (let i = 0; i < 5; i++) {
        const key = `word${nodes.indexOf(writer)}x${i}`;
        const written = await add(writer, 'anywhere', key);
        expect(written.status).toBe(200);
        expect(await get(reader, 'anywhere', key)).toMatchObject({ status: 200, body: { contentMd: `# ${key}` } });
        expect(await send(reader, 'POST', '/v1/fts', { collection: 'anywhere', query: key }, {
          'X-Quire-Min-LSN': String(written.lsn),
        })).toMatchObject({ status: 200, body: { total: 1 } });
      }
    }
  });

  it('apply from the next request on a configuration that was set on another one', async () => {
    const schema = { properties: { kind: { type: 'string', enum: ['a'] } }, required: ['kind'] };
    for (const [at, node] of nodes.entries()) {
      const other = nodes[1 - at]!;
      const collection = `strict${at}`;
      expect((await add(other, collection, 'before')).status).toBe(200);
      expect((await send(node, 'POST', '/v1/schema/set', { collection, schema })).status).toBe(200);
      expect((await add(other, collection, 'after')).status).toBe(400);
    }
  });

  it('write the same documents at once, and lose no version and no number of the feed', async () => {
    const writes = await Promise.all(
      Array.from({ length: 60 }, (_, i) => add(nodes[i % 2]!, 'shared', `k${i % 6}`, `version ${i}`)),
    );
    expect(writes.map(({ status }) => status)).toEqual(Array(60).fill(200));
    const [{ sql }] = nodes as [DocsServer, DocsServer];
    expect(
      await sql.get(
        'SELECT count(*) AS documents, count(DISTINCT d.id) AS ids FROM documents d JOIN collections c ON c.id = ' +
          "d.cid WHERE c.name = 'shared'",
      ),
    ).toEqual({ documents: 6, ids: 6 });
    expect(
      await sql.get(
        'SELECT count(*) AS n FROM revisions r JOIN documents d ON d.ord = r.ord JOIN collections c ON c.id = ' +
          "d.cid WHERE c.name = 'shared'",
      ),
    ).toEqual({ n: 60 });
    expect(await sql.get('SELECT max(lsn) - min(lsn) + 1 - count(*) AS gaps FROM changes')).toEqual({ gaps: 0 });
    for (const node of nodes)
      expect((await send(node, 'POST', '/v1/fts', { collection: 'shared', query: 'version' }, {
        'X-Quire-Min-LSN': String(Math.max(...writes.map(({ lsn }) => lsn))),
      })).body).toMatchObject({ total: 6 });
  });

  it('refuse what one of them could not keep for the others', async () => {
    const [node] = nodes as [DocsServer];
    expect(await send(node, 'PUT', '/v1/collection-config', { collection: 'volatile', storageBackend: 'memory' }))
      .toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('storageBackend memory: several nodes share this database') },
      });
    expect(await send(node, 'POST', '/v1/backup')).toMatchObject({
      status: 501,
      body: { error: expect.stringContaining('pg_dump') },
    });
    expect(await send(node, 'GET', '/health')).toMatchObject({
      status: 200,
      body: { status: 'healthy', persistence: { filesystem: 'postgres' } },
    });
  });

  it('do in the background, on one of them, what was requested on another', async () => {
    const { status, body } = await send(nodes[1]!, 'POST', '/v1/bulk-ingest-job', {
      collection: 'bulk',
      documents: [{ key: 'one', lang: 'en', contentMd: 'one' }],
    });
    expect(status).toBe(202);
    await vi.waitFor(
      async () =>
        expect((await send(nodes[1]!, 'GET', `/v1/bulk-ingest-job/${String(body['id'])}`)).body).toMatchObject({
          status: 'completed',
          added: 1,
        }),
      10_000,
    );
  });

  it('take over from one that stops', async () => {
    const [first, second] = nodes as [DocsServer, DocsServer];
    await first.stop();
    nodes = [second];
    const { body } = await send(second, 'POST', '/v1/bulk-ingest-job', {
      collection: 'bulk',
      documents: [{ key: 'two', lang: 'en', contentMd: 'two' }],
    });
    await vi.waitFor(
      async () =>
        expect((await send(second, 'GET', `/v1/bulk-ingest-job/${String(body['id'])}`)).body).toMatchObject({
          status: 'completed',
        }),
      10_000,
    );
    nodes.push(await startNode(url));
    expect(await get(nodes[1]!, 'bulk', 'two')).toMatchObject({ status: 200 });
  });

  it('lose nothing that was acknowledged when the database is killed, and return 503 until it is back', async () => {
    const acknowledged: string[] = [];
    const others = new Set<number>();
    let stopped = false;
    const write = async (client: number): Promise<void> => {
      for (let i = 0; !stopped; i++) {
        const key = `c${client}n${i}`;
        const { status } = await add(nodes[client % 2]!, 'killed', key);
        if (status === 200) acknowledged.push(key);
        else others.add(status);
      }
    };
    const writers = [0, 1, 2, 3].map(write);
    await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(20), 30_000);
    await postgres.kill();
    await postgres.restart();
    const before = acknowledged.length;
    await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(before + 20), 30_000);
    stopped = true;
    await Promise.all(writers);
    expect([...others].filter((status) => status !== 503)).toEqual([]);
    for (const [at, key] of acknowledged.entries()) expect((await get(nodes[at % 2]!, 'killed', key)).status).toBe(200);
    expect(await nodes[0]!.sql.get('SELECT max(lsn) - min(lsn) + 1 - count(*) AS gaps FROM changes')).toEqual({
      gaps: 0,
    });
  });
});
