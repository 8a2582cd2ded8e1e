import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../../src/testkit/docs-server.ts';
import { HttpClient } from '../../src/testkit/http-client.ts';

/**
 * Texts on which a backtracking expression, or a nested loop, would not end within the time limit of a test. Most of
 * them once did not.
 */
let server: DocsServer;
let client: HttpClient;

beforeAll(async () => {
  server = await startDocsServer();
  client = new HttpClient(server.url);
});
afterAll(async () => {
  client.close();
  await server.stop();
});

describe('a text that is meant to keep the server busy', () => {
  it('in a wildcard, where documents are highlighted', async () => {
    await client.post('/v1/add', { collection: 'wild', key: 'k', lang: 'en', contentMd: `word ${'a'.repeat(250)}` });
    for (const stars of ['a*'.repeat(20), '*a'.repeat(20), `${'a*?'.repeat(15)}`]) {
      const answer = await client.post('/v1/fts', {
        collection: 'wild',
        query: `word OR ${stars}b`,
        mode: 'boolean',
        highlight: true,
      });
      expect(answer.json(), answer.text.slice(0, 300)).toMatchObject({ total: 1 });
    }
  });

  it('in numbers that are compared or checked', async () => {
    const digits = `${'1'.repeat(8000)}x`;
    const meta = { n: Array.from({ length: 300 }, () => digits) };
    await client.post('/v1/add', { collection: 'numbers', key: 'k', lang: 'en', contentMd: 'word', meta });
    expect(
      (await client.post('/v1/fts', { collection: 'numbers', query: 'word', rangeMeta: [{ field: 'n', gte: 5 }] }))
        .status,
    ).toBe(200);
    await client.post('/v1/schema/set', { collection: 'checked', schema: { properties: { n: { type: 'number' } } } });
    const refused = await client.post('/v1/add', {
      collection: 'checked',
      key: 'k',
      lang: 'en',
      contentMd: 'word',
      meta,
    });
    expect([refused.status, refused.text.length < 100_000]).toEqual([400, true]);
  });

  it('in the fences of a conversation that is summed up', async () => {
    const { sessionId } = (await client.post('/v1/memory/session', { userId: 'ada' })).json<{ sessionId: string }>();
    for (const content of [`${'`'.repeat(200_000)} \``, `${' '.repeat(200_000)}x`, '- '.repeat(100_000),
      `${'*_'.repeat(100_000)}a`])
    {
      const told = await client.post('/v1/memory/message', { sessionId, role: 'user', content });
      expect(told.status, told.text.slice(0, 300)).toBeLessThan(300);
    }
    expect((await client.post('/v1/memory/summarize', { sessionId, userId: 'ada' })).status).toBe(200);
  });

  it('in the pattern of a schema, which is run on what is stored', async () => {
    for (const pattern of ['^(a+)+$', '^(a|aa)+$', '^(.*a){20}$']) {
      await client.post('/v1/schema/set', {
        collection: 'patterns',
        schema: { properties: { p: { type: 'string', pattern } } },
      });
      const answer = await client.post('/v1/add', {
        collection: 'patterns',
        key: 'k',
        lang: 'en',
        contentMd: 'a',
        meta: { p: [`${'a'.repeat(8000)}!`] },
      });
      expect(answer.status).toBe(400);
    }
  });

  it('in names, templates and front matter', async () => {
    for (const [path, body] of [['/v1/fts', { collection: 'wild', query: '?'.repeat(4000) }], ['/v1/fts', {
      collection: 'wild',
      query: `${' '.repeat(4000)}a`,
    }], ['/v1/fts', { collection: 'wild', query: 'word', highlight: true, highlightTag: '<a'.repeat(128) }], ['/v1/add',
      { collection: 'wild', key: 'template', lang: 'en', contentMd: `${'%%a'.repeat(100_000)}${'%'.repeat(100_000)}` }],
      ['/v1/get', { collection: 'wild', key: 'template', lang: 'en', env: { a: '%%a%%', 'a%': 'b' } }], ['/v1/ingest', {
      collection: 'in',
      documents: [{
        url: `http://a/${'%2f'.repeat(2000)}`,
        lang: 'en',
        contentMd: `---\n${'a: '.repeat(20_000)}\n---\n`,
        extractFrontmatter: true,
      }],
    }], ['/v1/ingest', {
      collection: 'in',
      documents: [{
        url: `http://a/${'-'.repeat(8000)}`,
        lang: 'en',
        contentMd: `---\n${'- '.repeat(20_000)}\n---\n`,
        extractFrontmatter: true,
      }],
    }]] as const) {
      const { status, text } = await client.post(path, body);
      expect(status, text.slice(0, 300)).toBeLessThan(500);
    }
  });
});
