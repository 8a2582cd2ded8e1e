import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../src/testkit/docs-server.ts';
import { HttpClient } from '../src/testkit/http-client.ts';
import { mcpUrl, RawClient } from '../src/testkit/mcp-clients.ts';
import { AccessServer } from './support/access-server.ts';
import { exampleCalls } from './support/examples.ts';

// Decision D-04: a field that no operation reads is an error of the caller, and is reported.

// Started here, because the server determines which operations exist.
const access = await AccessServer.start();

let strict: DocsServer;
let lenient: DocsServer;
let client: HttpClient;
let careless: HttpClient;

beforeAll(async () => {
  [strict, lenient] = await Promise.all([startDocsServer(), startDocsServer({ env: { SVC_STRICT_INPUT: 'false' } })]);
  [client, careless] = [new HttpClient(strict.url), new HttpClient(lenient.url)];
  for (const each of [client, careless])
    await each.post('/v1/add', {
      collection: 'blog',
      key: 'a',
      lang: 'en',
      contentMd: 'a post',
      meta: { category: ['news'] },
    });
});
afterAll(async () => {
  for (const each of [client, careless]) each.close();
  await Promise.all([access.stop(), strict.stop(), lenient.stop()]);
});

const refusal = (error: string) => ({ error, code: 'invalid_argument', requestId: expect.any(String) as string });

async function callTool(server: DocsServer, name: string, args: object) {
  const raw = new RawClient(mcpUrl(server));
  try {
    const { answer } = await raw.stateless('tools/call', { name, arguments: args });
    return answer.result as { isError?: boolean; structuredContent?: Record<string, unknown>;
      content: { text: string }[] };
  } finally {
    raw.close();
  }
}

describe('a field that an operation does not have', () => {
  const calls = exampleCalls('docs').filter(({ operationId, consumes, options }) =>
    access.server.built.includes(operationId) && consumes.includes('application/json') && options.body !== undefined
  );

  it.each(calls.map((call) => [call.operationId, call] as const))('is refused by %s',
    async (_, { method, path, options }) => {
      const target = path.replaceAll(/\{\w+\}/g, 'a');
      const answer = await access.send(method.toUpperCase(), target, access.admin, {
        ...(options.body as object),
        zzzz: 1,
      });
      expect(answer.text).toContain('unknown field \\"zzzz\\"');
      expect(answer.status).toBe(400);
    });

  it.each<[string, string, object, string]>([['/v1/fts', 'POST', { collection: 'blog', query: 'post', filtrMeta: {} },
    'unknown field "filtrMeta"; did you mean "filterMeta"?'], ['/v1/fts', 'POST', {
    collection: 'blog',
    query: 'post',
    rangeMeta: [{ field: 'a', get: 1 }],
  }, 'unknown field "rangeMeta[0].get"; did you mean "rangeMeta[0].gte"?'], ['/v1/add-batch', 'POST', {
    collection: 'blog',
    documents: [{ key: 'b', lang: 'en', contentMd: '', mata: {} }],
  }, 'unknown field "documents[0].mata"; did you mean "documents[0].meta"?'], ['/v1/hybrid-search', 'POST', {
    collection: 'blog',
    query: 'post',
    geo: { lat: 1, lng: 1, radius: 5, radiusMeters: 5 },
  }, 'unknown field "geo.radius"'], ['/v1/collection-config', 'PUT', { collection: 'blog', retrieval: { topk: 5 } },
    'unknown field "retrieval.topk"; did you mean "retrieval.topK"?'], ['/v1/add', 'POST', {
    collection: 'blog',
    key: 'b',
    lang: 'en',
    contentMd: '',
    expiresAt: 1,
  }, 'unknown field "expiresAt"']])('is named with its path by %s', async (path, method, body, error) => {
    const answer = await client.post(path, body, method);
    expect([answer.status, answer.json()]).toEqual([400, refusal(error)]);
  });

  it('is refused over MCP, in either spelling', async () => {
    const answer = await callTool(strict, 'full_text_search', { collection: 'blog', query: 'post', filtr_meta: {} });
    expect([answer.isError, JSON.parse(answer.content[0]!.text)]).toEqual([true, {
      error: 'unknown field "filtr_meta"; did you mean "filterMeta"?',
      code: 'invalid_argument',
    }]);
  });

  it('is no key of metadata, of free data, or of the values of a template', async () => {
    const add = await client.post('/v1/add', {
      collection: 'blog',
      key: 'a',
      lang: 'en',
      contentMd: 'a post',
      meta: { whatever: ['x'], category: ['news'] },
    });
    const config = await client.post('/v1/collection-config', { collection: 'blog', customMeta: { any: { thing: 1 } } },
      'PUT');
    const get = await client.post('/v1/get', { collection: 'blog', key: 'a', lang: 'en', env: { site: 'x' } });
    expect([add.status, config.status, get.status]).toEqual([200, 200, 200]);
  });
});

