import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PostgresServer, WITHOUT_POSTGRES } from '../../src/testkit/postgres-server.ts';
import { KEYS, Restarted } from './test-fixture.ts';

const TIME = { timeout: 120_000 };
const PATIENCE = { timeout: 20_000, interval: 50 };
const MARKERS = ['quokkamarker', 'wombatvalue', 'dingokey'];

describe.skipIf(WITHOUT_POSTGRES !== undefined)('encryption at rest over PostgreSQL', TIME, () => {
  let postgres: PostgresServer;
  let url: string;
  let nodes: [Restarted, Restarted];

  const env = (more: Record<string, string> = {}) => ({
    SVC_STORAGE_DRIVER: 'postgres',
    SVC_POSTGRES_URL: url,
    SVC_POSTGRES_POOL: '4',
    SVC_EMBEDDING_PROVIDER: 'builtin',
    SVC_ENCRYPTION_KEY: KEYS[0],
    ...more,
  });
  beforeAll(async () => {
    postgres = await PostgresServer.start();
    url = await postgres.createSchema();
    nodes = [await Restarted.start(env()), await Restarted.start(env())];
  }, TIME.timeout);
  afterAll(async () => {
    for (const node of nodes) await node.end();
    await postgres.stop();
  }, TIME.timeout);

  const content = (i: number) =>
    `# Note ${i}\n\nThe quokkamarker number ${i} sleeps under a tree. ${
      'Long enough to be compressed. '.repeat(i % 3 === 0 ? 60 : 1)
    }`;
  async function addAll(collection: string, count: number): Promise<void> {
    await Promise.all(
      Array.from({ length: count }, (_, i) =>
        nodes[i % 2]!.add(collection, `n${i}`, content(i), { dingokey: ['wombatvalue', `wombatvalue${i}`] })),
    );
  }
  const read = (node: Restarted, collection: string, key: string) =>
    node.request('POST', '/v1/get', { collection, key, lang: 'en' });
  const found = async (node: Restarted, path: string, body: object): Promise<number> =>
    (await node.ok<{ results: unknown[] }>('POST', path, body)).results.length;

  /** Names of files of the server's tables, and of its log if `log` is set, that contain a marker. */
  async function filesWithMarkers({ log }: { log: boolean }): Promise<string[]> {
    await postgres.query('CHECKPOINT');
    const entries = await readdir(postgres.dataFolder, { recursive: true, withFileTypes: true });
    const names: string[] = [];
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile() || (!log && path.includes('pg_wal'))) continue;
      const bytes = await readFile(path).catch(() => Buffer.alloc(0)); // a file that was removed meanwhile
      if (MARKERS.some((marker) => bytes.includes(marker))) names.push(entry.name);
    }
    return names;
  }

  it('answers as without it at every node, and leaves no word in any file', async () => {
    const [one, two] = nodes;
    await one.configure('secret', { encrypted: true });
    await addAll('secret', 12);
    await two.ok('PATCH', '/v1/update', {
      collection: 'secret',
      key: 'n1',
      lang: 'en',
      contentMd: 'quokkamarker again',
    });
    await one.ok('PATCH', '/v1/update', {
      collection: 'secret',
      key: 'n2',
      lang: 'en',
      meta: { dingokey: ['wombatvalue2'], extra: ['x'] },
    });
    await two.ok('POST', '/v1/delete', { collection: 'secret', key: 'n3', lang: 'en' });
    for (const node of nodes) {
      expect(await read(node, 'secret', 'n2')).toMatchObject({
        status: 200,
        body: { contentMd: content(2), meta: { dingokey: ['wombatvalue2'], extra: ['x'] } },
      });
      await vi.waitFor(
        async () =>
          expect(await found(node, '/v1/fts', { collection: 'secret', query: 'quokkamarker', limit: 50 })).toBe(11),
        PATIENCE,
      );
      expect(await found(node, '/v1/fts', {
        collection: 'secret',
        query: 'quokkamarker',
        filterMeta: { dingokey: ['wombatvalue7'] },
      })).toBe(1);
      expect(await node.ok('POST', '/v1/revisions', { collection: 'secret', key: 'n1', lang: 'en' })).toMatchObject({
        total: 2,
        revisions: [{ contentMd: 'quokkamarker again' }, { contentMd: content(1) }],
      });
      await vi.waitFor(
        async () =>
          expect(
            await found(node, '/v1/vector-search', { collection: 'secret', query: 'who sleeps under a tree', topK: 3 }),
          ).toBe(3),
        PATIENCE,
      );
    }
    expect(await nodes[1].statusWhen('secret', ({ withPrimary }) => withPrimary >= 11 * 3)).toMatchObject({
      encrypted: true,
      plaintext: 0,
      unknownKey: 0,
      withLegacy: 0,
    });
    expect(await filesWithMarkers({ log: true })).toEqual([]);
    expect(await one.filesWith(...MARKERS)).toEqual([]);
  });

  it('refuses a value that was written in the clear or moved by another hand', async () => {
    const schema = /search_path%3D(\w+)/.exec(url)![1]!;
    await postgres.query(`SET search_path = ${schema}`, `UPDATE documents SET meta = '{"a":["b"]}' WHERE key = 'n5'`,
      `UPDATE documents d SET body = o.body FROM documents o WHERE d.key = 'n6' AND o.key = 'n7'`);
    for (const node of nodes)
      for (const key of ['n5', 'n6']) expect(await read(node, 'secret', key)).toMatchObject({ status: 500 });
    await nodes[0].add('secret', 'n5', content(5));
    await nodes[0].add('secret', 'n6', content(6));
    expect(await read(nodes[1], 'secret', 'n6')).toMatchObject({ status: 200, body: { contentMd: content(6) } });
  });

  it('takes in what a collection held before, wherever that is asked for, and rewrites the tables', async () => {
    await addAll('later', 8);
    expect(await filesWithMarkers({ log: false })).not.toEqual([]);
    await nodes[1].configure('later', { encrypted: true });
    await nodes[0].statusWhen('later', ({ plaintext, withPrimary }) => plaintext === 0 && withPrimary > 8);
    await vi.waitFor(async () => expect(await filesWithMarkers({ log: false })).toEqual([]), PATIENCE);
    expect(await read(nodes[0], 'later', 'n4')).toMatchObject({ status: 200, body: { contentMd: content(4) } });
  });

  it('rotates the key by a job of the node that works in the background, and asks for the right keys at the start', async () => {
    for (const node of nodes) await node.stop();
    await expect(nodes[0].restart(env({ SVC_ENCRYPTION_KEY: '' }))).rejects.toThrow('SVC_ENCRYPTION_KEY: required');
    await expect(nodes[0].restart(env({ SVC_ENCRYPTION_KEY: KEYS[1] }))).rejects.toThrow(
      'key 1 is not the one that this database knows',
    );
    const next = env({
      SVC_ENCRYPTION_KEY: KEYS[1],
      SVC_ENCRYPTION_KEY_ID: '2',
      SVC_ENCRYPTION_PREVIOUS_KEYS: `1:${KEYS[0]}`,
    });
    for (const node of nodes) await node.restart(next);
    const { id } = await nodes[1].ok<{ id: string }>('POST', '/v1/encryption/rotate', { collection: 'later' });
    expect(await nodes[0].ok('POST', '/v1/encryption/rotate', { collection: 'later' })).toMatchObject({ id });
    await vi.waitFor(
      async () =>
        expect(await nodes[1].ok('GET', `/v1/encryption/jobs/${id}`)).toMatchObject({ status: 'completed', errors: 0 }),
      PATIENCE,
    );
    expect(await nodes[0].statusWhen('later', () => true)).toMatchObject({ withLegacy: 0, plaintext: 0 });
    for (const node of nodes)
      for (const collection of ['secret', 'later'])
        expect(await read(node, collection, 'n4')).toMatchObject({
          status: 200,
          body: { contentMd: content(4) },
        });
  });
});
