import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ListNodesResponse } from '../../../generated/docs/sdk/types.gen.ts';
import type { DocsServer } from '../../../src/testkit/docs-server.ts';
import { PostgresServer, WITHOUT_POSTGRES } from '../../../src/testkit/postgres-server.ts';
import { startSharingNode } from '../../../src/testkit/sharing-node.ts';

const TIME = { timeout: 120_000 };
const COLLECTIONS = ['red', 'green', 'blue', 'black', 'white', 'grey'];

describe.skipIf(WITHOUT_POSTGRES !== undefined)('nodes that each hold a share of the indexes', TIME, () => {
  let postgres: PostgresServer;
  let url: string;
  const nodes: DocsServer[] = [];

  const startNode = async (name: string): Promise<DocsServer> => {
    const node = await startSharingNode(name, url);
    nodes.push(node);
    return node;
  };

  beforeAll(async () => {
    postgres = await PostgresServer.start();
    url = await postgres.createSchema();
    await startNode('a');
    for (const collection of COLLECTIONS) {
      await send(nodes[0]!, 'POST', '/v1/add-batch', {
        collection,
        documents: Array.from({ length: 5 },
          (_, i) => ({ key: `k${i}`, lang: 'en', contentMd: `${collection} word${i}` })),
      });
    }
    await startNode('b');
    await startNode('c');
  }, TIME.timeout);
  afterAll(async () => {
    for (const node of nodes) await node.stop();
    await postgres.stop();
  }, TIME.timeout);

  async function send(node: DocsServer, method: string, path: string, body?: object) {
    const response = await fetch(`${node.url}${path}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = { status: response.status, body: await response.json() as Record<string, unknown> };
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer;
  }
  const list = async (node: DocsServer, collection: string) =>
    (await send(node, 'GET', `/v1/nodes?collection=${collection}`)).body as unknown as ListNodesResponse;
  const keysOf = (body: Record<string, unknown>) =>
    (body['results'] as { document: { key: string } }[]).map(({ document: { key } }) => key);

  /** The collections whose words a node has in memory. */
  async function inMemory(node: DocsServer): Promise<string[]> {
    const text = await (await fetch(`${node.url}/metrics`)).text();
    return COLLECTIONS.filter((name) => text.includes(`svc_index_bytes{view="full-text",collection="${name}"}`));
  }

  const settled = (present: readonly DocsServer[]) =>
    vi.waitFor(async () => {
      for (const collection of COLLECTIONS) {
        const { partitions, nodes: known } = await list(present[0]!, collection);
        expect(known.filter(({ state }) => state !== 'gone')).toHaveLength(present.length);
        expect(partitions).toHaveLength(1);
        expect(partitions[0]!.ready).toEqual(partitions[0]!.wanted);
      }
    }, { timeout: 60_000, interval: 300 });

  const findEverywhere = async (present: readonly DocsServer[]): Promise<void> => {
    for (const node of present) {
      for (const collection of COLLECTIONS) {
        const { body } = await send(node, 'POST', '/v1/fts', { collection, query: 'word3', facetBy: ['lang'] });
        expect([keysOf(body), body['total']]).toEqual([['k3'], 1]);
        const listed = await send(node, 'POST', '/v1/search', { collection, sort: 'key', limit: 2 });
        expect((listed.body as unknown as unknown[]).length).toBe(2);
      }
    }
  };

  it('give up what others hold, and find everything at each of them', async () => {
    await settled(nodes);
    await vi.waitFor(async () => {
      const held = await Promise.all(nodes.map(inMemory));
      expect(held.flat().sort()).toEqual([...COLLECTIONS].sort());
    }, { timeout: 30_000, interval: 300 });
    await findEverywhere(nodes);
  });

  it('answer a search of what was just written at another node', async () => {
    for (const [i, collection] of COLLECTIONS.entries()) {
      const node = nodes[i % 3]!;
      await send(node, 'POST', '/v1/add', { collection, key: 'new', lang: 'en', contentMd: `fresh${i}` });
      expect(keysOf((await send(node, 'POST', '/v1/fts', { collection, query: `fresh${i}` })).body)).toEqual(['new']);
      await send(node, 'POST', '/v1/delete', { collection, key: 'new', lang: 'en' });
    }
  });

  it('take over when one of them stops', async () => {
    await nodes.pop()!.stop();
    await findEverywhere(nodes);
    await settled(nodes);
    await findEverywhere(nodes);
  });
});
