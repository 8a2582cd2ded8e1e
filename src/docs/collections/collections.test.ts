import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../errors/index.ts';
import type { Context } from '../../operations/index.ts';
import { ChangeFeed, DOCUMENT_MIGRATIONS, KeyRing, resealSecrets, type Sql } from '../../storage/index.ts';
import { openMigrated } from '../../testkit/migrated-database.ts';
import { UNRESTRICTED } from '../../testkit/unrestricted.ts';
import { type CollectionConfig, type Collections, createCollections } from './index.ts';

const clock = { now: () => 1_766_400_000_000 };
const context = UNRESTRICTED as Context;

let sql: Sql;
let feed: ChangeFeed;
let collections: Collections;

beforeEach(async () => {
  sql = await openMigrated({ path: ':memory:' }, DOCUMENT_MIGRATIONS);
  feed = new ChangeFeed(sql, clock);
  collections = createCollections({ sql, feed, clock });
  await collections.load();
});
afterEach(() => sql.close());

const put = (changes: object, collection = 'blog') =>
  collections.handlers.setCollectionConfig({ collection, ...changes }, context);
const read = async (collection = 'blog') =>
  (await collections.handlers.getCollectionConfig({ collection }, context)) as {
    collection: string;
    configured: boolean;
    config: Record<string, unknown>;
  };
const kinds = async () => (await feed.read(0, 100)).map(({ kind, collection }) => `${kind} ${collection}`);

describe('reading a configuration (contract section 4)', () => {
  it('returns the defaults of a collection that has none', async () => {
    expect(await read()).toEqual({
      collection: 'blog',
      configured: false,
      config: {
        collection: 'blog',
        type: 'default',
        description: '',
        icon: '',
        color: '',
        customMeta: {},
        storageBackend: 'boltdb',
        maxRevisions: 0,
        retrieval: {},
        responsePrompt: '',
        trackAccess: false,
        trackHot: false,
        spellCorrect: false,
        spellLang: '',
        quantization: 'float32',
        diskOnlyVectors: false,
        encrypted: false,
        partitions: 1,
      },
    });
  });

  it('finds it in any letter case and returns the spelling of the request', async () => {
    await put({ type: 'website' }, 'Blog');
    expect(await read('BLOG')).toMatchObject({
      collection: 'BLOG',
      configured: true,
      config: { collection: 'BLOG', type: 'website' },
    });
    expect(collections.configOf('bLOG')).toEqual({ type: 'website' });
  });

  it('lists by name, without those of the system', async () => {
    await put({ type: 'images' }, 'zoo');
    await put({ type: 'audio' }, 'Arias');
    await sql.transaction((tx) => collections.configure(tx, '_memory', { maxRevisions: 1 }));
    const { configs, total } = (await collections.handlers.listCollectionConfigs({ offset: 0 }, context)) as {
      configs: { collection: string }[];
      total: number;
    };
    expect(configs.map(({ collection }) => collection)).toEqual(['arias', 'zoo']);
    expect(total).toBe(2);
  });
});

