import fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Operations, operations } from '../../../generated/docs/operations.ts';
import { silentLog } from '../../lib/log.ts';
import { caughtUp, createInvoker, type Invoke } from '../../operations/index.ts';
import { BodyCodec, ChangeFeed, DOCUMENT_MIGRATIONS, KeyRing, migrate, openDatabase } from '../../storage/index.ts';
import { createCollections } from '../collections/index.ts';
import { createColumns } from '../columns/index.ts';
import { createDocuments } from '../documents/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { createIngest } from '../ingest/index.ts';
import { createSchemas } from '../schemas/index.ts';
import { DOCS_INPUTS } from '../test-fixture.ts';
import { createEncryption, type Encryption } from './index.ts';

const keys = new KeyRing({ id: 3, bytes: Buffer.alloc(32, 3) });
const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

interface Server {
  readonly encryption: Encryption;
  /** The result, or the code of the error. */
  call(id: keyof Operations & string, input: object): Promise<unknown>;
  stop(): Promise<void>;
}

async function start(inMemory: boolean): Promise<Server> {
  const folder = inMemory ? undefined : await mkdtemp(join(tmpdir(), 'quire-equal-'));
  if (folder !== undefined) folders.push(folder);
  const clock = { now: () => 1_766_400_000_000 };
  const sql = await openDatabase({ path: folder === undefined ? ':memory:' : join(folder, 'test.db'), keys });
  await migrate(sql, DOCUMENT_MIGRATIONS, clock);
  const settings = { ttlSweepMs: 30_000, codeMaxSymbols: 512, mode: 'wr' } as DocsEnvironment['settings'];
  const environment: DocsEnvironment = {
    sql,
    feed: new ChangeFeed(sql, clock),
    codec: new BodyCodec(),
    clock,
    log: silentLog,
    settings,
    keys,
  };
  const collections = createCollections(environment);
  const schemas = createSchemas(environment);
  const columns = createColumns(environment, { collections });
  await columns.start();
  const documents = createDocuments(environment, { collections, columns, schemas });
  const encryption = createEncryption(environment, { collections });
  await encryption.work();
  const handlers = {
    ...collections.handlers,
    ...documents.handlers,
    ...createIngest(environment, { collections, documents }).handlers,
    ...encryption.handlers,
  };
  const invoke: Invoke<Operations> = createInvoker<Operations>({
    operations,
    inputs: DOCS_INPUTS,
    handlers,
    steps: { caughtUp: caughtUp({ columns }) },
    strictInput: true,
    mode: () => 'wr',
  });
  return {
    encryption,
    call: (id, input) =>
      invoke(id, structuredClone(input), { protocol: 'http', requestId: 'test' }).then(({ value }) => value,
        (error: { code?: string; message: string }) => error.code ?? error.message),
    async stop() {
      await encryption.stop();
      await documents.stop();
      await columns.stop();
      await sql.close();
    },
  };
}

const key = fc.constantFrom('a', 'b', 'A', 'c');
const meta = fc.dictionary(fc.constantFrom('k', 'l', '__proto__', 'U1ZDRU5D'),
  fc.array(fc.constantFrom('x', 'y', 'ü', 'U1ZDRU5D', ''), { maxLength: 3 }), { maxKeys: 3 });
const contentMd = fc.oneof(fc.constantFrom('', 'short', 'SVCENC\u0002\u0003'),
  fc.integer({ min: 0, max: 3 }).map((n) => `long ${n} `.repeat(300)));
const named = { collection: fc.constant('c'), lang: fc.constant('en'), key };

/** What a client might do; `switch` applies only to the encrypted server. */
const step = fc.oneof({
  weight: 6,
  arbitrary: fc.record({
    id: fc.constant('addDocument' as const),
    input: fc.record({ ...named, meta, contentMd, saveRevision: fc.boolean() }),
  }),
}, {
  weight: 3,
  arbitrary: fc.record({
    id: fc.constant('updateDocument' as const),
    input: fc.record({ ...named, meta, contentMd }, { requiredKeys: ['collection', 'lang', 'key'] }),
  }),
}, {
  weight: 2,
  arbitrary: fc.record({
    id: fc.constantFrom('deleteDocument' as const, 'setDocumentTtl' as const),
    input: fc.record({ ...named, ttl: fc.constantFrom(0, 60) }),
  }),
}, {
  weight: 2,
  arbitrary: fc.record({
    id: fc.constant('restoreRevision' as const),
    input: fc.record({ ...named, revision: fc.constantFrom(1, 2) }),
  }),
}, {
  weight: 1,
  arbitrary: fc.record({
    id: fc.constant('truncateRevisions' as const),
    input: fc.record({ collection: fc.constant('c'), keepRevs: fc.integer({ min: 0, max: 2 }) }),
  }),
}, {
  weight: 3,
  arbitrary: fc.record({
    id: fc.constant('ingestDocuments' as const),
    input: fc.record({
      collection: fc.constant('c'),
      options: fc.constant({ skipDuplicates: true }),
      documents: fc.array(fc.record({ lang: fc.constant('en'), key, meta, contentMd }), { minLength: 1, maxLength: 3 }),
    }),
  }),
}, {
  weight: 2,
  arbitrary: fc.record({
    id: fc.constant('switch' as const),
    input: fc.record({ encrypted: fc.boolean(), wait: fc.boolean() }),
  }),
});

