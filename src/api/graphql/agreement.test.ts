import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Document, FullTextResult, VectorResult } from '../../../generated/docs/sdk/types.gen.ts';
import { type DocsServer, startDocsServer } from '../../testkit/docs-server.ts';
import type { GraphqlAnswer } from '../../testkit/graphql/graphql-fixture.ts';
import { HttpClient } from '../../testkit/http-client.ts';

const DOCUMENT = 'id key lang meta contentMd addedAt updatedAt expiresAt checksum';

/** The same document; fields that REST omits are removed. */
const shown = (document: object): object => ({ meta: {}, contentMd: '', expiresAt: null, checksum: null, ...document });

const toList = (meta: Record<string, string[]>) => Object.entries(meta).map(([key, values]) => ({ key, values }));

describe('GraphQL and REST', () => {
  let server: DocsServer;
  let client: HttpClient;
  beforeAll(async () => {
    server = await startDocsServer({ env: { SVC_EMBEDDING_PROVIDER: 'builtin' } });
    client = new HttpClient(server.url);
    const words = ['red', 'blue', 'apples', 'whales', 'tea'];
    const documents = Array.from({ length: 30 }, (_, i) => ({
      key: `k${i % 25}`,
      lang: i % 7 === 0 ? 'pl' : 'en',
      contentMd: `${words[i % 5]} ${words[(i * 3) % 4]} %%name%%`,
      meta: { kind: [words[i % 3]!], n: [String(i % 4)] },
      ttl: i % 5 === 0 ? 5000 : 0,
    }));
    await client.post('/v1/add-batch', { collection: 'c', documents });
    await client.post('/v1/vector-reindex', { collection: 'c' });
  });
  afterAll(async () => {
    client.close();
    await server.stop();
  });

  /** Queries both protocols; if REST rejects the request, GraphQL must do so with the same code and message. */
  async function both<T>(path: string, body: object, query: string,
    variables: object
  ): Promise<{ rest: T; graphql: Record<string, unknown>; headers: Record<string, unknown> } | undefined> {
    const [rest, graphql] = await Promise.all([client.post(path, body), client.post('/graphql', { query, variables })]);
    const answer = graphql.json<GraphqlAnswer>();
    if (rest.status === 200) {
      expect(answer.errors).toBeUndefined();
      return { rest: rest.json<T>(), graphql: answer.data!, headers: rest.headers };
    }
    const { error, code } = rest.json<{ error: string; code: string }>();
    expect(answer.errors).toMatchObject([{ message: error, extensions: { code, status: rest.status } }]);
    return undefined;
  }

  const collection = fc.constantFrom('c', 'C', 'c', 'none', '', '_sys');
  const filterMeta = fc.option(
    fc.dictionary(fc.constantFrom('kind', 'n', 'x'),
      fc.array(fc.constantFrom('red', 'blue', '1', '2'), { maxLength: 3 }), { maxKeys: 2 }),
    { nil: undefined },
  );
  const withList = ({ filterMeta: map, ...rest }: { filterMeta?: Record<string, string[]> | undefined }) => ({
    ...rest,
    ...(map && { filterMeta: toList(map) }),
  });

  it('find the same documents by metadata', async () => {
    const input = fc.record({
      collection,
      filterMeta,
      sort: fc.constantFrom('addedAt', 'key', 'updatedAt', 'size'),
      asc: fc.boolean(),
      limit: fc.constantFrom(0, 1, 5, 100, -1, 10_001),
      offset: fc.constantFrom(0, 3, 40, -1),
    }, { requiredKeys: ['collection'] });
    await fc.assert(fc.asyncProperty(input, async (search) => {
      const query =
        `query($input: SearchInput!) { search(input: $input) { totalCount edges { node { ${DOCUMENT} } } } }`;
      const found = await both<Document[]>('/v1/search', search, query, { input: withList(search) });
      if (found === undefined) return;
      expect(found.graphql['search']).toEqual({
        totalCount: Number(found.headers['x-total-count']),
        edges: found.rest.map((document) => ({ node: shown(document) })),
      });
    }), { numRuns: 60 });
  });

  it('find the same documents by words and by meaning', async () => {
    const input = fc.record({
      collection,
      query: fc.constantFrom('red', 'apples OR tea', '"blue whales', 'whale*', ''),
      limit: fc.constantFrom(1, 3, 0),
    }, { requiredKeys: ['collection', 'query'] });
    await fc.assert(fc.asyncProperty(input, async (search) => {
      const query =
        `query($input: FTSInput!) { fts(input: $input) { total results { score matchedTerms document { ${DOCUMENT} ` +
        '} } } }';
      const found = await both<{ total: number; results: FullTextResult[] }>('/v1/fts', search, query, {
        input: search,
      });
      if (found === undefined) return;
      expect(found.graphql['fts']).toEqual({
        total: found.rest.total,
        results: found.rest.results.map(({ score, matchedTerms, document }) => ({
          score,
          matchedTerms,
          document: shown(document),
        })),
      });
    }), { numRuns: 30 });

    const near = fc.record({
      collection,
      query: fc.constantFrom('red apples', 'tea', ''),
      topK: fc.constantFrom(1, 4, 0, 1001),
      threshold: fc.constantFrom(0, 0.5, 2),
      filterMeta,
      includeContent: fc.boolean(),
    }, { requiredKeys: ['collection', 'query', 'includeContent'] });
    await fc.assert(fc.asyncProperty(near, async (search) => {
      const query =
        'query($input: VectorSearchInput!) { vectorSearch(input: $input) { total model dimensions results { rank ' +
        `score document { ${DOCUMENT} } } } }`;
      const found = await both<{ total: number; model: string; dimensions: number; results: VectorResult[] }>(
        '/v1/vector-search',
        search,
        query,
        { input: withList(search) },
      );
      if (found === undefined) return;
      const { total, model, dimensions, results } = found.rest;
      expect(found.graphql['vectorSearch']).toEqual({
        total,
        model,
        dimensions,
        results: results.map(({ rank, score, document }) => ({ rank, score, document: shown(document) })),
      });
    }), { numRuns: 30 });
  });

  it('read the same document, and null where REST returns 404', async () => {
    const named = fc.record({
      collection: fc.constantFrom('c', 'C', '_sys'),
      key: fc.constantFrom('k1', 'k7', 'none', 'a|b', ''),
      lang: fc.constantFrom('en', 'pl', '!'),
      env: fc.constantFrom({}, { name: 'you' }, { name: 5 }),
    }, { requiredKeys: ['collection', 'key', 'lang'] });
    await fc.assert(fc.asyncProperty(named, async (name) => {
      const query =
        'query($collection: String!, $key: String!, $lang: String!, $env: JSONObject) { document(collection: ' +
        `$collection, key: $key, lang: $lang, env: $env) { ${DOCUMENT} } }`;
      if ((await client.post('/v1/get', name)).status === 404) {
        expect((await client.post('/graphql', { query, variables: name })).json()).toEqual({
          data: { document: null },
        });
        return;
      }
      const found = await both<Document>('/v1/get', name, query, name);
      if (found !== undefined) expect(found.graphql['document']).toEqual(shown(found.rest));
    }), { numRuns: 40 });
  });
});
