import { expect } from 'vitest';
import { addDocuments, createEmbeddingConfig, deleteEmbeddingConfig, getVectorStats,
  searchVectors } from '../../generated/docs/sdk/sdk.gen.ts';
import { refused, succeeded } from '../support/expectations.ts';
import type { DocsContext, DocsScenarios } from './scenario.ts';

/** Runs with the provider that needs neither key nor network; otherwise the server has no provider. */
async function withProvider({ client }: DocsContext, run: () => Promise<void>): Promise<void> {
  const { id } = succeeded(
    await createEmbeddingConfig({ client, body: { name: 'lexical', provider: 'builtin', isDefault: true } }),
  );
  try {
    await run();
  } finally {
    await deleteEmbeddingConfig({ client, path: { id } });
  }
}

/** Vector search (contract, section 4, "Vector search"). */
export const vectors: DocsScenarios = {
  async searchVectors(context) {
    const { client, direct, collection } = context;
    expect(
      refused(await searchVectors({ client, body: { collection, query: 'apples' } }), 400, 'invalid_argument').error,
    ).toBe('embedding provider not configured');
    refused(await searchVectors({ client: direct, body: { collection } }), 400, 'missing_fields');
    await withProvider(context, async () => {
      const documents = [{
        key: 'apples',
        lang: 'en',
        contentMd: 'Red apples grow on trees.',
        meta: { kind: ['fruit'] },
      }, {
        key: 'whales',
        lang: 'en',
        contentMd: '# Whales\n\nBlue whales swim in cold seas.',
        meta: { kind: ['animal'] },
      }];
      succeeded(await addDocuments({ client, body: { collection, documents } }));
      const search = async (more: object) =>
        succeeded(await searchVectors({ client, body: { collection, query: 'blue whales in seas', ...more } }));
      await expect.poll(async () => (await search({})).total, { timeout: 10_000 }).toBeGreaterThan(0);
      await expect.poll(
        async () => succeeded(await getVectorStats({ client })).collections[collection]?.embedded_documents,
        { timeout: 10_000 },
      ).toBe(2);
      const { results, ...rest } = await search({ topK: 1 });
      expect(rest).toMatchObject({
        total: 1,
        model: 'static-en-256',
        dimensions: 256,
        algorithm: 'flat',
        distanceMetric: 'cosine',
        retrievalMode: 'parent',
      });
      expect(results[0]).toMatchObject({ rank: 1, document: { key: 'whales', meta: { kind: ['animal'] } } });
      expect(results[0]!.document).not.toHaveProperty('contentMd');
      expect(
        (await search({ filterMeta: { kind: ['fruit'] } })).results.every(({ document }) => document.key === 'apples'),
      ).toBe(true);
      expect((await search({ topK: 1, retrievalMode: 'chunk' })).results[0]).toMatchObject({
        chunkIndex: 0,
        chunkText: '# Whales\n\nBlue whales swim in cold seas.',
        startLine: 1,
        endLine: 3,
      });
      expect(
        (await search({ topK: 1, retrievalMode: 'window', includeContent: true, mmr: true })).results[0]!.document
          .contentMd,
      ).toBe(documents[1]!.contentMd);
      for (const algorithm of ['hnsw', 'ivf', 'pq', 'opq', 'sq', 'sq4', 'bq', 'quantized'] as const)
        expect((await search({ topK: 1, algorithm })).results[0]!.document.key).toBe('whales');
      expect(
        refused(await searchVectors({ client, body: { collection, queryVector: [1, 2, 3] } }), 400, 'invalid_argument')
          .error,
      ).toContain('256 numbers');
      refused(await searchVectors({ client: direct, body: { collection, query: 'q', topK: 1001 } }), 400,
        'invalid_argument');
    });
  },
};