/** A response without its duration, and without checksums, which no two databases have in common (decision D-170). */
function comparable(answer: unknown): unknown {
  return JSON.parse(
    JSON.stringify(answer, (name, value: unknown) => (name === 'durationMs' || name === 'checksum' ? '' : value)) ??
      'null',
  );
}

const READS: [keyof Operations & string, object][] = [
  ...['a', 'b', 'A', 'c'].flatMap((
    each,
  ): [keyof Operations & string, object][] => [['getDocument', { collection: 'c', key: each, lang: 'en' }], [
    'listRevisions',
    { collection: 'c', key: each, lang: 'en' },
  ]]),
  ['searchDocuments', { collection: 'c', includeContent: true }],
  ['searchDocuments', { collection: 'c', deleted: true, filterMeta: { k: ['x', 'U1ZDRU5D'] } }],
  ['searchDocuments', { collection: 'c', deleted: true }],
  ...[{ k: ['x'] }, { k: ['x', 'U1ZDRU5D'], l: ['y'] }, { U1ZDRU5D: ['ü'] }].map((
    filterMeta,
  ): [keyof Operations & string, object] => ['searchDocuments', { collection: 'c', filterMeta }]),
  ['listMetaKeys', { collection: 'c' }],
  ['getChecksum', { collection: 'c' }],
];

describe.each([['node:sqlite', false], ['sql.js', true]])('a collection whose encryption is switched (%s)',
  (_, inMemory) => {
    it('returns the same as without encryption, whatever is done to it', async () => {
      const run = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const [plain, sealed] = [await start(inMemory), await start(inMemory)];
        try {
          await sealed.call('setCollectionConfig', { collection: 'c', encrypted: true });
          for (const { id, input } of steps) {
            if (id === 'switch') {
              await sealed.call('setCollectionConfig', { collection: 'c', encrypted: input.encrypted });
              if (input.wait) await sealed.encryption.settled();
            } else {
              expect(comparable(await sealed.call(id, input)), id).toEqual(comparable(await plain.call(id, input)));
            }
          }
          for (const settled of [false, true]) {
            if (settled) await sealed.encryption.settled();
            for (const [id, input] of READS)
              expect(comparable(await sealed.call(id, input)), `${id} ${JSON.stringify(input)}`).toEqual(
                comparable(await plain.call(id, input)),
              );
          }
          const { collections } = await sealed.call('getEncryptionStatus', {}) as {
            collections: { encrypted: boolean; total: number; withPrimary: number; plaintext: number }[];
          };
          const { encrypted, total, withPrimary, plaintext } = collections[0] ??
            { encrypted: true, total: 0, withPrimary: 0, plaintext: 0 };
          expect([withPrimary, plaintext]).toEqual(encrypted ? [total, 0] : [0, total]);
        } finally {
          await plain.stop();
          await sealed.stop();
        }
      });
      await fc.assert(run, { numRuns: 10 });
    }, 60_000);

    it('recognizes duplicates by its metadata (decision D-138)', async () => {
      const server = await start(inMemory);
      const ingest = (meta: object) =>
        server.call('ingestDocuments', {
          collection: 'c',
          documents: [{ key: 'a', lang: 'en', contentMd: 'x', meta }],
          options: { skipDuplicates: true },
        });
      try {
        await server.call('setCollectionConfig', { collection: 'c', encrypted: true });
        expect(await ingest({ k: ['x'] })).toMatchObject({ added: 1 });
        expect(await ingest({ k: ['x'] })).toMatchObject({ updated: 0, skipped: 1 });
        expect(await ingest({})).toMatchObject({ updated: 1, skipped: 0 });
      } finally {
        await server.stop();
      }
    });
  });
