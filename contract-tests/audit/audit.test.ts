import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { AuditEvent, AuditExporter } from '../../generated/docs/sdk/types.gen.ts';
import { type DocsServer, startDocsServer } from '../../src/testkit/docs-server.ts';
import { HttpClient } from '../../src/testkit/http-client.ts';

const AUDITED = { SVC_AUDIT_ENABLED: 'true' };
const GUARDED = {
  SVC_AUTH_ENABLED: 'true',
  SVC_AUTH_JWT_SECRET: 'x'.repeat(32),
  SVC_AUTH_ADMIN_PASSWORD: 'correct horse',
  SVC_INCIDENT_AUTH_THRESHOLD: '3',
};

const closers: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(env: Record<string, string>): Promise<
  { server: DocsServer;
    call: (method: string, path: string, body?: object,
      headers?: Record<string, string>
    ) => Promise<{ status: number; body: Record<string, unknown> }> }
> {
  const server = await startDocsServer({ env, passwordCost: 4 });
  const client = new HttpClient(server.url);
  closers.push(() => server.stop(), () => client.close());
  return {
    server,
    call: async (method, path, body, headers = {}) => {
      const answer = await client.send(method, path, {
        headers: { 'User-Agent': 'tester/1', ...(body && { 'Content-Type': 'application/json' }), ...headers },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: answer.json<Record<string, unknown>>() };
    },
  };
}

const eventsOf = ({ body }: { body: Record<string, unknown> }): AuditEvent[] => body['events'] as AuditEvent[];
const shown = (events: readonly AuditEvent[]) =>
  events.map(({ actor, action, result }) => `${actor} ${action} ${result}`);

describe('the audit log', () => {
  it('is not there when it is off', async () => {
    const { call } = await start({});
    expect(await call('GET', '/v1/audit')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect((await call('GET', '/v1/audit/exporters')).status).toBe(404);
  });

  it('records each write once: the caller, the address and the outcome; no read, and none of the content', async () => {
    const { call } = await start(AUDITED);
    await call('POST', '/v1/add', { collection: 'blog', key: 'a', lang: 'en', contentMd: 'top secret' });
    await call('POST', '/v1/get', { collection: 'blog', key: 'a', lang: 'en' });
    await call('POST', '/v1/delete', { collection: 'blog', key: 'none', lang: 'en' });
    await call('POST', '/v1/add', { collection: 'blog' });
    const answer = await call('GET', '/v1/audit');
    expect(answer.body).toMatchObject({ count: 3, dropped: 0 });
    expect(shown(eventsOf(answer))).toEqual([' write./v1/add fail', ' write./v1/delete fail', ' write./v1/add ok']);
    expect(eventsOf(answer)[2]).toMatchObject({ resource: '/v1/add', ip: '127.0.0.1', userAgent: 'tester/1' });
    expect(JSON.stringify(answer.body)).not.toContain('secret');
    expect((await call('GET', '/v1/audit?action=write./v1/add&result=ok')).body).toMatchObject({ count: 1 });
    expect((await call('GET', `/v1/audit?toNanos=${eventsOf(answer)[2]!.ts}&from=2000-01-01T00:00:00Z`)).body)
      .toMatchObject({ count: 1 });
    expect((await call('GET', '/v1/audit?limit=0')).status).toBe(400);
    expect((await call('GET', '/v1/audit?from=yesterday')).status).toBe(400);
    expect((await call('GET', '/v1/audit/exporters')).body).toEqual({ exporters: [], count: 0 });
  });

  it('has each sign-in and each check of a credential, missing and invalid ones too (contract section 5, rule 10)', async () => {
    const { call } = await start({ ...AUDITED, ...GUARDED, SVC_INCIDENT_AUTH_THRESHOLD: '50' });
    await call('POST', '/v1/auth/login', { username: 'admin', password: 'wrong password' });
    const { body } = await call('POST', '/v1/auth/login', { username: 'admin', password: 'correct horse' });
    const bearer = { Authorization: `Bearer ${body['token'] as string}` };
    await call('GET', '/v1/auth/me');
    await call('GET', '/v1/auth/me', undefined, { Authorization: 'Bearer e30.e30.e30' });
    await call('GET', '/v1/auth/me', undefined, { 'X-API-Key': 'svc_live_0' });
    await call('GET', '/health');
    const { key } = (await call('POST', '/v1/auth/api-key', {}, bearer)).body as { key: string };
    await call('POST', '/v1/add', { collection: 'c', key: 'a', lang: 'en', contentMd: '' }, { 'X-API-Key': key });
    const answer = await call('GET', '/v1/audit', undefined, bearer);
    expect(shown(eventsOf(answer)).reverse()).toEqual(['admin auth.login fail', 'admin auth.login ok',
      ' auth.missing fail', ' auth.jwt fail', ' auth.apikey fail', 'admin auth.jwt ok',
      'admin write./v1/auth/api-key ok', 'admin auth.apikey ok', 'admin write./v1/add ok']);
    expect(JSON.stringify(answer.body)).not.toMatch(/correct horse|wrong password|svc_live_/);
    expect((await call('GET', '/v1/audit')).status).toBe(401);
  });

  it('has what GraphQL refuses, as of REST, once for a request, and counts it for bursts', async () => {
    const { call } = await start({ ...AUDITED, ...GUARDED, SVC_INCIDENT_AUTH_THRESHOLD: '3' });
    const guess = (query: string) => call('POST', '/graphql', { query }, { Authorization: 'Bearer e30.e30.e30' });
    await call('POST', '/graphql', { query: '{ users { username } }' });
    await guess('{ a: stats { mode } b: vectorStats { enabled } c: schemas { collection } }');
    await guess('mutation { a: deleteGroup(name: "g") b: deleteCollection(collection: "blog") }');
    await guess('{ me { username } }');
    const { body } = await call('POST', '/v1/auth/login', { username: 'admin', password: 'correct horse' });
    const bearer = { Authorization: `Bearer ${body['token'] as string}` };
    const events = eventsOf(await call('GET', '/v1/audit?result=fail', undefined, bearer)).reverse();
    expect(events.map(({ action, resource }) => `${action} ${resource}`)).toEqual(['auth.missing /v1/auth/users',
      'auth.jwt /v1/stats', 'auth.jwt /v1/auth/groups/{name}', 'incident.auth_failure_burst /v1/auth/groups/{name}',
      'write./v1/auth/groups/{name} /v1/auth/groups/{name}', 'auth.jwt /v1/auth/me']);
  });

  it.each([['keys of its own', { SVC_MCP_API_KEY_ENABLED: 'true', SVC_MCP_API_KEYS: 'right:plugin' }, ['auth.missing',
    'auth.apikey', 'auth.apikey', 'auth.apikey']], ["the service's credentials", {}, ['auth.missing', 'auth.jwt',
    'auth.apikey', 'auth.apikey']]])('records callers that MCP rejects, where %s, and counts them for bursts',
      async (_, env, expected) => {
        const { server, call } = await start({ ...AUDITED, ...GUARDED, ...env, SVC_INCIDENT_AUTH_THRESHOLD: '4' });
        const mcp = new HttpClient(server.listeners.mcp!.url);
        closers.push(() => mcp.close());
        const guesses: Record<string, string>[] = [{}, { Authorization: 'Bearer e30.e30.e30' }, {
          Authorization: 'Bearer mcp_0123',
        }, { 'X-API-Key': 'guess' }];
        for (const headers of guesses)
          expect(
            (await mcp.send('POST', '/mcp', { headers: { 'User-Agent': 'guesser/1', ...headers }, body: '{}' })).status,
          ).toBe(401);
        const { body } = await call('POST', '/v1/auth/login', { username: 'admin', password: 'correct horse' });
        const bearer = { Authorization: `Bearer ${body['token'] as string}` };
        const events = eventsOf(await call('GET', '/v1/audit?result=fail', undefined, bearer)).reverse();
        expect(events.map(({ action }) => action)).toEqual([...expected, 'incident.auth_failure_burst']);
        expect(events[1]).toMatchObject({ actor: '', resource: '/mcp', ip: '127.0.0.1', userAgent: 'guesser/1' });
        expect(JSON.stringify(events)).not.toMatch(/e30|0123|"guess"/);
      });

  it('tells a burst of failures to the change feed, for webhooks, and in the log (contract section 5, rule 11)', async () => {
    const { server, call } = await start({ ...AUDITED, ...GUARDED });
    for (let i = 0; i < 5; i++) await call('POST', '/v1/auth/login', { username: 'eve', password: 'guess' });
    const { body } = await call('POST', '/v1/auth/login', { username: 'admin', password: 'correct horse' });
    const answer = await call('GET', '/v1/audit?action=incident.auth_failure_burst', undefined, {
      Authorization: `Bearer ${body['token'] as string}`,
    });
    expect(eventsOf(answer)).toMatchObject([{ actor: 'eve', ip: '127.0.0.1', result: 'fail' }]);
    const changes = await server.sql.all<{ detail: string }>(
      "SELECT detail FROM changes WHERE kind = 'security.auth_failure_burst'",
    );
    expect(changes.map(({ detail }) => JSON.parse(detail) as unknown)).toEqual([{
      actor: 'eve',
      ip: '127.0.0.1',
      count: 3,
      windowSec: 60,
    }]);
  });

  it("attributes the server's own actions to the system (decisions, section 3.1)", async () => {
    const { call } = await start({ ...AUDITED, SVC_TTL_SWEEP_INTERVAL: '100ms' });
    await call('POST', '/v1/add', { collection: 'blog', key: 'a', lang: 'en', contentMd: 'a', ttl: 1 });
    let events: AuditEvent[] = [];
    while (events.length === 0) events = eventsOf(await call('GET', '/v1/audit?actor=system'));
    expect(events).toMatchObject([{ action: 'write.expire', resource: 'blog', result: 'ok', ip: '' }]);
  });

  it('is exported, with counters in the metrics; a sink that is down fails no request', async () => {
    const received: { body: AuditEvent; headers: IncomingMessage['headers'] }[] = [];
    const receiver = createServer((request, response) => {
      let text = '';
      request.on('data', (piece: Buffer) => (text += piece.toString())).on('end', () => {
        received.push({ body: JSON.parse(text) as AuditEvent, headers: request.headers });
        response.end();
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    closers.push(() => {
      receiver.closeAllConnections();
      receiver.close();
    });
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/events`;
    const { server, call } = await start({
      ...AUDITED,
      SVC_AUDIT_EXPORT_WEBHOOK_URL: url,
      SVC_AUDIT_EXPORT_WEBHOOK_HEADER: 'X-Token: abc',
      SVC_AUDIT_EXPORT_SYSLOG_ADDR: 'tcp://127.0.0.1:1',
      SVC_AUDIT_EXPORT_BUFFER: '5',
    });
    for (let i = 0; i < 4; i++)
      expect((await call('POST', '/v1/add', { collection: 'blog', key: `k${i}`, lang: 'en', contentMd: '' })).status)
        .toBe(200);
    while (received.length < 4) await call('GET', '/health');
    expect(received[0]).toMatchObject({
      body: { action: 'write./v1/add', result: 'ok' },
      headers: { 'x-token': 'abc' },
    });
    const exporters = (await call('GET', '/v1/audit/exporters')).body['exporters'] as AuditExporter[];
    expect(exporters).toMatchObject([{ name: 'webhook', target: url, queued: 4, bufferSize: 5 }, {
      name: 'syslog',
      target: 'tcp://127.0.0.1:1',
      queued: 4,
      delivered: 0,
    }]);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toContain('svc_audit_dropped_total 0');
    expect(metrics).toMatch(/svc_audit_exported_total\{exporter="webhook",outcome="delivered"\} [34]/);
  });

  it('survives a restore of the database, which it would otherwise be a way to clear', async () => {
    const { call } = await start(AUDITED);
    await call('GET', '/v1/backup?to=b.db');
    await call('POST', '/v1/add', { collection: 'blog', key: 'a', lang: 'en', contentMd: '' });
    expect((await call('POST', '/v1/restore', { from: 'b.db' })).status).toBe(200);
    expect(shown(eventsOf(await call('GET', '/v1/audit')))).toEqual([' write./v1/restore ok', ' write./v1/add ok']);
  });
});
