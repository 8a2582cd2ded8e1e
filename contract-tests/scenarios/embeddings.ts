import { expect } from 'vitest';
import { addDocuments, createEmbeddingConfig, deleteEmbeddingConfig, getConfig, getEmbeddingConfig, getVectorStats,
  listEmbeddingConfigs, reindexVectors, setDefaultEmbeddingConfig,
  updateEmbeddingConfig } from '../../generated/docs/sdk/sdk.gen.ts';
import type { CreateEmbeddingConfigRequest, EmbeddingConfig } from '../../generated/docs/sdk/types.gen.ts';
import { refused, succeeded } from '../support/expectations.ts';
import { type DocsContext, type DocsScenarios, now, store } from './scenario.ts';

const UNKNOWN = 'cfg_000000000000000000000000';

async function create({ client }: DocsContext,
  more: Partial<CreateEmbeddingConfigRequest> = {}): Promise<EmbeddingConfig>
{
  const { configs, ...config } = succeeded(
    await createEmbeddingConfig({ client, body: { name: 'lexical', provider: 'builtin', ...more } }),
  );
  expect(configs).toContainEqual(config);
  return config;
}

const remove = ({ client }: DocsContext, { id }: EmbeddingConfig) => deleteEmbeddingConfig({ client, path: { id } });

/** Runs with the provider that needs neither key nor network; otherwise the server has no provider. */
async function withProvider(context: DocsContext, run: () => Promise<void>): Promise<void> {
  const config = await create(context, { isDefault: true });
  try {
    await run();
  } finally {
    await remove(context, config);
  }
}

/**
 * Embedding models and configurations (contract, section 4, "Collection and embedding configuration" and "Vector
 * search").
 */