describe('what was read may be written back', () => {
  it('a document, with what the server keeps of it', async () => {
    const document = (await client.post('/v1/get', { collection: 'blog', key: 'a', lang: 'en' })).json<object>();
    expect(document).toMatchObject({ id: 'blog|a|en', addedAt: expect.any(Number) as number });
    const answers = [await client.post('/v1/add', { ...document, collection: 'copies' }),
      await client.post('/v1/add-batch', { collection: 'copies', documents: [document] }),
      await client.post('/v1/update', { ...document, collection: 'copies' }, 'PATCH')];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('a configuration, with the flags of its secrets (contract section 2)', async () => {
    const wordpress = { url: 'https://example.org', apiKey: 'secret' };
    await client.post('/v1/collection-config', { collection: 'linked', wordpress }, 'PUT');
    const { config } = (await client.get('/v1/collection-config?collection=linked')).json<{ config: object }>();
    expect(config).toMatchObject({ wordpress: { apiKey: '', apiKeySet: true } });
    expect((await client.post('/v1/collection-config', config, 'PUT')).status).toBe(200);
  });

  it('a rule of curation', async () => {
    const rule =
      (await client.post('/v1/curation', { collection: 'blog', query: 'post', pins: [{ key: 'a', position: 1 }] }))
        .json<object>();
    expect((await client.post('/v1/curation', rule, 'PUT')).status).toBe(200);
  });
});

describe('SVC_STRICT_INPUT=false passes it over and says so', () => {
  it('in warnings of an object', async () => {
    const answer = (await careless.post('/v1/fts?colection=x', { collection: 'blog', query: 'post', filtrMeta: {} }))
      .json<{ results: object[]; warnings: string[] }>();
    expect(answer.results).toHaveLength(1);
    expect(answer.warnings).toEqual(['unknown field "filtrMeta" is ignored; did you mean "filterMeta"?',
      'unknown query parameter "colection" is ignored; POST /v1/fts takes none']);
  });

  it('in a header beside a list and a file', async () => {
    const list = await careless.post('/v1/search', { collection: 'blog', größe: 1 });
    expect([list.json<object[]>().length, list.headers['x-warnings']]).toEqual([1,
      '["unknown field \\"gr\\u00f6\\u00dfe\\" is ignored"]']);
    const file = await careless.post('/v1/export', { collection: 'blog', format: 'ndjson', color: 1 });
    expect([file.status, file.headers['x-warnings']]).toEqual([200, '["unknown field \\"color\\" is ignored"]']);
  });

  it('after the warnings of a response that has its own', async () => {
    const answer =
      (await careless.post('/v1/validate', { collection: 'blog', meta: { faq: ['[{"q": "a"}]'] }, strict: true })).json<
        { warnings: string[] }
      >();
    expect(answer.warnings).toEqual([expect.stringContaining('faq'), 'unknown field "strict" is ignored']);
  });

  it('in what tools of MCP answer, lists included', async () => {
    const search = await callTool(lenient, 'full_text_search', { collection: 'blog', query: 'post', color: 1 });
    const list = await callTool(lenient, 'search_documents', { collection: 'blog', color: 1 });
    const warnings = ['unknown field "color" is ignored'];
    expect([search.structuredContent, list.structuredContent]).toEqual([expect.objectContaining({ warnings }),
      expect.objectContaining({ warnings })]);
  });

  it('and is silent where there is nothing to say', async () => {
    expect((await careless.post('/v1/fts', { collection: 'blog', query: 'post' })).json()).not.toHaveProperty(
      'warnings',
    );
  });
});
