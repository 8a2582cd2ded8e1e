import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { addDocuments, classifyDocument, createEmbeddingConfig, deleteEmbeddingConfig, evaluateVectors, findDuplicates,
  findSimilar, projectVectors, reindexVectors, searchAcrossCollections } from '../../generated/docs/sdk/sdk.gen.ts';
import { refused, succeeded } from '../support/expectations.ts';
import type { DocsContext, DocsScenarios } from './scenario.ts';

const DOCUMENTS = [{ key: 'apples', lang: 'en', contentMd: 'Red apples grow on trees.', meta: { kind: ['fruit'] } }, {
  key: 'copy',
  lang: 'en',
  contentMd: 'Red apples grow on trees.',
}, { key: 'whales', lang: 'en', contentMd: 'Blue whales swim in cold seas.' }];

/** Runs with documents that have vectors; otherwise the server has no provider. */
async function withVectors({ client, collection }: DocsContext, run: () => Promise<void>): Promise<void> {
  succeeded(await addDocuments({ client, body: { collection, documents: DOCUMENTS } }));
  const { id } = succeeded(
    await createEmbeddingConfig({ client, body: { name: 'lexical', provider: 'builtin', isDefault: true } }),
  );
  try {
    succeeded(await reindexVectors({ client, body: { collection } }));
    await run();
  } finally {
    await deleteEmbeddingConfig({ client, path: { id } });
  }
}

