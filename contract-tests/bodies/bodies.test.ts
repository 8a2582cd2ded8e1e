import { readFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BUCKET, S3Server } from '../../src/testkit/s3-server.ts';
import { BodiesFixture } from './test-fixture.ts';

const LONG = 'A kookaburra laughs in the morning. '.repeat(100);
const KEY = Buffer.alloc(32, 0x42).toString('base64');

let s3: S3Server;
let server: BodiesFixture;
beforeAll(async () => {
  s3 = await S3Server.start();
  server = await BodiesFixture.start();
});
afterEach(() => s3.fail());
afterAll(async () => {
  await server.end();
  await s3.stop();
});

/** The rows of a collection's documents as they are stored. */
function rowsOf(collection: string): { backend: string; body: Uint8Array }[] {
  const database = new DatabaseSync(server.database, { readOnly: true });
  try {
    return database.prepare(
      'SELECT d.backend, d.body FROM documents d JOIN collections c ON c.id = d.cid WHERE c.name = ?',
    ).all(collection) as { backend: string; body: Uint8Array }[];
  } finally {
    database.close();
  }
}

const at = (collection: string, key = 'a') => ({ collection, key, lang: 'en' });
interface Revisions {
  readonly revisions: { readonly revision: number; readonly contentMd: string }[];
}

describe.each(['boltdb', 'memory', 's3'] as const)('bodies in %s', (storageBackend) => {
  const collection = `in-${storageBackend}`;
  const placement = () => (storageBackend === 's3' ? { storageBackend, storageConfig: s3.config } : { storageBackend });

  it('are written, replaced, read, found, listed and exported', async () => {
    await server.configure(collection, placement());
    await server.add(collection, 'a', LONG, { meta: { bird: ['kookaburra'] } });
    await server.add(collection, 'b', 'short');
    await server.ok('PATCH', '/v1/update', { ...at(collection, 'b'), contentMd: `${LONG}twice` });
    expect(await server.textOf(collection, 'a')).toBe(LONG);
    expect(await server.textOf(collection, 'b')).toBe(`${LONG}twice`);
    const documents = Array.from({ length: 40 },
      (_, i) => ({ key: `n${i}`, lang: 'en', contentMd: `number ${i} ${LONG}` }));
    await server.ok('POST', '/v1/add-batch', { collection, documents });
    const listed = await server.ok<{ key: string; contentMd: string }[]>('POST', '/v1/search', {
      collection,
      limit: 100,
      includeContent: true,
    });
    expect(
      listed.filter(({ key }) => key.startsWith('n')).every(({ key, contentMd }) =>
        contentMd === `number ${key.slice(1)} ${LONG}`
      ),
    ).toBe(true);
    expect(listed).toHaveLength(42);
    expect(await server.ok('POST', '/v1/fts', { collection, query: 'twice', highlight: true })).toMatchObject({
      totalMatches: 1,
      results: [{ document: { key: 'b' } }],
    });
    const exported = await (await server.send('POST', '/v1/export', { collection, format: 'ndjson' })).text();
    expect(exported.trim().split('\n')).toHaveLength(42);
    expect(exported).toContain(JSON.stringify(`${LONG}twice`));
    const kinds = new Set(rowsOf(collection).map(({ backend }) => backend.split(':')[0]));
    expect(kinds).toEqual(new Set([storageBackend]));
  });

  it('keep their revisions, and come back from a deletion with them', async () => {
    await server.add(collection, 'r', 'first');
    await server.add(collection, 'r', `second ${LONG}`);
    await server.ok('POST', '/v1/set-ttl', { ...at(collection, 'r'), ttl: 0 });
    const { revisions } = await server.ok<Revisions>('POST', '/v1/revisions', {
      ...at(collection, 'r'),
      includeContent: true,
    });
    expect(revisions.map(({ contentMd }) => contentMd)).toEqual([`second ${LONG}`, 'first']);
    await server.ok('POST', '/v1/delete', at(collection, 'r'));
    await server.ok('POST', '/v1/revisions/restore', { ...at(collection, 'r'), revision: revisions[1]!.revision });
    expect(await server.textOf(collection, 'r')).toBe('first');
    expect((await server.ok<Revisions>('POST', '/v1/revisions', at(collection, 'r'))).revisions).toHaveLength(3);
  });

  it('stay where they are when the collection goes on elsewhere (decision D-45)', async () => {
    await server.configure(collection, { storageBackend: storageBackend === 'boltdb' ? 'memory' : 'boltdb' });
    await server.add(collection, 'later', LONG);
    expect(await server.textOf(collection, 'a')).toBe(LONG);
    expect(await server.textOf(collection, 'later')).toBe(LONG);
    expect(new Set(rowsOf(collection).map(({ backend }) => backend.split(':')[0])).size).toBe(2);
  });
});

