import { request as rawRequest } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { connectHandshake, connectSse, INITIALIZE, RawClient } from '../../../testkit/mcp-clients.ts';
import { type McpFixture, type McpFixtureOptions, serveMcpFixture } from '../../../testkit/mcp-listener.ts';

let fixture: McpFixture | undefined;
let raw: RawClient | undefined;

afterEach(async () => {
  raw?.close();
  await fixture?.stop();
  fixture = undefined;
});

async function serve(options: McpFixtureOptions): Promise<RawClient> {
  fixture = await serveMcpFixture(options);
  return (raw = new RawClient(fixture.url));
}

describe('MCP keys (decision D-114)', () => {
  const keys = ['first-secret-key:alice', 'second-secret-key:bob'];

  it('are taken from X-API-Key and from Bearer, and nothing is answered without one', async () => {
    const client = await serve({ keys });
    for (const headers of [{ 'X-API-Key': 'first-secret-key' }, { Authorization: 'Bearer second-secret-key' }]) {
      expect((await client.stateless('tools/list', {}, { headers })).status).toBe(200);
    }
    const { status, answer, headers } = await client.stateless('tools/list');
    expect([status, answer.error?.message, headers['www-authenticate']]).toEqual([401, 'missing authentication',
      'Bearer']);
    for (const key of ['first-secret-ke', 'first-secret-key:alice', 'alice', 'svc_live_0123']) {
      expect((await client.stateless('tools/list', {}, { headers: { 'X-API-Key': key } })).answer.error?.message).toBe(
        'invalid token',
      );
    }
  });

  it('may be in the URL of /sse, whose client cannot set headers, but not of /mcp', async () => {
    const client = await serve({ keys });
    const sse = await connectSse(fixture!.url, '/sse?api_key=first-secret-key');
    expect((await sse.listPrompts()).prompts).toHaveLength(5);
    await sse.close();
    expect((await client.post(INITIALIZE, {}, '/mcp?api_key=first-secret-key')).status).toBe(401);
    expect((await client.send('GET', '/sse?api_key=wrong', { Accept: 'text/event-stream' })).status).toBe(401);
  });

  it('own their sessions: another key does not find them', async () => {
    const client = await serve({ keys });
    const session = (await client.post(INITIALIZE, { 'X-API-Key': 'first-secret-key' }))
      .headers['mcp-session-id'] as string;
    const list = (key: string) =>
      client.post({ jsonrpc: '2.0', id: 1, method: 'prompts/list' }, { 'Mcp-Session-Id': session, 'X-API-Key': key });
    expect((await list('second-secret-key')).status).toBe(404);
    expect((await list('first-secret-key')).status).toBe(200);
  });

  it('that are stored are looked up by their digest, and the response is remembered for a while', async () => {
    let now = 0;
    const lookups: string[] = [];
    const stored = {
      find: async (digest: string) => (lookups.push(digest), lookups.length === 1 ? { name: 'carol' } : undefined),
    };
    const client = await serve({ stored, cacheTtl: 1000, clock: { now: () => now } });
    const status = async () =>
      (await client.stateless('tools/list', {}, { headers: { 'X-API-Key': 'mcp_0123' } })).status;
    expect([await status(), await status()]).toEqual([200, 200]);
    expect(lookups).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    now = 1000;
    expect(await status()).toBe(401);
    fixture!.authenticator.forget();
    await status();
    expect(lookups).toHaveLength(3);
  });
});

