import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OperationId } from '../generated/docs/operations.ts';
import { type DocsServer, startDocsServer } from '../src/testkit/docs-server.ts';
import { S3Server } from '../src/testkit/s3-server.ts';
import type { Driver, Input } from './parity/driver.ts';
import { type Drivers, driversOf } from './parity/drivers.ts';

const NOW = 1_766_400_000_000;

let s3: S3Server;
let server: DocsServer;
let drivers: Drivers;
beforeAll(async () => {
  s3 = await S3Server.start();
  server = await startDocsServer({ clock: { now: () => NOW }, env: { SVC_BODIES_CACHE_BYTES: '0' } });
  drivers = await driversOf(server);
});
afterAll(async () => {
  await drivers.close();
  await server.stop();
  await s3.stop();
});

/** The calls of one client. */
const calls = (): readonly (readonly [OperationId, Input])[] => {
  const collection = 'blog';
  const storageConfig = { ...s3.config, region: 'eu-central-1', prefix: 'posts/', useTLS: false };
  const post = { collection, key: 'a', lang: 'en' };
  return [['setCollectionConfig', { collection, storageBackend: 's3', storageConfig }], ['getCollectionConfig', {
    collection,
  }], ['setCollectionConfig', { collection, storageConfig: { ...storageConfig, secretKey: '', bucket: 'absent' } }], [
    'setCollectionConfig',
    { collection, storageConfig: { ...storageConfig, endpoint: '169.254.169.254' } },
  ], ['setCollectionConfig', { collection, storageConfig: { bucket: 'b' } }], ['addDocument', {
    ...post,
    contentMd: '# Hello',
  }], ['getDocument', post], ['setCollectionConfig', { collection, storageBackend: 'memory' }], ['addDocument', {
    ...post,
    contentMd: '# Hello again',
  }], ['getDocument', post], ['listRevisions', post], ['getCollectionConfig', { collection }], [
    'deleteCollectionConfig',
    { collection },
  ], ['deleteCollection', { collection }]];
};

describe('bodies elsewhere (contract section 2, "Collection configuration")', () => {
  it('are configured, written and read alike over all protocols, and no answer holds the secret', async () => {
    const { rest, others } = drivers;
    const play = async (driver: Driver) => {
      const outcomes = [];
      for (const [operation, input] of calls()) {
        // Calls that a protocol cannot express are made over REST.
        const by = driver.lacks(operation, input) === undefined ? driver : rest;
        outcomes.push({ operation, input, by, outcome: await by.call(operation, input) });
      }
      return outcomes;
    };
    const expected = await play(rest);
    const failures = expected.flatMap((
      { outcome },
    ) => ('failure' in outcome ? [outcome.failure.message.slice(0, 40)] : []));
    expect(failures).toEqual([expect.stringMatching('storageConfig.secretKey|storageConfig.bucket') as string,
      expect.stringContaining('storageConfig.') as string, expect.stringContaining('storageConfig.') as string]);
    for (const driver of others) {
      const played = await play(driver);
      for (const [i, { operation, input, by, outcome }] of played.entries()) {
        expect(outcome, `${driver.protocol}: ${operation}`).toEqual(by.view(operation, expected[i]!.outcome, input));
      }
    }
    expect(JSON.stringify(expected.map(({ outcome }) => outcome))).not.toContain('"secretKey":"S');
  });

  it('that cannot be reached are the same failure over all protocols', async () => {
    const { rest, others } = drivers;
    await rest.call('setCollectionConfig', { collection: 'down', storageBackend: 's3', storageConfig: s3.config });
    await rest.call('addDocument', { collection: 'down', key: 'a', lang: 'en', contentMd: 'text' });
    s3.fail('error');
    for (const [operation, input] of [['addDocument', { collection: 'down', key: 'b', lang: 'en', contentMd: 'text' }],
      ['getDocument', { collection: 'down', key: 'a', lang: 'en' }]] as const)
    {
      for (const driver of [rest, ...others]) {
        const outcome = await driver.call(operation, input);
        expect(outcome, `${driver.protocol}: ${operation}`).toMatchObject({
          failure: { code: 'unavailable', message: expect.stringContaining('storageBackend') as string },
        });
      }
    }
    s3.fail();
  });
});