export const embeddings: DocsScenarios = {
  async createEmbeddingConfig(context) {
    const { client, direct } = context;
    const config = await create(context);
    expect(config).toMatchObject({
      name: 'lexical',
      provider: 'builtin',
      model: 'static-en-256',
      dimensions: 256,
      apiKey: '',
      apiKeySet: false,
      apiUrl: '',
      isDefault: false,
    });
    expect(config.id).toMatch(/^cfg_[0-9a-f]{24}$/);
    expect(Math.abs(config.createdAt - now())).toBeLessThan(60);
    const hosted = await create(context, { name: 'hosted', provider: 'openai', apiKey: 'sk-example' });
    expect(hosted).toMatchObject({
      model: 'text-embedding-3-small',
      dimensions: 1536,
      apiKey: '',
      apiKeySet: true,
      apiUrl: 'https://api.openai.com/v1',
    });
    refused(await createEmbeddingConfig({ client, body: { name: 'x', provider: 'voyage' } }), 400, 'missing_fields');
    refused(await createEmbeddingConfig({
      client,
      body: { name: 'x', provider: 'local', apiUrl: 'http://user:password@host' },
    }), 400, 'invalid_argument');
    refused(await createEmbeddingConfig({ client: direct, body: { name: 'x', provider: 'other' as never } }), 400,
      'invalid_argument');
    for (const each of [config, hosted]) await remove(context, each);
  },

  async listEmbeddingConfigs(context) {
    const configs = [await create(context, { name: 'one' }), await create(context, { name: 'two' })];
    expect(succeeded(await listEmbeddingConfigs({ client: context.client })).configs).toEqual(
      expect.arrayContaining(configs) as EmbeddingConfig[],
    );
    for (const each of configs) await remove(context, each);
  },

  async getEmbeddingConfig(context) {
    const config = await create(context);
    expect(succeeded(await getEmbeddingConfig({ client: context.client, path: { id: config.id } }))).toEqual(config);
    refused(await getEmbeddingConfig({ client: context.client, path: { id: UNKNOWN } }), 404, 'not_found');
    await remove(context, config);
  },

  async updateEmbeddingConfig(context) {
    const { client } = context;
    const config = await create(context, { provider: 'voyage', apiKey: 'secret' });
    const changed = succeeded(await updateEmbeddingConfig({
      client,
      path: { id: config.id },
      body: { name: 'large', model: 'voyage-3-large', apiKey: '' },
    }));
    expect(changed).toEqual({ ...config, name: 'large', model: 'voyage-3-large' });
    refused(await updateEmbeddingConfig({ client, path: { id: UNKNOWN }, body: { name: 'x' } }), 404, 'not_found');
    refused(await updateEmbeddingConfig({ client, path: { id: config.id }, body: { apiUrl: 'http://user@host' } }), 400,
      'invalid_argument');
    await remove(context, config);
  },

  async deleteEmbeddingConfig(context) {
    const { client } = context;
    const config = await create(context);
    expect((await remove(context, config)).response?.status).toBe(204);
    refused(await getEmbeddingConfig({ client, path: { id: config.id } }), 404, 'not_found');
    refused(await remove(context, config), 404, 'not_found');
  },

  async setDefaultEmbeddingConfig(context) {
    const { client } = context;
    const config = await create(context);
    expect(succeeded(await setDefaultEmbeddingConfig({ client, body: { id: config.id } })).message).toContain(
      'lexical',
    );
    expect(succeeded(await getEmbeddingConfig({ client, path: { id: config.id } })).isDefault).toBe(true);
    expect(succeeded(await getConfig({ client })).vectorConfig).toEqual({
      enabled: true,
      provider: 'builtin',
      model: 'static-en-256',
      dimensions: 256,
    });
    await remove(context, config);
    expect(succeeded(await getConfig({ client })).vectorConfig).toMatchObject({ enabled: false, provider: 'none' });
    refused(await setDefaultEmbeddingConfig({ client, body: { id: UNKNOWN } }), 404, 'not_found');
  },

  async reindexVectors(context) {
    const { client, direct, collection } = context;
    await store(context, { contentMd: 'written before there was a provider' });
    expect(refused(await reindexVectors({ client, body: { collection } }), 400, 'invalid_argument').error).toBe(
      'embedding provider not configured',
    );
    await withProvider(context, async () => {
      expect(succeeded(await reindexVectors({ client, body: { collection } }))).toEqual({
        embedded: 1,
        skipped: 0,
        failed: 0,
        errors: [],
        totalChunks: 1,
      });
      expect(succeeded(await reindexVectors({ client, body: { collection } }))).toMatchObject({
        embedded: 0,
        skipped: 1,
      });
      expect(succeeded(await reindexVectors({ client, body: { collection, force: true } }))).toMatchObject({
        embedded: 1,
        skipped: 0,
      });
    });
    refused(await reindexVectors({ client: direct, body: {} as never }), 400, 'missing_fields');
  },

  async getVectorStats(context) {
    const { client, collection } = context;
    expect(succeeded(await getVectorStats({ client }))).toMatchObject({
      enabled: false,
      provider: 'none',
      model: '',
      dimensions: 0,
      queue: { size: 1000, depth: 0, wait: '5s' },
      chunking: { enabled: true, chunkSize: 1500 },
    });
    await withProvider(context, async () => {
      const documents = [{ key: 'a', lang: 'en', contentMd: 'one' }, {
        key: 'b',
        lang: 'en',
        contentMd: `# Long\n\n${'many words '.repeat(200)}`,
      }];
      expect(succeeded(await addDocuments({ client, body: { collection, documents } }))).toEqual({
        added: 2,
        updated: 0,
        failed: 0,
        errors: [],
      });
      await expect.poll(async () => succeeded(await getVectorStats({ client })).collections[collection], {
        timeout: 10_000,
      }).toMatchObject({
        total_documents: 2,
        embedded_documents: 2,
        total_chunks: 8,
        failed_documents: 0,
        quantization: 'float32',
        diskOnlyVectors: false,
        stale: false,
        model: 'static-en-256',
        variant: 'static-1',
      });
    });
  },
};