describe('what holds a collection', () => {
  it('moves between places by export and import, and a restored backup reads what was in the bucket', async () => {
    await server.configure('archive', { storageBackend: 's3', storageConfig: s3.config });
    await server.add('archive', 'a', LONG);
    const exported = await (await server.send('POST', '/v1/export', { collection: 'archive', format: 'ndjson' }))
      .text();
    await server.configure('copy', { storageBackend: 'memory' });
    expect((await server.sendLines('/v1/import?collection=copy', exported)).status).toBe(200);
    expect(await server.textOf('copy', 'a')).toBe(LONG);
    await server.ok('POST', '/v1/backup', { to: 'bodies.db' });
    await server.add('archive', 'a', 'later');
    await server.ok('POST', '/v1/restore', { from: 'bodies.db' });
    expect([await server.textOf('archive', 'a'), await server.textOf('copy', 'a')]).toEqual([LONG, LONG]);
    await server.add('archive', 'b', 'after the restore');
    expect(await server.textOf('archive', 'b')).toBe('after the restore');
  });
});

describe('bodies in memory', () => {
  it(
    'are lost with a restart: reads of them return 404, while metadata and words that need none go on, and a new ' +
      'version is whole',
    async () => {
      await server.configure('lost', { storageBackend: 'memory' });
      await server.add('lost', 'a', LONG, { meta: { bird: ['kookaburra'] } });
      await server.restart();
      expect(await server.refused('POST', '/v1/get', at('lost'))).toMatchObject({
        status: 404,
        code: 'not_found',
        error: expect.stringContaining('memory') as string,
      });
      expect(await server.ok('POST', '/v1/search', {
        collection: 'lost',
        filterMeta: { bird: ['kookaburra'] },
        includeContent: false,
      })).toMatchObject([{ key: 'a' }]);
      await server.add('lost', 'a', 'a numbat');
      await server.add('lost', 'b', 'a kookaburra');
      expect(await server.textOf('lost', 'a')).toBe('a numbat');
      expect(await server.ok('POST', '/v1/fts', { collection: 'lost', query: 'numbat' })).toMatchObject({
        totalMatches: 1,
      });
    },
  );

  it('have a limit, which refuses writes and loses nothing', async () => {
    await server.restart({ SVC_BODIES_MEMORY_BYTES: '2KiB' });
    await server.configure('small', { storageBackend: 'memory' });
    await server.add('small', 'a', 'fits');
    const noise = Array.from({ length: 1500 }, (_, i) => Math.sin(i)).join(' ');
    expect(await server.refused('POST', '/v1/add', { ...at('small', 'b'), contentMd: noise })).toMatchObject({
      status: 503,
      error: expect.stringContaining('SVC_BODIES_MEMORY_BYTES') as string,
    });
    expect(await server.textOf('small', 'a')).toBe('fits');
    await server.restart();
  });
});

