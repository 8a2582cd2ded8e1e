import { type Metadata, status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from 'vitest';
import type { AuditEvent } from '../generated/docs/sdk/types.gen.ts';
import type { Environment } from '../src/app/settings/index.ts';
import { type DocsServer, startDocsServer } from '../src/testkit/docs-server.ts';
import { encode, GrpcClient } from '../src/testkit/grpc-client.ts';
import { type Answer, HttpClient } from '../src/testkit/http-client.ts';
import { ADMIN, apiKey, bearer, PASSWORD, startWithAuth, tokenOf } from './support/access-server.ts';

/** The start of a window, so that no test crosses the boundary of two. */
const START = 1_766_400_000_000;
/** The addresses whose `X-Forwarded-For` the servers here trust: the tests', which simulate many clients. */
const BEHIND_PROXY = { SVC_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' };
const LIMITED = { SVC_RATE_LIMIT_ENABLED: 'true', SVC_RATE_LIMIT_REQUESTS: '3', SVC_RATE_LIMIT_BURST: '1' };

const closers: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const clockAt = () => ({
  time: START,
  now() {
    return this.time;
  },
});

interface Clients {
  readonly server: DocsServer;
  readonly http: HttpClient;
  readonly mcp: HttpClient;
  readonly grpc: GrpcClient;
}

function clientsOf(server: DocsServer): Clients {
  const [http, mcp, grpc] = [new HttpClient(server.url), new HttpClient(server.listeners.mcp!.url),
    new GrpcClient(server.listeners.grpc!.url)];
  closers.push(() => server.stop(), () => http.close(), () => mcp.close(), () => grpc.close());
  return { server, http, mcp, grpc };
}

const start = async (env: Environment, clock = clockAt()): Promise<Clients> =>
  clientsOf(await startDocsServer({ env, clock }));

const from = (ip: string): Record<string, string> => ({ 'X-Forwarded-For': ip });
const quota = ({ status: code, headers }: Answer) => [code, headers['x-ratelimit-remaining']];

const graphql = ({ http }: Clients, query: string, headers: Record<string, string> = {}) => (
  http.send('POST', '/graphql', {
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  })
);
const listTools = ({ mcp }: Clients, headers: Record<string, string> = {}) =>
  mcp.send('POST', '/mcp', {
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/list',
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/list',
      params: {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });

/** Code and quota of a gRPC call, from its initial metadata or, if it was rejected, its trailing metadata. */
async function callGrpc({ grpc }: Clients, rpc: string,
  metadata: Record<string, string> = {}): Promise<[number, string | undefined]>
{
  const remaining = (of: Metadata): string | undefined => of.get('x-ratelimit-remaining')[0]?.toString();
  try {
    return [status.OK, remaining((await grpc.exchange(rpc, encode(rpc, {}), { metadata })).head)];
  } catch (error) {
    const { code, metadata: trailer } = error as { code: number; metadata: Metadata };
    return [code, remaining(trailer)];
  }
}

describe('the rate limit (decisions, section 5.4)', () => {
  it('is off unless it is switched on', async () => {
    const { http } = await start({});
    expect(quota(await http.get('/v1/stats'))).toEqual([200, undefined]);
  });

  it('is one for all protocols, and a request counts once, however many operations it has', async () => {
    const clients = await start({ ...LIMITED, SVC_RATE_LIMIT_REQUESTS: '5' });
    expect(quota(await clients.http.get('/v1/config'))).toEqual([200, '5']);
    expect(quota(await graphql(clients, '{ a: stats { mode } b: stats { mode } c: stats { mode } }'))).toEqual([200,
      '4']);
    expect(await callGrpc(clients, 'GetConfig')).toEqual([status.OK, '3']);
    expect(quota(await listTools(clients))).toEqual([200, '2']);
    expect(quota(await clients.http.get('/nowhere'))).toEqual([404, '1']);
    expect(quota(await clients.http.get('/docs'))).toEqual([200, '0']);
    expect(quota(await clients.http.get('/v1/config'))).toEqual([429, '0']);
  });

  it('is reported by each protocol in its own form, with a time to wait that suffices', async () => {
    const clock = clockAt();
    const clients = await start({ ...LIMITED, SVC_RATE_LIMIT_REQUESTS: '1', SVC_RATE_LIMIT_BURST: '0' }, clock);
    await clients.http.get('/v1/config');
    const rest = await clients.http.get('/v1/config');
    expect(rest.json()).toMatchObject({
      error: expect.stringMatching(/^too many requests; try again in \d+ s$/) as string,
      code: 'rate_limited',
      requestId: expect.any(String) as string,
    });
    expect(rest.headers).toMatchObject({
      'x-ratelimit-limit': '1',
      'x-ratelimit-remaining': '0',
      'retry-after': rest.headers['x-ratelimit-reset'],
    });
    const answer = await graphql(clients, '{ stats { mode } }');
    expect([answer.status, answer.json()]).toEqual([429, {
      errors: [{
        message: expect.stringContaining('too many requests') as string,
        extensions: { code: 'rate_limited', status: 429 },
      }],
    }]);
    const tools = await listTools(clients);
    expect([tools.status, tools.json()]).toMatchObject([429, {
      jsonrpc: '2.0',
      error: { message: expect.stringContaining('too many requests') as string },
    }]);
    expect(tools.headers['retry-after']).toBe(rest.headers['retry-after']);
    const refused = await clients.grpc.call('GetConfig', {}).catch((error: unknown) => error) as { code: number;
      metadata: Metadata };
    expect([refused.code, refused.metadata.get('retry-after'), refused.metadata.get('quire-code')]).toEqual([
      status.RESOURCE_EXHAUSTED,
      [rest.headers['retry-after']],
      ['rate_limited'],
    ]);
    clock.time += Number(rest.headers['retry-after']) * 1000;
    expect(quota(await clients.http.get('/v1/config'))).toEqual([200, '0']);
  });

  it('does not count health, readiness, metrics and preflights', async () => {
    const clients = await start({ ...LIMITED, SVC_RATE_LIMIT_REQUESTS: '1', SVC_RATE_LIMIT_BURST: '0' });
    await clients.http.get('/v1/config');
    for (const path of ['/health', '/v1/health', '/ready', '/v1/ready', '/metrics'])
      expect(quota(await clients.http.get(path))).toEqual([200, undefined]);
    expect((await clients.http.send('OPTIONS', '/v1/config', {
      headers: { Origin: 'https://a.example', 'Access-Control-Request-Method': 'GET' },
    })).status).toBe(204);
    expect(await callGrpc(clients, 'Health')).toEqual([status.OK, undefined]);
    expect(quota(await clients.http.get('/v1/config'))).toEqual([429, '0']);
    const { text } = await clients.http.get('/metrics');
    expect(text).toContain('svc_ratelimit_rejected_total{transport="http"} 1');
    expect(text).toContain('svc_grpc_requests_total{method="quire.docs.v1.DocumentDB/Health",code="OK"} 1');
  });

  it('counts by user where configured, on every protocol, and keys of a user as the user', async () => {
    const server = await startWithAuth({
      ...LIMITED,
      ...BEHIND_PROXY,
      SVC_RATE_LIMIT_REQUESTS: '4',
      SVC_RATE_LIMIT_BY: 'user',
    }, clockAt());
    const clients = clientsOf(server);
    const token = bearer(await tokenOf(server.url, ADMIN));
    const made = await clients.http.send('POST', '/v1/auth/api-key', {
      headers: { ...token, 'Content-Type': 'application/json' },
      body: '{}',
    });
    expect(quota(made)).toEqual([200, '4']);
    const key = apiKey(made.json<{ key: string }>().key);
    expect(quota(await clients.http.send('GET', '/v1/auth/me', { headers: { ...key, ...from('192.0.2.1') } }))).toEqual(
      [200, '3'],
    );
    expect(await callGrpc(clients, 'Me', { ...key, ...from('192.0.2.2') })).toEqual([status.OK, '2']);
    expect(quota(await listTools(clients, { ...token, ...from('192.0.2.3') }))).toEqual([200, '1']);
    expect(quota(await graphql(clients, '{ me { username } }', token))).toEqual([200, '0']);
    expect(await callGrpc(clients, 'Me', { ...key, ...from('192.0.2.4') })).toEqual([status.RESOURCE_EXHAUSTED, '0']);
    expect(quota(await clients.http.get('/v1/compliance-status'))).toEqual([200, '3']);
  });
});

describe('an attacker meets the limit', () => {
  /** Makes `attempts` requests and returns how many of them were not rejected. */
  async function through(attempts: number, attempt: (i: number) => Promise<number | undefined>,
    refusal: number): Promise<number>
  {
    let count = 0;
    for (let i = 0; i < attempts; i++) if (await attempt(i) !== refusal) count += 1;
    return count;
  }
  const guess = ({ http }: Clients, i: number, headers: Record<string, string> = {}) => (
    http.send('POST', '/v1/auth/login', {
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ username: 'admin', password: `guess ${i}` }),
    })
  );

  it.each(['ip', 'user'])(
    'callers that guess passwords and keys, counted by %s, whatever the protocol, the key and the headers',
    async (by) => {
      const clock = clockAt();
      const clients = clientsOf(
        await startWithAuth({ ...LIMITED, SVC_RATE_LIMIT_BY: by, SVC_AUDIT_ENABLED: 'true' }, clock),
      );
      const key = (i: number) => apiKey(`svc_live_${i.toString(16).padStart(48, '0')}`);
      const spoofed = (i: number) => ({
        'X-Forwarded-For': `203.0.113.${i}`,
        Forwarded: `for=203.0.113.${i}`,
        'X-Real-IP': `203.0.113.${i}`,
      });
      const attempts: ((i: number) => Promise<number | undefined>)[] = [
        async (i) => (await guess(clients, i, spoofed(i))).status,
        async (i) => (await clients.http.send('GET', '/v1/auth/me', { headers: { ...key(i), ...spoofed(i) } })).status,
        async (i) =>
          (await graphql(clients, `mutation { login(username: "admin", password: "${i}") { token } }`, spoofed(i)))
            .status,
        async (i) => (await listTools(clients, { ...key(i), ...spoofed(i) })).status,
        async (
          i,
        ) => ((await callGrpc(clients, 'Me', { ...key(i), 'x-forwarded-for': `203.0.113.${i}` }))[0] ===
            status.RESOURCE_EXHAUSTED
          ? 429
          : 401),
      ];
      expect(await through(50, (i) => attempts[i % attempts.length]!(i), 429)).toBe(4);
      // Over time no more than the limit in each window.
      clock.time += 10 * 60_000;
      expect(await through(20, (i) => attempts[i % attempts.length]!(i), 429)).toBe(4);
    },
  );

  it('callers with many IPv6 addresses, and callers that write addresses before those that proxies append', async () => {
    const clients = await start({ ...LIMITED, ...BEHIND_PROXY });
    const get = async (headers: Record<string, string>) =>
      (await clients.http.send('GET', '/v1/config', { headers })).status;
    expect(await through(50, (i) => get(from(`2001:db8::${i.toString(16)}:1`)), 429)).toBe(4);
    expect(await through(50, (i) => get(from(`203.0.113.${i}, 198.51.100.1, 10.1.2.3`)), 429)).toBe(4);
    expect(await through(50, (i) => get(from(`nonsense ${i}, 198.51.100.2`)), 429)).toBe(4);
    expect(await get(from('198.51.100.3'))).toBe(200);
  });

  it('and is reported once, in the audit log, with the address from the proxies, and counted in the metrics', async () => {
    const server = await startWithAuth({ ...LIMITED, ...BEHIND_PROXY, SVC_AUDIT_ENABLED: 'true' }, clockAt());
    const clients = clientsOf(server);
    await through(20, async (i) => (await guess(clients, i, from('198.51.100.9'))).status, 429);
    const token = bearer(await tokenOf(server.url, ADMIN));
    const { events } = (await clients.http.send('GET', '/v1/audit', { headers: token })).json<
      { events: AuditEvent[] }
    >();
    const attacks = events.filter(({ ip }) => ip === '198.51.100.9').map(({ action, result }) => `${action} ${result}`);
    expect(attacks).toEqual(['incident.rate_limit_exceeded fail', ...Array<string>(4).fill('auth.login fail')]);
    expect((await clients.http.get('/metrics')).text).toContain('svc_ratelimit_rejected_total{transport="http"} 16');
    const changes = await server.sql.all<{ detail: string }>(
      "SELECT detail FROM changes WHERE kind = 'security.rate_limit_exceeded'",
    );
    expect(changes.map(({ detail }) => JSON.parse(detail) as unknown)).toEqual([{
      actor: '',
      ip: '198.51.100.9',
      limit: 4,
      windowSec: 60,
    }]);
  });

  it('while others are served', async () => {
    const server = await startWithAuth({
      ...LIMITED,
      ...BEHIND_PROXY,
      SVC_RATE_LIMIT_BY: 'user',
      SVC_RATE_LIMIT_REQUESTS: '20',
    }, clockAt());
    const clients = clientsOf(server);
    const admin = bearer(await tokenOf(server.url, ADMIN));
    await clients.http.send('POST', '/v1/auth/register', {
      headers: { ...admin, 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'bob', password: PASSWORD }),
    });
    const bob = bearer(await tokenOf(server.url, { username: 'bob', password: PASSWORD }));
    await through(60,
      async () => (await clients.http.send('GET', '/v1/auth/me', { headers: bearer('stolen?') })).status, 429);
    // Even from the attacker's own address.
    expect((await clients.http.send('GET', '/v1/auth/me', { headers: bob })).status).toBe(200);
  });
});
