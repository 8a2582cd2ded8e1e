import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ListNodesResponse } from '../../../generated/docs/sdk/types.gen.ts';
import type { DocsServer } from '../../../src/testkit/docs-server.ts';
import { HttpClient } from '../../../src/testkit/http-client.ts';
import { expectSameAnswers, expectSameCompletions, OneAndMany } from '../../../src/testkit/partitions/collections.ts';
import { Choices } from '../../../src/testkit/partitions/requests.ts';
import { PostgresServer, WITHOUT_POSTGRES } from '../../../src/testkit/postgres-server.ts';
import { startSharingNode } from '../../../src/testkit/sharing-node.ts';

// oxlint-disable-next-line node/no-process-env -- switches of the test, and no settings of the service
const { QUIRE_PARTITION_REQUESTS = '150', QUIRE_PARTITION_SEED = '46' } = process.env;
const TIME = { timeout: 600_000 };
const PARTITIONS = 8;
const NOW = 1_766_400_000_000;

describe.skipIf(WITHOUT_POSTGRES !== undefined)('a collection in partitions on three nodes', TIME, () => {
  let postgres: PostgresServer;
  let url: string;
  const nodes: { readonly server: DocsServer; readonly http: HttpClient }[] = [];
  const random = new Choices(Number(QUIRE_PARTITION_SEED));

  const startNode = async (name: string): Promise<void> => {
    const server = await startSharingNode(name, url, { now: () => NOW });
    nodes.push({ server, http: new HttpClient(server.url) });
  };

  beforeAll(async () => {
    postgres = await PostgresServer.start();
    url = await postgres.createSchema();
    await startNode('a');
    await new OneAndMany(nodes[0]!.server, nodes[0]!.http, PARTITIONS).fill(random);
    await startNode('b');
    await startNode('c');
  }, TIME.timeout);
  afterAll(async () => {
    for (const { server, http } of nodes) {
      http.close();
      await server.stop();
    }
    await postgres.stop();
  }, TIME.timeout);

  /** By node, how many partitions it has ready; undefined before each is at one node. */
  async function sharesOf(): Promise<Map<string, number> | undefined> {
    const { partitions } = (await nodes[0]!.http.get('/v1/nodes?collection=many')).json<ListNodesResponse>();
    const isSettled = partitions.length === PARTITIONS &&
      partitions.every(({ ready, wanted }) => ready.length === 1 && ready[0] === wanted[0]);
    const owners = Map.groupBy(partitions, ({ ready }) => ready.join());
    return isSettled ? new Map([...owners].map(([name, own]) => [name, own.length])) : undefined;
  }

  it('is in the memory of each of them in part', async () => {
    await vi.waitFor(async () => expect((await sharesOf())?.size).toBeGreaterThan(1), {
      timeout: 60_000,
      interval: 300,
    });
  });

  it('answers every search at each of them as a collection on one node does', async () => {
    const requests = Math.ceil(Number(QUIRE_PARTITION_REQUESTS) / nodes.length);
    for (const { http, server } of nodes) {
      await expectSameAnswers(http, random, requests, `seed ${QUIRE_PARTITION_SEED} at ${server.url}`);
      await expectSameCompletions(http);
    }
    expect((await sharesOf())?.size).toBeGreaterThan(1);
  });
});
