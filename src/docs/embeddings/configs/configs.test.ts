import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EmbeddingConfig } from '../../../../generated/docs/sdk/types.gen.ts';
import { createEmbeddingProvider } from '../../../embedding/index.ts';
import { EmbeddingFixture, START } from '../../../testkit/embedding-fixture.ts';
import { checkChoice, complete, type ProviderChoice } from './provider-config.ts';

let fixture: EmbeddingFixture;
beforeEach(async () => {
  fixture = await EmbeddingFixture.open({ model: 'env-model' });
});
afterEach(() => fixture.close());

const create = (more: object = {}) =>
  fixture.call('createEmbeddingConfig', {
    name: 'small',
    provider: 'openai',
    model: 'm1',
    dimensions: 4,
    apiKey: 'secret',
    ...more,
  });
const read = (id: string) => fixture.call('getEmbeddingConfig', { id });
const list = async () => (await fixture.call('listEmbeddingConfigs', {})).configs;
const current = async () => (await fixture.stats()).model;
const storedKey = async () =>
  (await fixture.sql.get<{ api_key: string }>('SELECT api_key FROM embedding_configs'))!.api_key;

describe('embedding configurations (contract section 4, decision D-47)', () => {
  it('are created, listed and read, their keys masked', async () => {
    const { configs, ...config } = await create();
    expect(config).toEqual({
      id: expect.stringMatching(/^cfg_[0-9a-f]{24}$/) as string,
      name: 'small',
      provider: 'openai',
      model: 'm1',
      dimensions: 4,
      apiKey: '',
      apiKeySet: true,
      apiUrl: 'https://api.openai.com/v1',
      isDefault: false,
      createdAt: START,
    });
    expect(configs).toEqual([config]);
    expect(await list()).toEqual([config]);
    expect(await read(config.id)).toEqual(config);
    const second = await create({ name: 'second', provider: 'local', apiKey: undefined });
    expect((await list()).map(({ name, apiKeySet, apiUrl }) => [name, apiKeySet, apiUrl])).toEqual([['small', true,
      'https://api.openai.com/v1'], ['second', false, '']]);
    expect(second.configs).toHaveLength(2);
    const feed = JSON.stringify(await fixture.feed.read(0, 100));
    expect(feed).not.toContain('secret');
  });

  it("show what is the provider's own where nothing was given", async () => {
    expect(await create({ provider: 'none', model: undefined, dimensions: undefined, apiKey: undefined }))
      .toMatchObject({ model: '', dimensions: 0, apiUrl: '', apiKeySet: false });
    expect(await create({ model: undefined, dimensions: undefined })).toMatchObject({
      model: 'own-model',
      dimensions: 4,
    });
  });

  it('keep what is not sent, and the key when it comes back empty', async () => {
    const { id } = await create();
    expect(await fixture.call('updateEmbeddingConfig', { id, name: 'renamed', apiKey: '' })).toMatchObject({
      id,
      name: 'renamed',
      model: 'm1',
      apiKey: '',
      apiKeySet: true,
    });
    expect(await storedKey()).toBe('secret');
    await fixture.call('updateEmbeddingConfig', { id, apiKey: 'new' });
    expect(await storedKey()).toBe('new');
    await fixture.call('updateEmbeddingConfig', await read(id));
    expect(await storedKey()).toBe('new');
  });

  it('send a key nowhere but where it was given for (decision D-137)', async () => {
    const { id } = await create();
    const needsKey = { code: 'missing_fields', message: expect.stringContaining('apiKey') as string };
    for (const change of [{ apiUrl: 'https://evil.example/v1' }, { provider: 'voyage' }, {
      provider: 'ollama',
      apiUrl: 'https://evil.example',
    }]) {
      await expect(fixture.call('updateEmbeddingConfig', { id, ...change })).rejects.toMatchObject(needsKey);
    }
    expect(await read(id)).toMatchObject({ provider: 'openai', apiUrl: 'https://api.openai.com/v1' });
    // Switching to a provider without an address in between does not help.
    await fixture.call('updateEmbeddingConfig', { id, provider: 'none' });
    await expect(fixture.call('updateEmbeddingConfig', { id, provider: 'openai', apiUrl: 'https://evil.example/v1' }))
      .rejects.toMatchObject(needsKey);
    expect(await fixture.call('updateEmbeddingConfig', { id, provider: 'voyage', apiKey: 'other' })).toMatchObject({
      provider: 'voyage',
      apiKeySet: true,
    });
    expect(await storedKey()).toBe('other');
  });

  it('go before the settings of the server once one is the default, of which there is one at most', async () => {
    expect(await current()).toBe('env-model');
    const first = await create({ isDefault: true });
    expect(await current()).toBe('m1');
    const second = await create({ name: 'large', model: 'm2' });
    expect(await current()).toBe('m1');
    expect(await fixture.call('setDefaultEmbeddingConfig', { id: second.id })).toEqual({
      message: 'large is the default embedding configuration',
    });
    expect(await current()).toBe('m2');
    expect((await list()).map(({ isDefault }) => isDefault)).toEqual([false, true]);
    await fixture.call('updateEmbeddingConfig', { id: second.id, isDefault: false });
    expect(await current()).toBe('env-model');
    await fixture.call('setDefaultEmbeddingConfig', { id: first.id });
    await fixture.call('deleteEmbeddingConfig', { id: first.id });
    expect(await current()).toBe('env-model');
    expect((await list()).map(({ name }) => name)).toEqual(['large']);
  });

  it('take effect for new work without a restart, and embed nothing again', async () => {
    await fixture.add('a', 'one');
    await fixture.embeddings.settled();
    await create({ isDefault: true });
    await fixture.embeddings.settled();
    await fixture.add('b', 'two');
    await fixture.embeddings.settled();
    expect(fixture.script.calls.map(({ texts, model }) => [texts, model])).toEqual([[['one'], 'env-model'], [['two'],
      'm1']]);
    expect(await fixture.stats()).toMatchObject({ collections: { blog: { stale: true, embedded_documents: 2 } } });
    expect((await fixture.embeddings.of('').embedQuery('q')).model).toBe('m1');
    expect(fixture.script.closed).toBeGreaterThan(0);
  });

  it('free the queue of a provider that failed', async () => {
    fixture.script.failure = () => new Error('broken');
    await fixture.add('a', 'one');
    await fixture.embeddings.settled();
    fixture.script.failure = () => undefined;
    await create({ isDefault: true });
    await fixture.embeddings.settled();
    expect(await fixture.embedded('a')).toBe(1);
  });

  it('switch embedding off with the provider none, and on again for what is written from then on', async () => {
    const { id } = await create({ provider: 'none', apiKey: undefined, isDefault: true });
    expect(await fixture.stats()).toMatchObject({ enabled: false, provider: 'none' });
    await fixture.add('a', 'one');
    await expect(fixture.embeddings.of('').embedQuery('q')).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'embedding provider not configured',
    });
    await fixture.call('deleteEmbeddingConfig', { id });
    await fixture.add('b', 'two');
    await fixture.embeddings.settled();
    expect(fixture.script.texts).toEqual(['two']);
    expect(await fixture.states()).toEqual([]);
  });

  it('survive a restart', async () => {
    await create({ isDefault: true });
    const survivor = await fixture.crashed({ model: 'env-model' });
    expect((await survivor.stats()).model).toBe('m1');
    await survivor.close();
  });

  it('are not there under an unknown id', async () => {
    const id = 'cfg_000000000000000000000000';
    for (const operation of ['getEmbeddingConfig', 'updateEmbeddingConfig', 'deleteEmbeddingConfig',
      'setDefaultEmbeddingConfig'] as const)
    {
      await expect(fixture.call(operation, { id })).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('must be able to work', async () => {
    await expect(create({ apiKey: '' })).rejects.toMatchObject({
      code: 'missing_fields',
      message: 'missing fields: apiKey',
    });
    await expect(create({ apiUrl: 'https://user:pass@host/v1' })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('apiUrl') as string,
    });
    await expect(create({ apiUrl: 'ftp://host' })).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(await list()).toEqual([]);
    const { id } = await create();
    await expect(fixture.call('updateEmbeddingConfig', { id, apiUrl: 'http://x@host' })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    expect((await read(id)).apiUrl).toBe('https://api.openai.com/v1');
  });
});

describe('configurations of the real providers', () => {
  const server = { offline: true, cacheFolder: '/nowhere' };
  const choice = (given: Partial<ProviderChoice>): ProviderChoice => ({
    provider: 'openai',
    model: '',
    dimensions: 0,
    apiKey: 'k',
    apiUrl: '',
    ...given,
  });

  it.each([[{ apiKey: ' x y' }, 'apiKey'], [{ dimensions: 10_000_000 }, 'dimensions'], [{
    provider: 'builtin',
    model: 'other',
  }, 'model'], [{ model: 'a\nb' }, 'model']] as const)('%j cannot work', async (given, field) => {
    await expect(checkChoice(choice(given), server, createEmbeddingProvider)).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(field) as string,
    });
  });

  it.each([[{}, { model: 'text-embedding-3-small', dimensions: 1536, apiUrl: 'https://api.openai.com/v1' }], [{
    provider: 'voyage',
  }, { model: 'voyage-3', dimensions: 1024, apiUrl: 'https://api.voyageai.com/v1' }], [{ provider: 'ollama' }, {
    model: 'nomic-embed-text',
    dimensions: 768,
    apiUrl: 'http://localhost:11434',
  }], [{ provider: 'local' }, { model: 'minilm-l6-v2', dimensions: 384, apiUrl: '' }], [{
    provider: 'local',
    apiUrl: 'http://gpu:11434',
  }, { model: 'nomic-embed-text', dimensions: 768, apiUrl: 'http://gpu:11434' }], [{
    provider: 'openai',
    model: 'text-embedding-3-large',
    dimensions: 256,
  }, { model: 'text-embedding-3-large', dimensions: 256 }]] as [Partial<ProviderChoice>, Partial<EmbeddingConfig>][])(
    '%j has its defaults (decisions section 4.3)',
    async (given, expected) => {
      await checkChoice(choice(given), server, createEmbeddingProvider);
      expect(await complete(choice(given), server, createEmbeddingProvider)).toMatchObject(expected);
    },
  );
});
