import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../src/testkit/docs-server.ts';
import type { Driver } from './parity/driver.ts';
import { type Drivers, driversOf } from './parity/drivers.ts';

const BODY = 'words '.repeat(900_000);

let server: DocsServer;
let drivers: Drivers;

beforeAll(async () => {
  server = await startDocsServer({ env: { SVC_GRPC_MAX_MESSAGE_BYTES: '1000000' } });
  drivers = await driversOf(server);
});
afterAll(async () => {
  await drivers.close();
  await server.stop();
});

const driverOf = (protocol: string): Driver =>
  [drivers.rest, ...drivers.others].find((driver) => driver.protocol === protocol)!;

/**
 * Changes a document whose body may be too large for a response of the protocol; returns the response and the change.
 */
async function change(protocol: string): Promise<{ answered: boolean; done: boolean }> {
  const identity = { collection: protocol.replaceAll(' ', '-'), key: 'large', lang: 'en' };
  expect(await drivers.rest.call('addDocument', { ...identity, contentMd: BODY })).toHaveProperty('value');
  const outcome = await driverOf(protocol).call('setDocumentTtl', { ...identity, ttl: 3600 });
  const meta = await drivers.rest.call('getDocumentMeta', identity);
  return { answered: 'value' in outcome, done: 'expiresAt' in (meta as { value: object }).value };
}

describe('a write of a document that is too large for a response', () => {
  it.each(['REST', 'GraphQL', 'gRPC', 'MCP', 'MCP without a session'])('is done, and said to be done, over %s',
    async (protocol) => {
      expect(await change(protocol)).toEqual({ answered: true, done: true });
    });
});
