import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OperationId } from '../../generated/docs/operations.ts';
import type { Driver, Input, Outcome } from '../parity/driver.ts';
import { type Drivers, driversOf } from '../parity/drivers.ts';
import { exampleInput } from '../parity/examples.ts';
import { AccessServer, bearer } from '../support/access-server.ts';
import { exampleCalls } from '../support/examples.ts';

/** Occurs in everything that is stored and in nothing that the callers send. */
const CANARY = /canary/i;
const DOCUMENT = { collection: 'blog', key: 'hello-world', lang: 'en' };
const STORED = {
  ...DOCUMENT,
  contentMd: 'A canary sings.',
  meta: { 'canary-key': ['canary value'], size: ['canary size'] },
};

/** Operations that run last, because they leave nothing for the others to reveal. */
const ENDS = ['deleteDocument', 'deleteDocuments', 'truncateRevisions', 'deleteCollectionConfig', 'deleteSchema',
  'deleteCollection'];
const rank = (operation: string): number => ENDS.indexOf(operation);

/**
 * Excludes files and streams, operations that send requests to other servers, and the one that ends the caller's
 * session.
 */
const CALLS = exampleCalls('docs').filter(({ operationId, consumes }) =>
  (consumes.length === 0 || consumes[0] === 'application/json') && operationId !== 'importUrl' &&
  operationId !== 'logout'
).sort((a, b) => rank(a.operationId) - rank(b.operationId));