describe('writing a configuration (decision D-44)', () => {
  it('returns ok and leaves what is omitted unchanged', async () => {
    expect(await put({ description: 'Posts', maxRevisions: 3 })).toEqual({ status: 'ok', collection: 'blog' });
    await put({ maxRevisions: 5 });
    expect(collections.configOf('blog')).toEqual({ description: 'Posts', maxRevisions: 5 });
  });

  it('merges retrieval per field; null removes one field or all', async () => {
    await put({ retrieval: { topK: 7, hybridAlpha: 0, hybridAlphaSet: true } });
    await put({ retrieval: { oversample: 2, topK: null } });
    expect(collections.configOf('blog')!.retrieval).toEqual({ hybridAlpha: 0, hybridAlphaSet: true, oversample: 2 });
    await put({ retrieval: null });
    expect(collections.configOf('blog')).toEqual({});
  });

  it('turns the weight of hybrid search on with its value, unless the flag says otherwise (decision D-136)', async () => {
    const retrieval = () => collections.configOf('blog')!.retrieval;
    await put({ retrieval: { hybridAlpha: 0 } });
    expect(retrieval()).toEqual({ hybridAlpha: 0, hybridAlphaSet: true });
    await put({ retrieval: { hybridAlphaSet: false } });
    expect(retrieval()).toEqual({ hybridAlpha: 0, hybridAlphaSet: false });
    await put({ retrieval: { topK: 3 } });
    expect(retrieval()).toEqual({ hybridAlpha: 0, hybridAlphaSet: false, topK: 3 });
    await put({ retrieval: { hybridAlpha: 0.4, hybridAlphaSet: null } });
    expect(retrieval()).toEqual({ hybridAlpha: 0.4, hybridAlphaSet: true, topK: 3 });
    await put({ retrieval: { hybridAlpha: 0.5, hybridAlphaSet: false } });
    expect(retrieval()).toEqual({ hybridAlpha: 0.5, hybridAlphaSet: false, topK: 3 });
    await put({ retrieval: { hybridAlpha: null } });
    expect(retrieval()).toEqual({ topK: 3 });
  });

  it('replaces customMeta whole; null removes it', async () => {
    await put({ customMeta: { a: 1, b: { c: null } } });
    await put({ customMeta: { d: null } });
    expect((await read()).config['customMeta']).toEqual({ d: null });
    await put({ customMeta: null });
    expect((await read()).config['customMeta']).toEqual({});
  });

  it('stores no other fields', async () => {
    await put({ nonsense: 1, type: 'audio' });
    expect(collections.configOf('blog')).toEqual({ type: 'audio' });
  });

  it('survives a restart and appends to the change feed', async () => {
    await put({ type: 'audio' }, 'Blog');
    const later = createCollections({ sql, feed, clock });
    await later.load();
    expect(later.configOf('blog')).toEqual({ type: 'audio' });
    expect(await kinds()).toEqual(['config.put blog']);
  });

  it('merges concurrent writes, losing none', async () => {
    await Promise.all([put({ type: 'audio' }), put({ icon: '♪' }), put({ color: '#fff' })]);
    expect(collections.configOf('blog')).toEqual({ type: 'audio', icon: '♪', color: '#fff' });
  });

  it('forgets what its transaction undid', async () => {
    const undone = sql.transaction(async (tx) => {
      await collections.configure(tx, 'blog', { type: 'scraping' });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(collections.configOf('blog')).toBeUndefined();
  });
});

describe('credentials (contract section 2)', () => {
  const s3 = { endpoint: 's3.example.org', bucket: 'b', accessKey: 'AKIA', secretKey: 's3cret' };

  it('masks them in every response', async () => {
    await put({ storageConfig: s3, wordpress: { url: 'https://w.example', apiKey: 'wp' } });
    const { config } = await read();
    expect(config['storageConfig']).toEqual({
      ...s3,
      region: '',
      prefix: '',
      useTLS: false,
      secretKey: '',
      secretKeySet: true,
    });
    expect(config['wordpress']).toEqual({ url: 'https://w.example', apiKey: '', apiKeySet: true });
    expect(JSON.stringify(await collections.handlers.listCollectionConfigs({ offset: 0 }, context))).not.toMatch(
      /s3cret|"wp"/,
    );
  });

  it.each([['empty', { secretKey: '' }], ['absent', {}]])('keeps the stored one where it is %s', async (_, rest) => {
    await put({ storageConfig: s3 });
    await put({ storageConfig: { endpoint: s3.endpoint, bucket: 'other', ...rest } });
    expect(collections.configOf('blog')!.storageConfig).toEqual({
      endpoint: s3.endpoint,
      bucket: 'other',
      secretKey: 's3cret',
    });
  });

  it.each([['storageConfig', s3, { ...s3, endpoint: 'evil.example', secretKey: '' }, 'storageConfig.secretKey'], [
    'wordpress',
    { url: 'https://w.example', apiKey: 'wp' },
    { url: 'https://evil.example' },
    'wordpress.apiKey',
  ]])('does not send that of %s where a new address says, unless it is sent again (decision D-137)',
    async (block, stored, changed, secret) => {
      await put({ [block]: stored });
      await expect(put({ [block]: changed })).rejects.toMatchObject({
        code: 'missing_fields',
        message: expect.stringContaining(secret) as string,
      });
      expect(collections.configOf('blog')).toMatchObject({ [block]: stored });
      const field = secret.split('.')[1]!;
      await put({ [block]: { ...changed, [field]: 'again' } });
      expect(collections.configOf('blog')).toMatchObject({ [block]: { ...changed, [field]: 'again' } });
    });

  it('replaces it by a new value', async () => {
    await put({ wordpress: { url: 'https://w.example', apiKey: 'old' } });
    await put({ wordpress: { url: 'https://w.example', apiKey: 'new' } });
    expect(collections.configOf('blog')!.wordpress).toEqual({ url: 'https://w.example', apiKey: 'new' });
  });

  it('clears it with its block', async () => {
    await put({ wordpress: { url: 'https://w.example', apiKey: 'old' } });
    await put({ wordpress: null });
    await put({ wordpress: { url: 'https://w.example', apiKey: '' } });
    expect((await read()).config['wordpress']).toEqual({ url: 'https://w.example', apiKey: '', apiKeySet: false });
  });

  it('ignores the flags, so that what was read can be written back', async () => {
    await put({ storageConfig: s3 });
    await put({ storageConfig: (await read()).config['storageConfig'] });
    expect(collections.configOf('blog')!.storageConfig).toEqual({ ...s3, region: '', prefix: '', useTLS: false });
    await put({ wordpress: { url: '', apiKey: '', apiKeySet: true } });
    expect((await read()).config['wordpress']).toMatchObject({ apiKeySet: false });
  });
});

describe('settings that do not fit together', () => {
  it.each([
    [{ storageBackend: 's3' }, 'missing_fields', 'missing fields: storageConfig.endpoint, storageConfig.bucket'],
    [{ storageBackend: 's3', storageConfig: { endpoint: 'e', bucket: '' } }, 'missing_fields',
      'missing fields: storageConfig.bucket'],
    [{ encrypted: true }, 'invalid_argument', 'encrypted needs an encryption key'], // decision D-43
    // decision D-42
    [{ diskOnlyVectors: true }, 'invalid_argument', 'diskOnlyVectors needs quantization int8 or int4, got float32'],
  ])('%j is refused and changes nothing', async (changes, code, message) => {
    await put({ type: 'audio' });
    await expect(put(changes)).rejects.toMatchObject({ code, message: expect.stringContaining(message) as string });
    expect(collections.configOf('blog')).toEqual({ type: 'audio' });
    expect(await kinds()).toEqual(['config.put blog']);
  });

  it('looks at the merged settings', async () => {
    await put({ quantization: 'int8' });
    await put({ diskOnlyVectors: true });
    await expect(put({ quantization: 'float32' })).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

describe('deleting a configuration', () => {
  it('brings the defaults back', async () => {
    await put({ type: 'audio' });
    expect(await collections.handlers.deleteCollectionConfig({ collection: 'Blog' }, context)).toEqual({
      status: 'deleted',
      collection: 'Blog',
    });
    expect(await read()).toMatchObject({ configured: false, config: { type: 'default' } });
    expect(await kinds()).toEqual(['config.put blog', 'config.delete blog']);
  });

  it('returns the same where there is none, and writes nothing', async () => {
    expect(await collections.handlers.deleteCollectionConfig({ collection: 'blog' }, context)).toEqual({
      status: 'deleted',
      collection: 'blog',
    });
    expect(await kinds()).toEqual([]);
  });
});

describe('the place of bodies', () => {
  const s3 = { endpoint: 's3.example.org', bucket: 'b', secretKey: 's3cret' };
  let calls: string[];
  /** Outcome of testing a place. */
  let tried: (config: CollectionConfig) => Promise<void>;
  beforeEach(async () => {
    calls = [];
    tried = async () => undefined;
    const told = (what: string,
      { storageBackend, storageConfig }: Pick<CollectionConfig, 'storageBackend' | 'storageConfig'>) =>
      void calls.push([what, storageBackend, storageConfig?.bucket].filter(Boolean).join(' '));
    const bodies = {
      probe: async (config: CollectionConfig) => {
        told('probe', config);
        await tried(config);
      },
      remember: async (_: unknown, name: string, config: CollectionConfig) => told(`remember ${name}`, config),
    };
    collections = createCollections({ sql, feed, clock }, { bodies });
    await collections.load();
  });

  it('is tried before it is stored, and when it changes only', async () => {
    await put({ storageBackend: 's3', storageConfig: s3 }, 'Blog');
    await put({ description: 'posts' });
    await put({ storageConfig: { ...s3, secretKey: '' } });
    expect(calls).toEqual(['probe s3 b', 'remember blog s3 b']);
    await put({ storageConfig: { ...s3, bucket: 'c' } });
    await put({ storageBackend: 'memory' });
    expect(calls.slice(2)).toEqual(['probe s3 c', 'remember blog s3 c', 'probe memory c', 'remember blog memory c']);
  });

  it('changes nothing when it does not do what it is asked', async () => {
    tried = async () => {
      throw new ServiceError('invalid_argument', 'storageConfig.bucket: there is none');
    };
    await expect(put({ type: 'audio', storageBackend: 's3', storageConfig: s3 })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    expect(collections.configOf('blog')).toBeUndefined();
    expect(calls).toEqual(['probe s3 b']);
  });

  it('is tried again when another write has made a third one of it meanwhile', async () => {
    await put({ storageConfig: s3 });
    let first = true;
    tried = async () => {
      if (first) {
        first = false;
        await put({ storageConfig: { ...s3, bucket: 'other' } });
      }
    };
    await put({ storageBackend: 's3' });
    expect(calls).toEqual(['probe s3 b', 'probe s3 other', 'remember blog s3 other']);
  });

  it('cannot be elsewhere on a server that keeps all in its database', async () => {
    collections = createCollections({ sql, feed, clock });
    await collections.load();
    await expect(put({ storageBackend: 'memory' })).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

describe('credentials on a server with keys', () => {
  const [old, next] = [{ id: 1, bytes: Buffer.alloc(32, 1) }, { id: 2, bytes: Buffer.alloc(32, 2) }];
  const secrets = {
    storageConfig: { endpoint: 'e', bucket: 'b', secretKey: 's3cret' },
    wordpress: { url: 'https://w.example', apiKey: 'wp-key' },
  };
  const opened = async (keys?: KeyRing): Promise<Collections> => {
    collections = createCollections({ sql, feed, clock, keys });
    await collections.load();
    if (keys !== undefined) await resealSecrets(sql, keys);
    return collections;
  };
  const stored = async () => (await sql.get<{ config: string }>('SELECT config FROM collection_configs'))!.config;

  it('are encrypted in the database, those from before with the next start, and follow the keys', async () => {
    await put(secrets);
    expect(await stored()).toContain('s3cret');
    await opened(new KeyRing(old));
    expect(await stored()).not.toMatch(/s3cret|wp-key/);
    await put({ description: 'posts' });
    expect(await stored()).not.toMatch(/s3cret|wp-key/);
    await opened(new KeyRing(next, [old]));
    expect((await opened(new KeyRing(next))).configOf('blog')).toMatchObject(secrets);
    await expect(opened(new KeyRing(old))).rejects.toMatchObject({ code: 'internal' });
  });
});