describe('a web page of another site (decision D-114)', () => {
  /** `fetch` would not let a test choose these headers. */
  const statusOf = (headers: Record<string, string>,
    method = 'POST'): Promise<{ status: number; headers: Record<string, unknown> }> =>
    new Promise((resolve, reject) => {
      const outgoing = rawRequest(fixture!.url, {
        method,
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
      }, (answer) => {
        answer.resume();
        resolve({ status: answer.statusCode!, headers: answer.headers });
      });
      outgoing.once('error', reject);
      outgoing.end(method === 'POST' ? JSON.stringify(INITIALIZE) : undefined);
    });

  it('is refused by its Origin', async () => {
    await serve({});
    for (const origin of ['https://evil.example', 'http://localhost.evil.example', 'null',
      'http://127.0.0.1.evil.example', 'http://10.0.0.1'])
    {
      expect([origin, (await statusOf({ Origin: origin })).status]).toEqual([origin, 403]);
    }
    for (const origin of ['http://localhost:6274', 'http://127.0.0.1:3000', 'http://[::1]:8080'])
      expect((await statusOf({ Origin: origin })).status).toBe(200);
  });

  it('is refused by its Host, when its name was made to point here', async () => {
    await serve({});
    for (const host of ['evil.example', 'evil.example:9000', 'localhost.evil.example', 'e vil'])
      expect([host, (await statusOf({ Host: host })).status]).toEqual([host, 403]);
    for (const host of ['localhost', 'localhost:1', '127.0.0.1:9000', '[::1]:9000'])
      expect([host, (await statusOf({ Host: host })).status]).toEqual([host, 200]);
  });

  it('is let in when its origin is listed, with the headers that a browser asks for', async () => {
    await serve({ origins: ['https://app.example'] });
    const { status, headers } = await statusOf({ Origin: 'https://app.example', Host: 'app.example' });
    expect([status, headers['access-control-allow-origin']]).toEqual([200, 'https://app.example']);
    expect(headers['access-control-expose-headers']).toContain('Mcp-Session-Id');
    const preflight = await statusOf({
      Origin: 'https://app.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'mcp-session-id',
    }, 'OPTIONS');
    expect([preflight.status, preflight.headers['access-control-allow-headers']]).toEqual([204, 'mcp-session-id']);
    expect((await statusOf({ Origin: 'https://other.example' }, 'OPTIONS')).status).toBe(403);
  });
});

describe('the rate limit (decision D-115)', () => {
  it('allows requests and burst in each window, then returns 429 with the time to wait', async () => {
    let now = 1_766_400_000_000 - (1_766_400_000_000 % 60_000);
    const client = await serve({ rateLimit: { requests: 3, burst: 2, by: 'ip' }, clock: { now: () => now } });
    const answers = [];
    for (let i = 0; i < 6; i++) answers.push(await client.stateless('prompts/list'));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
    expect(answers.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual(['4', '3', '2', '1', '0', '0']);
    const wait = Number(answers[5]!.headers['retry-after']);
    expect(wait).toBeGreaterThan(0);
    now += wait * 1000;
    expect((await client.stateless('prompts/list')).status).toBe(200);
  });

  it('counts by key, and callers without a valid one by address', async () => {
    const client = await serve({ rateLimit: { requests: 2, burst: 0, by: 'api_key' }, keys: ['k1:a', 'k2:b'] });
    const status = async (key: string) =>
      (await client.stateless('prompts/list', {}, { headers: { 'X-API-Key': key } })).status;
    expect([await status('k1'), await status('k1'), await status('k1'), await status('k2')]).toEqual([200, 200, 429,
      200]);
    expect([await status('guess1'), await status('guess2'), await status('guess3')]).toEqual([401, 401, 429]);
  });

  it('counts by session, and requests without one by address, so that making sessions up gains nothing', async () => {
    const client = await serve({ rateLimit: { requests: 2, burst: 0, by: 'session' } });
    const session = (await client.post(INITIALIZE)).headers['mcp-session-id'] as string;
    const status = async (id: string) =>
      (await client.post({ jsonrpc: '2.0', id: 1, method: 'prompts/list' }, { 'Mcp-Session-Id': id })).status;
    expect([await status(session), await status(session), await status(session)]).toEqual([200, 200, 429]);
    expect([await status('made-up-1'), await status('made-up-2')]).toEqual([404, 429]);
  });

  it('is off by default', async () => {
    const client = await serve({});
    const statuses = await Promise.all(
      Array.from({ length: 150 }, async () => (await client.stateless('prompts/list')).status),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});

describe('the client of the SDK', () => {
  it('is served when it shows a key, and only then', async () => {
    await serve({ keys: ['k1:a'] });
    const { client } = await connectHandshake(fixture!.url, { Authorization: 'Bearer k1' });
    expect((await client.listTools()).tools.length).toBeGreaterThan(90);
    await client.close();
    await expect(connectHandshake(fixture!.url)).rejects.toThrow();
  });
});
