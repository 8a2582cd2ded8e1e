import { expect } from 'vitest';
import { createEmbeddingConfig, deleteEmbeddingConfig, reindexVectors, searchHybrid, setCollectionConfig,
  setDefaultEmbeddingConfig } from '../../generated/docs/sdk/sdk.gen.ts';
import type { SearchHybridRequest } from '../../generated/docs/sdk/types.gen.ts';
import { refused, succeeded } from '../support/expectations.ts';
import { type DocsContext, type DocsScenarios, store } from './scenario.ts';

/** Runs with vectors of the provider that needs neither key nor network; otherwise the server has no provider. */
async function withVectors({ client, collection }: DocsContext, run: () => Promise<void>): Promise<void> {
  const { id } = succeeded(await createEmbeddingConfig({ client, body: { name: 'lexical', provider: 'builtin' } }));
  succeeded(await setDefaultEmbeddingConfig({ client, body: { id } }));
  try {
    succeeded(await reindexVectors({ client, body: { collection } }));
    await run();
  } finally {
    await deleteEmbeddingConfig({ client, path: { id } });
  }
}

/** Lexical and vector search in one ranking (contract, section 4, "Full-text search"). */
export const hybrid: DocsScenarios = {
  async searchHybrid(context) {
    const { client, direct, collection } = context;
    const search = async (more: Partial<SearchHybridRequest> = {}) =>
      succeeded(await searchHybrid({ client, body: { collection, query: 'first post', ...more } }));
    await store(context, {
      key: 'near',
      contentMd: '# Hello\n\nFirst post.',
      meta: { category: ['news'], geo_lat: ['52.5163'], geo_lng: ['13.3777'] },
    });
    await store(context, {
      key: 'far',
      contentMd: 'Another post, by the sea',
      meta: { category: ['blog'], geo_lat: ['48.85'], geo_lng: ['2.35'] },
    });

    const alone = await search();
    expect(alone).toMatchObject({
      alpha: 0,
      strategy: 'alpha',
      warnings: ['embedding provider not configured: the words alone decided'],
    });
    expect(alone.results.map(({ document: { key }, vectorScore }) => [key, vectorScore])).toEqual([['near', 0], ['far',
      0]]);

    await withVectors(context, async () => {
      const blended = await search({ alpha: 0.6, facetBy: ['category'] });
      expect(blended).toMatchObject({
        total: 2,
        strategy: 'alpha',
        alpha: 0.6,
        rrfK: 60,
        ftsAlgorithm: 'bm25',
        vectorAlgorithm: 'flat',
        distanceMetric: 'cosine',
        retrievalMode: 'parent',
        facets: { category: [{ value: 'blog', count: 1 }, { value: 'news', count: 1 }] },
      });
      expect(blended).not.toHaveProperty('warnings');
      for (const { combinedScore, ftsScore, vectorScore } of blended.results)
        expect(Math.abs(combinedScore - (0.4 * ftsScore + 0.6 * vectorScore))).toBeLessThan(1e-6);
      expect(blended.results[0]).toMatchObject({
        document: { key: 'near' },
        ftsScore: 1,
        ftsRank: 1,
        vectorRank: 1,
        matchedTerms: ['first', 'post'],
        rank: 1,
      });

      succeeded(await setCollectionConfig({
        client,
        body: { collection, retrieval: { hybridStrategy: 'rrf', retrievalMode: 'chunk' } },
      }));
      const passages = await search({ geo: { lat: 52.52, lng: 13.405, radiusMeters: 5000 }, sort: 'distance' });
      expect(passages).toMatchObject({ total: 1, strategy: 'rrf', retrievalMode: 'chunk' });
      expect(passages.results[0]).toMatchObject({
        document: { key: 'near' },
        distanceMeters: 1892.47,
        chunkIndex: 0,
        chunkText: '# Hello\n\nFirst post.',
        startLine: 1,
        endLine: 3,
      });
      expect(passages.results[0]!.combinedScore).toBeCloseTo(2 / 61, 8);
    });

    expect(
      refused(await searchHybrid({ client, body: { collection, query: 'post', sort: 'distance' } }), 400,
        'invalid_argument').error,
    ).toBe('sort: distance needs geo');
    refused(await searchHybrid({ client: direct, body: { collection } as never }), 400, 'missing_fields');
    refused(await searchHybrid({ client: direct, body: { collection, query: 'post', alpha: 2 } }), 400,
      'invalid_argument');
  },
};