describe('a bucket', () => {
  const s3Config = (change: object = {}) => ({
    collection: 'refused',
    storageBackend: 's3',
    storageConfig: { ...s3.config, ...change },
  });

  it('is tried when it is configured, and the wrong field is named', async () => {
    const cases: [object, string][] = [[{ endpoint: '127.0.0.1:1' }, 'storageConfig.endpoint: '], [{
      endpoint: '169.254.169.254',
    }, 'storageConfig.endpoint: '], [{ endpoint: 'not a host' }, 'storageConfig.endpoint: '], [{
      endpoint: 'user:pw@127.0.0.1',
    }, 'storageConfig.endpoint: '], [{ bucket: 'absent' }, 'storageConfig.bucket: '], [{ accessKey: 'nobody' },
      'storageConfig.accessKey: '], [{ endpoint: '' }, 'missing fields: storageConfig.endpoint']];
    for (const [change, error] of cases) {
      expect(await server.refused('PUT', '/v1/collection-config', s3Config(change)), JSON.stringify(change))
        .toMatchObject({ status: 400, error: expect.stringContaining(error) as string });
    }
    for (const [fault, error] of [['error', 'endpoint'], ['denied', 'accessKey'], ['unsigned', 'secretKey'], ['cut',
      'endpoint'], ['gone', 'endpoint'], ['damaged', 'endpoint']] as const)
    {
      s3.fail(fault, fault === 'cut' || fault === 'damaged' ? 'GET' : 'PUT');
      const refusal = await server.refused('PUT', '/v1/collection-config', s3Config());
      expect(refusal, fault).toMatchObject({
        status: 400,
        error: expect.stringContaining(`storageConfig.${error}: `) as string,
      });
      expect(refusal.error).not.toContain('SECRET');
    }
    expect(await server.ok('GET', '/v1/collection-config?collection=refused')).toMatchObject({ configured: false });
    s3.fail();
    await server.ok('PUT', '/v1/collection-config', s3Config());
    expect([...(await s3.objects()).keys()].filter((path) => path.startsWith('probe/'))).toEqual([]);
  });

  it('is not asked again for changes of something else, and keeps its secret for an empty one', async () => {
    await server.configure('kept', { storageBackend: 's3', storageConfig: s3.config });
    s3.fail('gone');
    await server.configure('kept', { description: 'the same place' });
    s3.fail();
    await server.configure('kept', { storageConfig: { ...s3.config, secretKey: '', prefix: 'below/' } });
    const { config } = await server.ok<{ config: Record<string, unknown> }>('GET',
      '/v1/collection-config?collection=kept');
    expect(config['storageConfig']).toMatchObject({
      secretKey: '',
      secretKeySet: true,
      prefix: 'below/',
      bucket: BUCKET,
    });
    await server.add('kept', 'a', LONG);
    expect([...(await s3.objects()).keys()].some((path) => path.startsWith('below/'))).toBe(true);
  });

  it(
    'that is unavailable makes writes, and reads of bodies that are not in memory, return 503, and nothing is ' +
      'stored elsewhere',
    async () => {
      await server.configure('down', { storageBackend: 's3', storageConfig: s3.config });
      await server.add('down', 'a', LONG, { meta: { bird: ['kookaburra'] } });
      await server.restart();
      s3.fail('gone');
      for (const [method, path, body] of [['POST', '/v1/add', { ...at('down', 'b'), contentMd: 'new' }], ['PATCH',
        '/v1/update', { ...at('down'), contentMd: 'other' }], ['POST', '/v1/get', at('down')], ['POST', '/v1/set-ttl', {
        ...at('down'),
        ttl: 60,
      }]] as const) {
        expect(await server.refused(method, path, body), path).toMatchObject({
          status: 503,
          code: 'unavailable',
          retryAfter: '5',
        });
      }
      const asked = s3.requests['GET']!;
      await server.refused('POST', '/v1/get', at('down')); // the circuit is open: no request is sent
      expect(s3.requests['GET']).toBe(asked);
      expect(await server.ok('POST', '/v1/search', {
        collection: 'down',
        filterMeta: { bird: ['kookaburra'] },
        includeContent: false,
      })).toMatchObject([{ key: 'a' }]);
      expect(await server.ok('POST', '/v1/fts', { collection: 'down', query: 'kookaburra', includeContent: false }))
        .toMatchObject({ totalMatches: 1 });
      await server.add('elsewhere', 'a', 'others go on');
      expect(await server.ok('POST', '/v1/fts', { collection: 'elsewhere', query: 'others' })).toMatchObject({
        totalMatches: 1,
      });
      s3.fail();
      server.advance(6);
      expect(await server.textOf('down', 'a')).toBe(LONG);
      await server.add('down', 'b', 'new');
      s3.fail('gone');
      expect(await server.textOf('down', 'b'), 'from the cache').toBe('new');
      server.advance(6);
    },
  );

  it('that fails in any way never makes a wrong body', async () => {
    await server.restart({ SVC_BODIES_CACHE_BYTES: '0' });
    for (const fault of ['error', 'cut', 'gone', 'damaged'] as const) {
      await server.configure(fault, { storageBackend: 's3', storageConfig: { ...s3.config, prefix: fault } });
      await server.add(fault, 'a', LONG);
      s3.fail(fault, 'GET');
      expect((await server.refused('POST', '/v1/get', at(fault))).status, fault).toBe(fault === 'damaged' ? 500 : 503);
      s3.fail();
      expect(await server.textOf(fault, 'a')).toBe(LONG);
    }
  });

  it('stores nothing that can be read without the database, encrypted or not, and its secret is encrypted there', async () => {
    await server.restart({ SVC_ENCRYPTION_KEY: KEY });
    await server.configure('sealed', {
      storageBackend: 's3',
      storageConfig: { ...s3.config, accessKey: 'S3RVER', region: 'us-east-1' },
      encrypted: true,
    });
    await server.add('sealed', 'a', 'a quiet numbat');
    await server.add('sealed', 'a', 'a loud numbat');
    expect((await server.ok<Revisions>('POST', '/v1/revisions', at('sealed'))).revisions).toHaveLength(2);
    expect([...(await s3.objects()).values()].some((bytes) => bytes.includes('numbat'))).toBe(false);
    const database = new DatabaseSync(server.database, { readOnly: true });
    const stored = JSON.stringify([
      database.prepare("SELECT config FROM collection_configs WHERE collection = 'sealed'").all(),
      database.prepare("SELECT config FROM body_stores WHERE collection = 'sealed'").all(),
    ]);
    database.close();
    expect(stored).toContain('secretKey');
    expect(stored).not.toContain('secretKey\\":\\"S3RVER');
    expect(rowsOf('sealed').every(({ body }) => Buffer.from(body).subarray(0, 6).equals(Buffer.from('SVCENC')))).toBe(
      true,
    );
    const other = Buffer.alloc(32, 0x43).toString('base64');
    await server.restart({
      SVC_ENCRYPTION_KEY: other,
      SVC_ENCRYPTION_KEY_ID: '2',
      SVC_ENCRYPTION_PREVIOUS_KEYS: `1:${KEY}`,
    });
    const { id } = await server.ok<{ id: string }>('POST', '/v1/encryption/rotate');
    while ((await server.ok<{ status: string }>('GET', `/v1/encryption/jobs/${id}`)).status !== 'completed') continue;
    await server.restart({ SVC_ENCRYPTION_KEY: other, SVC_ENCRYPTION_KEY_ID: '2' });
    expect(await server.textOf('sealed', 'a')).toBe('a loud numbat');
    await server.add('sealed', 'b', 'another');
    expect((await readFile(server.database)).includes('numbat')).toBe(false);
  });
});