/** Other operations on vectors (contract, section 4, "Vector search"). */
export const vectorOperations: DocsScenarios = {
  async projectVectors(context) {
    const { client, direct, collection } = context;
    expect(succeeded(await projectVectors({ client, body: { collection } }))).toEqual({
      points: [],
      query: null,
      total: 0,
      sampled: 0,
      dimensions: 0,
    });
    refused(await projectVectors({ client: direct, body: {} as never }), 400, 'missing_fields');
    refused(await projectVectors({ client: direct, body: { collection, sample: 0 } }), 400, 'invalid_argument');
    await withVectors(context, async () => {
      const answer = succeeded(
        await projectVectors({ client, body: { collection, query: 'green apples', sample: 5000 } }),
      );
      expect(answer).toMatchObject({
        total: 3,
        sampled: 3,
        dimensions: 256,
        query: { x: expect.any(Number) as number, y: expect.any(Number) as number },
      });
      expect(answer.points.map(({ key, chunkIndex }) => [key, chunkIndex])).toEqual([['apples', 0], ['copy', 0], [
        'whales',
        0,
      ]]);
      expect([answer.points[0]!.x, answer.points[0]!.y]).toEqual([answer.points[1]!.x, answer.points[1]!.y]);
      refused(await projectVectors({ client, body: { collection, queryVector: [1, 2] } }), 400, 'invalid_argument');
    });
  },

  async evaluateVectors(context) {
    const { client, direct, collection } = context;
    const queries = [{ query: 'red apples', relevant: [{ key: 'apples' }] }, { query: 'blue whales' }];
    expect(refused(await evaluateVectors({ client, body: { collection, queries } }), 400, 'invalid_argument').error)
      .toBe('embedding provider not configured');
    refused(await evaluateVectors({ client: direct, body: { collection } as never }), 400, 'missing_fields');
    refused(await evaluateVectors({ client: direct, body: { collection, queries: [] } }), 400, 'invalid_argument');
    await withVectors(context, async () => {
      expect(succeeded(await evaluateVectors({ client, body: { collection, queries, topK: 2 } }))).toEqual({
        collection,
        topK: 2,
        queries: 2,
        judged: 1,
        fields: [{
          vectorField: '_server',
          model: 'static-en-256',
          dimensions: 256,
          documents: 3,
          mrr: expect.any(Number) as number,
          recall: 1,
          durationMs: expect.any(Number) as number,
        }],
        agreement: [],
      });
      refused(await evaluateVectors({ client, body: { collection, queries, vectorFields: ['none'] } }), 400,
        'invalid_argument');
    });
  },

  async classifyDocument(context) {
    const { client, direct, collection } = context;
    const labels = ['red apples', 'blue whales'];
    expect(refused(await classifyDocument({ client, body: { text: 'apples', labels } }), 400, 'invalid_argument').error)
      .toBe('embedding provider not configured');
    refused(await classifyDocument({ client: direct, body: { labels } }), 400, 'missing_fields');
    await withVectors(context, async () => {
      const answer = succeeded(
        await classifyDocument({ client, body: { collection, key: 'whales', labels, topK: 1 } }),
      );
      expect(answer).toEqual({
        results: [{ label: 'blue whales', score: expect.any(Number) as number }],
        model: 'static-en-256',
        dimensions: 256,
      });
      expect(
        succeeded(await classifyDocument({ client, body: { text: 'Red apples', labels, multi: true, threshold: -1 } }))
          .results.map(({ label }) => label),
      ).toEqual(labels);
      refused(await classifyDocument({ client, body: { collection, key: 'none', labels } }), 404, 'not_found');
      refused(await classifyDocument({
        client: direct,
        body: { text: 'x', labels: Array.from({ length: 101 }, (_, i) => `label ${i}`) },
      }), 400, 'invalid_argument');
    });
  },

  async searchAcrossCollections(context) {
    const { client, direct, collection } = context;
    expect(refused(await searchAcrossCollections({ client, body: { query: 'apples' } }), 400, 'invalid_argument').error)
      .toBe('embedding provider not configured');
    refused(await searchAcrossCollections({ client: direct, body: {} }), 400, 'missing_fields');
    await withVectors(context, async () => {
      const body = {
        sourceCollection: collection,
        sourceDocID: 'apples',
        targetCollections: [collection, 'provider-nowhere'],
      };
      const answer = succeeded(
        await searchAcrossCollections({ client, body: { ...body, topK: 1, includeContent: true } }),
      );
      expect(answer).toMatchObject({
        ...body,
        total: 1,
        algorithm: 'flat',
        distanceMetric: 'cosine',
        searchStats: { collectionsSearched: 1 },
      });
      expect(answer.results).toMatchObject([{
        collection,
        score: 1,
        rank: 1,
        document: { key: 'copy', contentMd: DOCUMENTS[1]!.contentMd },
      }]);
      const byText = succeeded(await searchAcrossCollections({
        client,
        body: { query: 'blue whales', targetCollections: [collection], filterMeta: { kind: ['fruit'] } },
      }));
      expect(byText.results.every(({ document }) => document.key === 'apples')).toBe(true);
      refused(await searchAcrossCollections({ client, body: { ...body, sourceDocID: 'none' } }), 404, 'not_found');
    });
  },

  async findSimilar(context) {
    const { client, direct, collection } = context;
    refused(await findSimilar({ client: direct, body: { collection } as never }), 400, 'missing_fields');
    await withVectors(context, async () => {
      const answer = succeeded(
        await findSimilar({ client, body: { collection, key: 'apples', topK: 1, includeContent: true } }),
      );
      expect(answer).toMatchObject({
        total: 1,
        model: 'static-en-256',
        dimensions: 256,
        algorithm: 'flat',
        distanceMetric: 'cosine',
      });
      expect(answer.results).toMatchObject([{
        rank: 1,
        document: { key: 'copy', contentMd: DOCUMENTS[1]!.contentMd },
      }]);
      expect(
        succeeded(await findSimilar({ client, body: { collection, key: 'copy', filterMeta: { kind: ['fruit'] } } }))
          .results.map(({ document }) => document.key),
      ).toEqual(['apples']);
      refused(await findSimilar({ client, body: { collection, key: 'none' } }), 404, 'not_found');
    });
  },

  async findDuplicates(context) {
    const { client, direct, collection } = context;
    refused(await findDuplicates({ client: direct, body: {} as never }), 400, 'missing_fields');
    refused(await findDuplicates({ client: direct, body: { collection, maxDocs: 0 } }), 400, 'invalid_argument');
    await withVectors(context, async () => {
      const answer = succeeded(await findDuplicates({ client, body: { collection, includeContent: true } }));
      const contentHash = createHash('sha256').update(DOCUMENTS[0]!.contentMd).digest('hex');
      const documents = ['apples', 'copy'].map((key) => ({
        docId: `${collection}|${key}|en`,
        key,
        lang: 'en',
        contentHash,
        score: 1,
        contentMd: DOCUMENTS[0]!.contentMd,
      }));
      expect(answer).toEqual({
        collection,
        mode: 'both',
        threshold: 0.9,
        distanceMetric: 'cosine',
        totalDocuments: 3,
        totalEmbedded: 3,
        exactGroups: [{ groupId: 'exact-1', type: 'exact', score: 1, documents }],
        similarGroups: [{ groupId: 'similar-1', type: 'similar', score: 1, documents }],
        exactDuplicates: 2,
        similarPairs: 1,
      });
      expect(succeeded(await findDuplicates({ client, body: { collection, mode: 'exact' } }))).toMatchObject({
        similarGroups: [],
        exactDuplicates: 2,
      });
    });
  },
};
