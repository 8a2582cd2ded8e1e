import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OperationId } from '../generated/docs/operations.ts';
import { type DocsServer, startDocsServer } from '../src/testkit/docs-server.ts';
import { HttpClient } from '../src/testkit/http-client.ts';
import { mcpUrl, RawClient } from '../src/testkit/mcp-clients.ts';

// The default number of items in a response (contract, sections 4 and 8).

let server: DocsServer;
let client: HttpClient;
let mcp: RawClient;

beforeAll(async () => {
  server = await startDocsServer({ env: { SVC_EMBEDDING_PROVIDER: 'builtin' } });
  client = new HttpClient(server.url);
  mcp = new RawClient(mcpUrl(server));
  const documents = Array.from({ length: 60 }, (_, i) => ({
    key: `k${i}`,
    lang: 'en',
    contentMd: `whale number ${i}`,
    meta: { geo_lat: ['48.2'], geo_lng: ['16.4'] },
  }));
  await post('/v1/add-batch', { collection: 'many', documents });
  const { sessionId } = await post<{ sessionId: string }>('/v1/memory/session', { userId: 'ada' });
  for (let i = 0; i < 12; i++)
    await post('/v1/memory/message', { sessionId, role: 'user', content: `a whale, said ${i} times` });
  await post('/v1/vector-reindex', { collection: 'many' });
});
afterAll(async () => {
  client.close();
  mcp.close();
  await server.stop();
});

async function post<T>(path: string, body: object): Promise<T> {
  const answer = await client.post(path, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json<T>();
}

const REQUEST = { collection: 'many', query: 'whale' };

describe('without a limit, there are at most', () => {
  it.each<[number, string, object]>([[50, '/v1/fts', REQUEST], [5, '/v1/vector-search', REQUEST], [10,
    '/v1/hybrid-search', REQUEST], [10, '/v1/cross-search', { query: 'whale' }], [10, '/v1/geo-search', {
    collection: 'many',
    lat: 48.2,
    lng: 16.4,
    radiusMeters: 1000,
  }], [10, '/v1/memory/recall', { query: 'whale', userId: 'ada' }]])('%i results of %s', async (most, path, body) => {
    expect((await post<{ results: object[] }>(path, body)).results).toHaveLength(most);
  });

  it('50 documents of /v1/search', async () => {
    expect(await post('/v1/search', { collection: 'many' })).toHaveLength(50);
  });

  it('as many over GraphQL and MCP', async () => {
    const query =
      '{ fts(input: {collection: "many", query: "whale"}) { results { score } } vectorSearch(input: {collection: ' +
      '"many", query: "whale"}) { results { score } } search(input: {collection: "many"}) { edges { cursor } } }';
    const { data } = await post<
      { data: { fts: { results: object[] }; vectorSearch: { results: object[] }; search: { edges: object[] } } }
    >('/graphql', { query });
    expect([data.fts.results.length, data.vectorSearch.results.length, data.search.edges.length]).toEqual([50, 5, 50]);
    const { answer } = await mcp.stateless('tools/call', { name: 'full_text_search', arguments: REQUEST });
    expect((answer.result as { structuredContent: { results: object[] } }).structuredContent.results).toHaveLength(50);
  });
});

it('defaults that are numbers of the schema are those of the contract', () => {
  const inputs = JSON.parse(readFileSync(new URL('../generated/docs/inputs.json', import.meta.url), 'utf8')) as Record<
    OperationId,
    { properties: Record<string, { default?: number }> }
  >;
  const contract: Partial<Record<OperationId, Record<string, number>>> = {
    searchDocuments: { offset: 0 },
    searchFullText: { maxHighlights: 3, fragmentSize: 150, facetMaxValues: 0, distance: 5 },
    autocomplete: { topN: 10 },
    aggregateDocuments: { maxFacetSize: 50 },
    projectVectors: { sample: 1000 },
    evaluateVectors: { topK: 10 },
    findDuplicates: { maxDocs: 5000, threshold: 0.9 },
    searchAcrossCollections: { threshold: 0 },
    searchVectors: { threshold: 0 },
    searchHybrid: { rrfK: 60, threshold: 0 },
    encodeGeohash: { precision: 12 },
    queryCodeGraph: { depth: 1 },
    importWiki: { batchSize: 500 },
    listSessions: { limit: 50, offset: 0 },
    listAuditEvents: { limit: 100 },
    listAutomationLogs: { limit: 50 },
  };
  const own = Object.fromEntries(
    Object.entries(contract).map((
      [id, fields],
    ) => [id,
      Object.fromEntries(
        Object.keys(fields).map((field) => [field, inputs[id as OperationId].properties[field]?.default]),
      )]
    ),
  );
  expect(own).toEqual(contract);
});
