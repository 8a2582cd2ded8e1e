import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { OperationId } from '../generated/docs/operations.ts';
import { type DocsServer, startDocsServer } from '../src/testkit/docs-server.ts';
import type { Driver, Input, Outcome } from './parity/driver.ts';
import { type Drivers, driversOf } from './parity/drivers.ts';

const KEPT = { collection: 'kept', key: 'page', lang: 'en' };
const WRITES: readonly [OperationId, Input][] = [['addDocument', { ...KEPT, contentMd: 'changed' }], ['updateDocument',
  { ...KEPT, contentMd: 'changed' }], ['setDocumentTtl', { ...KEPT, ttl: 1 }], ['addDocuments', {
  collection: 'kept',
  documents: [],
}], ['ingestDocuments', { collection: 'kept', documents: [] }], ['deleteDocument', KEPT], ['deleteCollection', {
  collection: 'kept',
}], ['setCollectionConfig', { collection: 'kept', description: 'changed' }], ['setSchema', {
  collection: 'kept',
  schema: {},
}], ['reindexVectors', { collection: 'kept' }], ['startSession', { userId: 'u' }], ['addSynonyms', {
  collection: 'kept',
  term: 'a',
  synonyms: ['b'],
}]];
const READS: readonly [OperationId, Input][] = [['getDocument', KEPT], ['searchDocuments', { collection: 'kept' }], [
  'searchFullText',
  { collection: 'kept', query: 'page' },
], ['getCollectionConfig', { collection: 'kept' }], ['listRevisions', KEPT]];
/** Allowed in every mode (decisions D-11 and D-12). */
const ALWAYS: readonly [OperationId, Input][] = [['getHealth', {}], ['getStats', {}], ['getConfig', {}], [
  'validateDocument',
  { collection: 'kept', meta: {} },
]];

const REFUSED_WRITE: Outcome = { failure: { code: 'read_only', message: 'read-only mode', status: 403 } };
const REFUSED_READ: Outcome = { failure: { code: 'write_only', message: 'write-only mode', status: 403 } };

let folder: string;
let database: string;
let server: DocsServer;
let drivers: Drivers;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-modes-'));
  database = join(folder, 'quire.db');
  await start({});
  await drivers.rest.call('addDocument', { ...KEPT, contentMd: 'The page.' });
  await stop();
});
afterEach(stop);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function start(env: Record<string, string>): Promise<void> {
  server = await startDocsServer({ env: { SVC_PATH: database, ...env } });
  drivers = await driversOf(server);
}

async function stop(): Promise<void> {
  await drivers.close();
  await server.stop();
}

/** GraphQL is served on the HTTP port, and MCP has one mode for both revisions. */
const MODE_OF: Readonly<Record<string, string>> = {
  REST: 'http',
  GraphQL: 'http',
  gRPC: 'grpc',
  MCP: 'mcp',
  'MCP without a session': 'mcp',
};

/** Calls every operation of the protocol, and expects that all calls are rejected with this code, or none. */
async function expectAll(driver: Driver, calls: readonly [OperationId, Input][],
  refusal: Outcome | undefined): Promise<void>
{
  let made = 0;
  for (const [operation, input] of calls) {
    if (driver.lacks(operation, input) !== undefined) continue;
    made++;
    const outcome = await driver.call(operation, input);
    if (refusal !== undefined)
      expect(outcome, `${driver.protocol}: ${operation}`).toEqual(driver.view(operation, refusal, input));
    else expect(outcome, `${driver.protocol}: ${operation}`).toHaveProperty('value');
  }
  // Of the operations that are allowed in every mode, GraphQL has only one.
  if (driver.protocol !== 'GraphQL' || calls === WRITES || calls === READS) expect(made).toBeGreaterThan(0);
}

const all = (): Driver[] => [drivers.rest, ...drivers.others];

describe('read mode', () => {
  it.each([['SVC_MODE', ['http', 'grpc', 'mcp']], ['SVC_API_MODE', ['http']], ['SVC_GRPC_MODE', ['grpc']], [
    'SVC_MCP_MODE',
    ['mcp'],
  ]])('by %s refuses every write over %j alone, and answers every read', async (variable, closed) => {
    await start({ [variable]: 'read' });
    for (const driver of all()) {
      if (closed.includes(MODE_OF[driver.protocol]!)) await expectAll(driver, WRITES, REFUSED_WRITE);
      await expectAll(driver, READS, undefined);
      await expectAll(driver, ALWAYS, undefined);
    }
    expect(await drivers.rest.call('getDocument', KEPT)).toMatchObject({ value: { contentMd: 'The page.' } });
  });

  it('that one protocol is exempt from leaves it open', async () => {
    await start({ SVC_MODE: 'read', SVC_GRPC_MODE: 'wr' });
    for (const driver of all()) {
      if (driver.protocol === 'gRPC')
        expect(await driver.call('updateDocument', { ...KEPT, contentMd: 'The page.' })).toHaveProperty('value');
      else await expectAll(driver, WRITES, REFUSED_WRITE);
    }
  });
});

describe('write mode', () => {
  it.each([['SVC_MODE', ['http', 'grpc', 'mcp']], ['SVC_API_MODE', ['http']], ['SVC_GRPC_MODE', ['grpc']], [
    'SVC_MCP_MODE',
    ['mcp'],
  ]])('by %s refuses every read over %j alone, and takes writes', async (variable, closed) => {
    await start({ [variable]: 'write' });
    for (const driver of all()) {
      await expectAll(driver, READS, closed.includes(MODE_OF[driver.protocol]!) ? REFUSED_READ : undefined);
      await expectAll(driver, ALWAYS.slice(0, 3), undefined);
      expect(await driver.call('updateDocument', { ...KEPT, contentMd: 'The page.' }), driver.protocol).toHaveProperty(
        'value',
      );
    }
  });
});
