import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../../testkit/docs-server.ts';
import { CONSOLE_POLICY } from './pages.ts';

let server: DocsServer;
beforeAll(async () => {
  server = await startDocsServer();
});
afterAll(() => server.stop());

const get = (path: string, init?: RequestInit): Promise<Response> => fetch(server.url + path, init);

async function scriptOf(page: string): Promise<string> {
  return /src="([^"]+\.js)"/.exec(await (await get(page)).text())![1]!;
}

describe('the console over HTTP', () => {
  it.each(['/', '/console', '/console/'])('%s is a page under the strict policy, and is asked for each time',
    async (path) => {
      const { status, headers } = await get(path);
      expect([status, headers.get('content-type'), headers.get('content-security-policy'),
        headers.get('cache-control')]).toEqual([200, 'text/html; charset=utf-8', CONSOLE_POLICY, 'no-cache']);
      expect(CONSOLE_POLICY).not.toContain('unsafe');
    });

  it('returns 304 to clients that have the page, compressed or not', async () => {
    for (const encoding of ['identity', 'gzip', 'br']) {
      const tag = (await get('/console', { headers: { 'Accept-Encoding': encoding } })).headers.get('etag')!;
      expect((await get('/console', { headers: { 'Accept-Encoding': encoding, 'If-None-Match': tag } })).status).toBe(
        304,
      );
    }
  });

  it('lets browsers cache scripts permanently, because their names change with their content', async () => {
    const { status, headers } = await get(await scriptOf('/console'));
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([200,
      'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable']);
  });

  it('returns 404 for what is not there, also outside the folder', async () => {
    for (const path of ['/console/assets/none.js', '/console/nothing', '/console/assets/..%2f..%2fdocs%2fopenapi.json',
      '/console/assets/%2e%2e/docs.html']) expect((await get(path)).status, path).toBe(404);
  });

  it('returns 405 to other methods', async () => {
    const response = await get('/console', { method: 'POST' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('is not there with SVC_CONSOLE=false', async () => {
    const without = await startDocsServer({ env: { SVC_CONSOLE: 'false' } });
    const statuses = await Promise.all(['/', '/console'].map(async (path) => (await fetch(without.url + path)).status));
    await without.stop();
    expect(statuses).toEqual([404, 404]);
  });
});
