import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, createConfig } from '../generated/docs/sdk/client/index.ts';
import { searchFullTextByQuery } from '../generated/docs/sdk/sdk.gen.ts';
import { AccessServer } from './support/access-server.ts';
import { exampleCalls } from './support/examples.ts';

// Decision D-145: a query parameter is applied or rejected, never silently ignored.

let access: AccessServer;

beforeAll(async () => {
  access = await AccessServer.start();
  for (const [key, category] of [['a', 'news'], ['b', 'blog'], ['c', 'notes']]) {
    await access.manage('POST', '/v1/add', {
      collection: 'blog',
      key,
      lang: 'en',
      contentMd: 'a post',
      meta: { category: [category] },
    });
  }
});
afterAll(() => access.stop());

const get = (path: string) => access.send('GET', path, access.admin);

const search = async (filter: string): Promise<string[]> => {
  const answer = await get(`/v1/fts?collection=blog&query=post&${filter}`);
  expect(answer.text).toContain('"results"');
  return answer.json<{ results: { document: { key: string } }[] }>().results.map(({ document }) => document.key).sort();
};

describe('GET /v1/fts filters by metadata', () => {
  it.each([['meta[category]=news', ['a']], ['meta%5Bcategory%5D=news', ['a']], ['meta.category=news', ['a']], [
    'meta[category]=news&meta[category]=blog',
    ['a', 'b'],
  ], ['meta[category][]=news&meta[category][]=notes', ['a', 'c']], ['meta=category%3Dnews&meta=category=blog', ['a',
    'b']], ['meta[category]=none', []], ['sort=category:asc&limit=1', ['b']], [
    'filter=category%20IN%20[news,%20blog]%20AND%20NOT%20key%20=%20a',
    ['b'],
  ], ['meta[category]=news&filter=key%20!=%20a', []]])('%s', async (filter, expected) => {
    expect(await search(filter)).toEqual(expected);
  });

  it('as the SDK writes them', async () => {
    const sdk = createClient(createConfig({ baseUrl: access.server.url, headers: access.admin }));
    const { data } = await searchFullTextByQuery({
      client: sdk,
      query: { collection: 'blog', query: 'post', meta: { category: 'blog' } },
    });
    expect(data!.results.map(({ document }) => document.key)).toEqual(['b']);
  });

  it('and refuses them in the form in which generated clients used to drop them', async () => {
    const answer = await get('/v1/fts?collection=blog&query=post&category=news');
    expect([answer.status, answer.json()]).toEqual([400, {
      error: 'unknown query parameter "category"; metadata are filtered by meta[category]=...',
      code: 'invalid_argument',
      requestId: expect.any(String),
    }]);
  });
});

describe('a query parameter that an operation does not have', () => {
  const calls = exampleCalls('docs').filter(({ operationId }) =>
    !['getHealth', 'getHealthV1', 'getReadiness', 'getReadinessV1', 'getMetrics'].includes(operationId)
  );

  it.each(calls.map((call) => [call.operationId, call] as const))('is refused by %s',
    async (_, { method, path, consumes, options }) => {
      const target = `${path.replaceAll(/\{\w+\}/g, 'a')}?collecton=blog`;
      const { status, text } = await access.send(method.toUpperCase(), target, access.admin,
        consumes.includes('application/json') ? options.body : undefined);
      expect([status, text]).toEqual([400, expect.stringContaining('unknown query parameter \\"collecton\\"')]);
    });

  it('does not keep a watcher from health, readiness and metrics', async () => {
    for (const path of ['/health?_=1', '/v1/health?_=1', '/ready?_=1', '/v1/ready?_=1', '/metrics?name[]=up'])
      expect((await get(path)).status).toBe(200);
  });
});