describe.each([['may only write', ['write']], ['may write and administer', ['write', 'admin']]] as const)(
  'a caller who %s, and not read (decision D-139)',
  (_, permissions) => {
    let access: AccessServer;
    let drivers: Drivers;
    let sessionId: string;
    /** The oldest one, which contains the canary. */
    let oldest: { revision: number; timestamp: number };

    beforeAll(async () => {
      access = await AccessServer.start({ SVC_EMBEDDING_PROVIDER: 'none' });
      const token = await access.register('letter-box');
      for (const collection of ['blog', '_memory']) await access.grant('letter-box', collection, ...permissions);
      drivers = await driversOf(access.server, bearer(token));
      await store();
    });
    afterAll(async () => {
      await drivers.close();
      await access.stop();
    });

    /** Stores a canary wherever the service stores data. */
    async function store(): Promise<void> {
      for (let i = 0; i < 2; i++)
        await access.manage('POST', '/v1/add', {
          ...STORED,
          contentMd: `${STORED.contentMd} ${i}`,
        });
      await access.manage('POST', '/v1/add', { ...STORED, key: 'canary-key' });
      const { revisions } = await access.manage<{ revisions: { revision: number; timestamp: number }[] }>('POST',
        '/v1/revisions', DOCUMENT);
      oldest = revisions.map(({ revision, timestamp }) => ({ revision, timestamp })).at(-1)!;
      await access.manage('PUT', '/v1/collection-config', {
        collection: 'blog',
        responsePrompt: 'Sing like a canary.',
      });
      await access.manage('POST', '/v1/synonyms', { collection: 'blog', term: 'canary', synonyms: ['canary bird'] });
      await access.manage('POST', '/v1/stopwords', { collection: 'blog', words: ['canary'] });
      await access.manage('POST', '/v1/curation', {
        collection: 'blog',
        query: 'canary',
        pins: [{ key: 'canary-key' }],
      });
      const session = await access.manage<{ sessionId: string }>('POST', '/v1/memory/session', {
        userId: 'ada',
        title: 'canary',
        meta: { bird: ['canary'] },
      });
      sessionId = session.sessionId;
      await access.manage('POST', '/v1/memory/message', {
        sessionId,
        role: 'user',
        content: 'Where is the canary? A canary sings in the mine.',
      });
    }

    function inputOf(call: (typeof CALLS)[number]): Input {
      const input = exampleInput(call);
      return {
        ...input,
        ...('collection' in input && { collection: 'blog' }),
        ...('key' in input && 'lang' in input && DOCUMENT),
        ...('sessionId' in input && { sessionId }),
        ...(('timestamp' in input || 'revision' in input) && oldest),
      };
    }

    const all = (): readonly Driver[] => [drivers.rest, ...drivers.others];
    const expectNoCanary = (outcome: Outcome, what: string): void =>
      expect.soft(JSON.stringify(outcome), what).not.toMatch(CANARY);

    it('finds nothing of what is stored in any answer, over any protocol', async () => {
      let succeeded = 0;
      for (const call of CALLS) {
        const operation = call.operationId as OperationId;
        for (const driver of all()) {
          const input = inputOf(call);
          if (driver.lacks(operation, input) !== undefined) continue;
          const outcome = await driver.call(operation, input);
          if ('value' in outcome) succeeded++;
          expectNoCanary(outcome, `${driver.protocol}: ${operation}`);
        }
      }
      expect(succeeded).toBeGreaterThan(60);
      await store();
    }, 60_000);

    it.each<[OperationId, Input]>([['updateDocument', { ttl: 60 }], ['updateDocument', { meta: {} }], ['updateDocument',
      { contentMd: 'Silence.' }], ['setDocumentTtl', { ttl: 60 }], ['addDocument', { contentMd: 'Silence.' }]])(
        'gets identity and times of %s with %j',
        async (operation, change) => {
          for (const driver of all()) {
            await access.manage('POST', '/v1/add', STORED);
            const outcome = await driver.call(operation, { ...DOCUMENT, ...change });
            expectNoCanary(outcome, driver.protocol);
            expect.soft(outcome, driver.protocol).toMatchObject({
              value: {
                id: 'blog|hello-world|en',
                key: 'hello-world',
                lang: 'en',
                addedAt: expect.any(Number),
                updatedAt: expect.any(Number),
              },
            });
            if (driver.protocol === 'REST')
              expect(Object.keys((outcome as { value: object }).value)).not.toEqual(
                expect.arrayContaining(['contentMd', 'meta']),
              );
          }
        },
      );

    it('does not learn what an earlier version contains, nor whether that violates the schema', async () => {
      const restored = await drivers.rest.call('restoreRevision', { ...DOCUMENT, ...oldest });
      expect(restored).toHaveProperty('value');
      expectNoCanary(restored, 'restored');
      await access.manage('POST', '/v1/schema/set', {
        collection: 'blog',
        schema: { properties: { size: { type: 'integer' } } },
      });
      for (const driver of all()) {
        if (driver.lacks('restoreRevision', { ...DOCUMENT, ...oldest }) !== undefined) continue;
        const refused = await driver.call('restoreRevision', { ...DOCUMENT, ...oldest });
        expect(refused).toMatchObject({ failure: { code: 'forbidden' } });
        expectNoCanary(refused, driver.protocol);
      }
      await access.manage('POST', '/v1/schema/delete', { collection: 'blog' });
    });

    it('cannot find out what is stored by sending guesses that would be skipped when they are right', async () => {
      const ingest = (contentMd: string, options: object) =>
        drivers.rest.call('ingestDocuments', {
          collection: 'blog',
          documents: [{ ...DOCUMENT, collection: undefined, contentMd, meta: STORED.meta }],
          options,
        });
      await access.manage('POST', '/v1/add', STORED);
      const right = await ingest(STORED.contentMd, { profile: 'fast' });
      await access.manage('POST', '/v1/add', STORED);
      const wrong = await ingest('A sparrow sings.', { profile: 'fast' });
      const counts = { value: { added: 1, updated: 0, skipped: 0, failed: 0 } };
      expect([right, wrong]).toMatchObject([counts, counts]);
      expect(await ingest(STORED.contentMd, { skipDuplicates: true })).toMatchObject({
        failure: { code: 'forbidden' },
      });
    });

    it('summarizes a conversation without reading it', async () => {
      const outcome = await drivers.rest.call('summarizeSession', { sessionId, userId: 'ada' });
      expect(outcome).toMatchObject({ value: { messages: expect.any(Number), sessionId } });
      expectNoCanary(outcome, 'summary');
    });
  },
);
