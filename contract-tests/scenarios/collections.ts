import { expect } from 'vitest';
import { deleteCollectionConfig, getCollectionConfig, listCollectionConfigs,
  setCollectionConfig } from '../../generated/docs/sdk/sdk.gen.ts';
import type { SetCollectionConfigRequest } from '../../generated/docs/sdk/types.gen.ts';
import { refused, succeeded } from '../support/expectations.ts';
import { type DocsContext, type DocsScenarios, store } from './scenario.ts';

async function configure({ client, collection }: DocsContext,
  change: Omit<SetCollectionConfigRequest, 'collection'>): Promise<void>
{
  expect(succeeded(await setCollectionConfig({ client, body: { collection, ...change } }))).toEqual({
    status: 'ok',
    collection,
  });
}

async function configOf({ client, collection }: DocsContext) {
  return succeeded(await getCollectionConfig({ client, query: { collection } }));
}

/** Configuration of collections (contract, section 2, "Collection configuration"; decision D-44). */
export const collections: DocsScenarios = {
  async getCollectionConfig(context) {
    const { direct, collection } = context;
    expect(await configOf(context)).toMatchObject({
      collection,
      configured: false,
      config: { collection, type: 'default', storageBackend: 'boltdb', quantization: 'float32' },
    });
    await configure(context, { type: 'website', description: 'Posts of our blog' });
    expect(await configOf(context)).toMatchObject({
      configured: true,
      config: { type: 'website', description: 'Posts of our blog' },
    });
    refused(await getCollectionConfig({ client: direct, query: {} as never }), 400, 'missing_fields');
  },

  async setCollectionConfig(context) {
    const { client, direct, collection } = context;
    await configure(context, {
      maxRevisions: 2,
      retrieval: { topK: 10 },
      wordpress: { url: 'https://blog.example.org', apiKey: 'secret' },
    });
    await configure(context, {
      icon: '📝',
      retrieval: { hybridAlpha: 0.3, hybridAlphaSet: true },
      wordpress: { url: 'https://blog.example.org/', apiKey: '' },
    });
    const { config } = await configOf(context);
    expect(config).toMatchObject({
      icon: '📝',
      maxRevisions: 2,
      retrieval: { topK: 10, hybridAlpha: 0.3, hybridAlphaSet: true },
    });
    expect(config.wordpress).toEqual({ url: 'https://blog.example.org/', apiKey: '', apiKeySet: true });
    await configure(context, { wordpress: null });
    expect((await configOf(context)).config).not.toHaveProperty('wordpress');

    expect(
      refused(await setCollectionConfig({ client, body: { collection, diskOnlyVectors: true } }), 400,
        'invalid_argument').error,
    ).toContain('diskOnlyVectors');
    refused(await setCollectionConfig({ client: direct, body: { collection, maxRevisions: -1 } }), 400,
      'invalid_argument');
    expect((await configOf(context)).config).toMatchObject({ maxRevisions: 2, diskOnlyVectors: false });
  },

  async deleteCollectionConfig(context) {
    const { client, collection } = context;
    await store(context);
    await configure(context, { type: 'images' });
    for (let i = 0; i < 2; i++) {
      expect(succeeded(await deleteCollectionConfig({ client, query: { collection } }))).toEqual({
        status: 'deleted',
        collection,
      });
    }
    expect(await configOf(context)).toMatchObject({ configured: false, config: { type: 'default' } });
  },

  async listCollectionConfigs(context) {
    const { client, collection } = context;
    await configure(context, { type: 'audio' });
    const { configs, total } = succeeded(await listCollectionConfigs({ client }));
    expect(total).toBe(configs.length);
    expect(configs.map((entry) => entry.collection)).toEqual(configs.map((entry) => entry.collection).sort());
    expect(configs).toContainEqual({ collection, config: expect.objectContaining({ type: 'audio' }) });
  },
};
