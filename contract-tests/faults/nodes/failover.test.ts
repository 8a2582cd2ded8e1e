import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type DocsServer, startDocsServer } from '../../../src/testkit/docs-server.ts';
import { PostgresServer, WITHOUT_POSTGRES } from '../../../src/testkit/postgres-server.ts';
import { TcpProxy } from '../../../src/testkit/ship/tcp-proxy.ts';

const TIME = { timeout: 120_000 };
const PATIENCE = { timeout: 30_000, interval: 50 };

describe.skipIf(WITHOUT_POSTGRES !== undefined)('nodes whose database is replaced by its standby', TIME, () => {
  let primary: PostgresServer;
  let address: TcpProxy;
  let nodes: DocsServer[];
  const servers: PostgresServer[] = [];

  beforeAll(async () => {
    primary = await PostgresServer.start();
    servers.push(primary);
    address = await TcpProxy.start({ host: '127.0.0.1', port: primary.port });
    const url = (await primary.createSchema()).replace(`:${primary.port}/`, `:${address.port}/`);
    const env = {
      SVC_STORAGE_DRIVER: 'postgres',
      SVC_POSTGRES_URL: url,
      SVC_POSTGRES_POOL: '4',
      SVC_GRPC_ENABLED: 'false',
      SVC_MCP_ENABLED: 'false',
    };
    nodes = [await startDocsServer({ env }), await startDocsServer({ env })];
  }, TIME.timeout);
  afterAll(async () => {
    for (const node of nodes) await node.stop();
    await address.close();
    for (const server of servers) await server.stop();
  }, TIME.timeout);

  async function send(node: DocsServer, path: string,
    body: object): Promise<{ status: number; body: Record<string, unknown> }>
  {
    const response = await fetch(`${node.url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() as Record<string, unknown> };
  }
  const add = (node: DocsServer, key: string, contentMd: string) =>
    send(node, '/v1/add', { collection: 'failover', key, lang: 'en', contentMd });
  const find = (node: DocsServer, query: string) =>
    send(node, '/v1/fts', { collection: 'failover', query, limit: 100 });

  async function failOver(standby: PostgresServer): Promise<void> {
    await primary.kill();
    await standby.promote();
    address.target = { host: '127.0.0.1', port: standby.port };
    address.drop();
    primary = standby;
  }

  it('lose nothing that was acknowledged, if the standby is synchronous, and find the new primary by themselves', async () => {
    const standby = await primary.standby();
    servers.push(standby);
    await primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'", 'SELECT pg_reload_conf()');
    await vi.waitFor(
      async () =>
        expect(await primary.query("SELECT sync_state FROM pg_stat_replication WHERE sync_state = 'sync'"))
          .toHaveLength(1),
      PATIENCE,
    );
    const acknowledged: string[] = [];
    const others = new Set<number>();
    let isOver = false;
    const writers = [0, 1, 2, 3].map(async (client) => {
      for (let i = 0; !isOver; i++) {
        const key = `c${client}n${i}`;
        const { status } = await add(nodes[client % 2]!, key, `synchronous ${key}`);
        if (status === 200) acknowledged.push(key);
        else others.add(status);
      }
    });
    await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(20), PATIENCE);
    await failOver(standby);
    const before = acknowledged.length;
    await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(before + 20), PATIENCE);
    isOver = true;
    await Promise.all(writers);
    expect([...others].filter((status) => status !== 503)).toEqual([]);
    for (const [at, key] of acknowledged.entries())
      expect((await send(nodes[at % 2]!, '/v1/get', { collection: 'failover', key, lang: 'en' })).status).toBe(200);
    expect(await nodes[0]!.sql.get('SELECT max(lsn) - min(lsn) + 1 - count(*) AS gaps FROM changes')).toEqual({
      gaps: 0,
    });
  });

  it('serve nothing of the commits that an asynchronous standby did not have', async () => {
    const link = await TcpProxy.start({ host: '127.0.0.1', port: primary.port });
    const standby = await primary.standby(link.port);
    servers.push(standby);
    for (const node of nodes) expect((await add(node, `kept${nodes.indexOf(node)}`, 'kept')).status).toBe(200);
    const [{ lsn }] = await primary.query('SELECT pg_current_wal_lsn()::text AS lsn') as [{ lsn: string }];
    await vi.waitFor(
      async () =>
        expect(await standby.query(`SELECT pg_last_wal_replay_lsn() >= '${lsn}'::pg_lsn AS is`)).toEqual([{
          is: true,
        }]),
      PATIENCE,
    );
    link.cut();
    for (const [at, node] of nodes.entries())
      for (let i = 0; i < 3; i++) expect((await add(node, `lost${at}n${i}`, 'lost')).status).toBe(200);
    for (const node of nodes)
      await vi.waitFor(async () => expect(await find(node, 'lost')).toMatchObject({ status: 200, body: { total: 6 } }),
        PATIENCE);

    await failOver(standby);
    await link.close();
    // Other documents take the numbers of the lost ones.
    await vi.waitFor(async () => expect((await add(nodes[1]!, 'after', 'new')).status).toBe(200), PATIENCE);
    let served = '';
    for (const node of nodes) {
      await vi.waitFor(async () => {
        const found = await find(node, 'lost kept new');
        served += JSON.stringify(found.body);
        expect(found).toMatchObject({ status: 200, body: { total: 3 } });
      }, PATIENCE);
      expect((await send(node, '/v1/get', { collection: 'failover', key: 'lost0n0', lang: 'en' })).status).toBe(404);
    }
    expect(served).not.toContain('"lost');
  });
});
