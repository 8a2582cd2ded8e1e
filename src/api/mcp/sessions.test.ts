import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../../testkit/docs-server.ts';
import { connectHandshake, connectSse, INITIALIZE, mcpUrl, RawClient,
  type RpcAnswer } from '../../testkit/mcp-clients.ts';

let now: number;
let server: DocsServer;
let raw: RawClient;

beforeAll(async () => {
  now = 1_766_400_000_000;
  server = await startDocsServer({ clock: { now: () => now }, env: { SVC_TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => server.stop());
beforeEach(() => (raw = new RawClient(mcpUrl(server))));
afterEach(() => raw.close());

/** Opens a session; if it is one of many, from one of a hundred addresses. */
const open = async (_?: unknown, i?: number): Promise<string> =>
  (await raw.post(INITIALIZE, i === undefined ? {} : { 'X-Forwarded-For': `10.0.0.${i}` }))
    .headers['mcp-session-id'] as string;

const list = (session: string): Promise<RpcAnswer> =>
  raw.post({ jsonrpc: '2.0', id: 1, method: 'prompts/list' }, { 'Mcp-Session-Id': session });

const end = (session: string): Promise<RpcAnswer> => raw.send('DELETE', '/mcp', { 'Mcp-Session-Id': session });

const counted = async (): Promise<unknown> =>
  ((await (await fetch(`${server.url}/health`)).json()) as { mcpSessions: unknown }).mcpSessions;

describe('a session (decision D-113)', () => {
  it('has an id of 32 hexadecimal digits, and is counted in /health', async () => {
    const session = await open();
    expect(session).toMatch(/^[0-9a-f]{32}$/);
    expect(await counted()).toEqual({ sse: 0, streamable: 1 });
    expect((await list(session)).status).toBe(200);
    await end(session);
    expect(await counted()).toEqual({ sse: 0, streamable: 0 });
  });

  it('returns 404 once it was ended, and before it began', async () => {
    const session = await open();
    expect((await end(session)).status).toBe(200);
    for (const id of [session, '0'.repeat(32), '__proto__', 'x'.repeat(4000)]) {
      const { status, answer } = await list(id);
      expect([status, answer.error?.code]).toEqual([404, -32001]);
    }
    expect((await end(session)).status).toBe(404);
  });

  it('is needed for everything but initialize', async () => {
    const { status, answer } = await raw.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect([status, answer.error?.code]).toEqual([400, -32000]);
  });

  it('returns 2025-11-25 whatever revision the client asks for', async () => {
    for (const protocolVersion of ['2025-11-25', '2025-06-18', '2024-11-05', '2031-01-01']) {
      const { answer, headers } = await raw.post({ ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion } });
      expect(answer.result).toMatchObject({ protocolVersion: '2025-11-25', serverInfo: { name: 'quire' } });
      await end(headers['mcp-session-id'] as string);
    }
  });

  it('expires after half an hour without use, and not before', async () => {
    const [used, idle] = [await open(), await open()];
    now += 29 * 60_000;
    expect((await list(used)).status).toBe(200);
    now += 60_000;
    expect((await list(idle)).status).toBe(404);
    expect((await list(used)).status).toBe(200);
    expect(await counted()).toEqual({ sse: 0, streamable: 1 });
    now += 30 * 60_000;
    expect(await counted()).toEqual({ sse: 0, streamable: 0 });
  });

  it('does not expire while its client listens', async () => {
    const { client, transport } = await connectHandshake(mcpUrl(server));
    await expect.poll(counted).toEqual({ sse: 0, streamable: 1 });
    const sse = await connectSse(mcpUrl(server));
    await client.ping();
    now += 31 * 60_000;
    expect(await counted()).toMatchObject({ sse: 1 });
    await sse.ping();
    await sse.close();
    await expect.poll(counted).toMatchObject({ sse: 0 });
    await transport.terminateSession().catch(() => undefined);
    await client.close();
    now += 31 * 60_000;
    expect(await counted()).toEqual({ sse: 0, streamable: 0 });
  });

  it('that was refused for its headers leaves nothing', async () => {
    expect((await raw.post(INITIALIZE, { Accept: 'application/json' })).status).toBe(406);
    expect(await counted()).toEqual({ sse: 0, streamable: 0 });
  });
});

describe('the limit of 1000 sessions', () => {
  it('refuses one more with 503 until one has ended, and leaves nothing of a thousand', async () => {
    const sessions: string[] = [];
    for (let batch = 0; batch < 20; batch++) sessions.push(...await Promise.all(Array.from({ length: 50 }, open)));
    expect(new Set(sessions).size).toBe(1000);
    const { status, answer, headers } = await raw.post(INITIALIZE, { 'X-Forwarded-For': '10.0.1.1' });
    expect([status, answer.error?.message]).toEqual([503,
      '1000 sessions are open, which is the most; end one, or try again later']);
    expect(headers['retry-after']).toBe('60');
    expect((await raw.send('GET', '/sse', { Accept: 'text/event-stream', 'X-Forwarded-For': '10.0.1.1' })).status).toBe(
      503,
    );
    await end(sessions.pop()!);
    sessions.push(await open());
    await Promise.all(sessions.map(end));
    expect(await counted()).toEqual({ sse: 0, streamable: 0 });
  });

  it('leaves room for others: one address has a tenth of them (429)', async () => {
    const sessions = await Promise.all(Array.from({ length: 100 }, () => open()));
    const { status, answer, headers } = await raw.post(INITIALIZE);
    expect([status, answer.error?.message]).toEqual([429,
      'you have 100 sessions open, which is the most for one user or address; end one with DELETE, or try again later']);
    expect(headers['retry-after']).toBe('60');
    expect((await raw.send('GET', '/sse', { Accept: 'text/event-stream' })).status).toBe(429);
    sessions.push(await open(undefined, 1));
    expect(sessions.at(-1)).toMatch(/^[0-9a-f]{32}$/);
    await Promise.all(sessions.map(end));
  });

  it('makes room for new ones when old ones have expired', async () => {
    for (let batch = 0; batch < 20; batch++) await Promise.all(Array.from({ length: 50 }, open));
    now += 30 * 60_000;
    const session = await open();
    expect(await counted()).toEqual({ sse: 0, streamable: 1 });
    await end(session);
  });
});
