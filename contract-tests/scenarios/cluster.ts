import { expect } from 'vitest';
import { drainNode, listNodes, undrainNode } from '../../generated/docs/sdk/sdk.gen.ts';
import { refused, succeeded } from '../support/expectations.ts';
import { type DocsScenarios, store } from './scenario.ts';

/** A server with a database of its own, which is its only node (decision D-247). */
export const cluster: DocsScenarios = {
  async listNodes(context) {
    const { client, collection } = context;
    await store(context);
    const answer = succeeded(await listNodes({ client, query: { collection } }));
    const { self } = answer;
    expect(answer).toMatchObject({
      replicas: 1,
      shortTotal: 0,
      shortPartitions: [],
      partitions: [{ collection, partition: 0, ready: [self], wanted: [self] }],
    });
    expect(answer.nodes).toEqual([{
      name: self,
      state: 'alive',
      address: '',
      version: expect.any(String),
      weight: 100,
      readyPartitions: answer.nodes[0]!.wantedPartitions,
      wantedPartitions: expect.any(Number),
      indexBytes: expect.any(Number),
      indexLimit: 0,
      position: expect.any(Number),
      leaseSeconds: 0,
    }]);
    expect(answer.nodes[0]!.indexBytes).toBeGreaterThan(0);
    expect(succeeded(await listNodes({ client })).partitions).toEqual([]);
    refused(await listNodes({ client, query: { collection: `${collection}-other` } }), 404, 'not_found');
  },
  async drainNode({ client }) {
    const { self } = succeeded(await listNodes({ client }));
    expect(succeeded(await drainNode({ client, path: { name: self } }))).toEqual({ name: self, draining: true });
    const { nodes: [node] } = succeeded(await listNodes({ client }));
    expect(node).toMatchObject({ state: 'draining', readyPartitions: node!.wantedPartitions });
    refused(await drainNode({ client, path: { name: 'another' } }), 404, 'not_found');
    succeeded(await undrainNode({ client, path: { name: self } }));
  },
  async undrainNode({ client }) {
    const { self } = succeeded(await listNodes({ client }));
    expect(succeeded(await undrainNode({ client, path: { name: self } }))).toEqual({ name: self, draining: false });
    expect(succeeded(await listNodes({ client })).nodes).toMatchObject([{ state: 'alive' }]);
    refused(await undrainNode({ client, path: { name: 'another' } }), 404, 'not_found');
  },
};
