import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../../testkit/docs-server.ts';
import { ENVELOPE, INITIALIZE, mcpUrl, RawClient } from '../../testkit/mcp-clients.ts';

let server: DocsServer;
let raw: RawClient;

beforeAll(async () => {
  server = await startDocsServer();
  raw = new RawClient(mcpUrl(server));
  await raw.stateless('tools/call', {
    name: 'add_document',
    arguments: { collection: 'blog', key: 'a', lang: 'en', content_md: '# A' },
  });
});
afterAll(async () => {
  raw.close();
  await server.stop();
});

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

describe('the choice of the revision (decision D-110)', () => {
  it('is made for each request: both are served side by side', async () => {
    const handshake = await raw.post(INITIALIZE);
    expect(handshake.answer.result).toMatchObject({ protocolVersion: '2025-11-25' });
    expect((await raw.stateless('tools/list')).answer.result).toMatchObject({ resultType: 'complete' });
    const session = handshake.headers['mcp-session-id'] as string;
    expect(
      (await raw.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { 'Mcp-Session-Id': session })).answer.result,
    ).not.toHaveProperty('resultType');
  });

  it('falls on the one without sessions by a method that only it has', async () => {
    for (const method of ['server/discover', 'subscriptions/listen']) {
      const { status, answer } = await raw.post({ jsonrpc: '2.0', id: 5, method, params: {} });
      expect([status, answer.error?.code, answer.id]).toEqual([400, -32602, 5]);
    }
  });
});

describe('a request without a session (decision D-112)', () => {
  it('needs protocolVersion and clientCapabilities in _meta', async () => {
    for (const [meta, missing] of [[{ [VERSION]: '2026-07-28' }, CAPABILITIES], [{ [CAPABILITIES]: {} },
      VERSION]] as const)
    {
      const { status, answer } = await raw.stateless('tools/list', {}, { meta, id: 9 });
      expect([status, answer.error?.code]).toEqual([400, -32602]);
      expect(answer.error?.message).toContain(missing);
    }
  });

  it.each([['MCP-Protocol-Version', { 'MCP-Protocol-Version': '2025-11-25' }], ['MCP-Protocol-Version that is absent', {
    'MCP-Protocol-Version': undefined,
  }], ['Mcp-Method', { 'Mcp-Method': 'tools/list' }], ['Mcp-Method that is absent', { 'Mcp-Method': undefined }], [
    'Mcp-Name',
    { 'Mcp-Name': 'get_stats' },
  ], ['Mcp-Name that is absent', { 'Mcp-Name': undefined }]])('is refused when its headers do not match its body: %s',
    async (_what, headers) => {
      const { status, answer } = await raw.stateless('tools/call', { name: 'get_health', arguments: {} }, { headers });
      expect([status, answer.error?.code]).toEqual([400, -32020]);
    });

  it('of an unknown revision returns which are supported', async () => {
    const { status, answer } = await raw.stateless('tools/list', {}, {
      headers: { 'MCP-Protocol-Version': '2099-01-01' },
      meta: { ...ENVELOPE, [VERSION]: '2099-01-01' },
    });
    expect(status).toBe(400);
    expect(answer.error).toMatchObject({ code: -32022, data: { supported: ['2026-07-28'], requested: '2099-01-01' } });
  });

  it('is answered with resultType and who the server is, lists with how long they may be kept', async () => {
    const { answer: { result: tools } } = await raw.stateless('tools/list');
    expect(tools, 'those of its caller').toMatchObject({
      resultType: 'complete',
      ttlMs: 300_000,
      cacheScope: 'private',
      _meta: { [SERVER_INFO]: { name: 'quire' } },
    });
    for (const method of ['resources/list', 'resources/templates/list', 'prompts/list', 'server/discover']) {
      const { status, answer } = await raw.stateless(method);
      expect([method, status]).toEqual([method, 200]);
      expect(answer.result, method).toMatchObject({
        resultType: 'complete',
        ttlMs: 3_600_000,
        cacheScope: 'public',
        _meta: { [SERVER_INFO]: { name: 'quire' } },
      });
    }
  });

  it('reads a resource afresh each time, for its caller alone', async () => {
    const { answer } = await raw.stateless('resources/read', { uri: 'svc://blog/a' });
    expect(answer.result).toMatchObject({
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      contents: [{ mimeType: 'text/markdown', text: '# A' }, { mimeType: 'application/json' }],
    });
  });

  it('calls a tool', async () => {
    const { answer } = await raw.stateless('tools/call', {
      name: 'get_document',
      arguments: { collection: 'blog', key: 'a', lang: 'en' },
    });
    expect(answer.result).toMatchObject({
      resultType: 'complete',
      structuredContent: { contentMd: '# A' },
      _meta: { [SERVER_INFO]: { name: 'quire' } },
    });
  });

  it.each(['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'no/such/method'])(
    'for the removed or unknown method %s returns 404',
    async (method) => {
      const { status, answer } = await raw.stateless(method);
      expect([status, answer.error?.code]).toEqual([404, -32601]);
    },
  );

  it('to listen acknowledges that there is nothing to hear, and ends', async () => {
    const { status, messages } = await raw.stateless('subscriptions/listen', {
      notifications: { toolsListChanged: true, resourceSubscriptions: ['svc://stats'] },
    }, { id: 'sub' });
    expect(status).toBe(200);
    expect(messages).toMatchObject([{
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: {} },
    }, { id: 'sub', result: { resultType: 'complete', _meta: { [SERVER_INFO]: { name: 'quire' } } } }]);
  });

  it('opens no session', async () => {
    const { headers } = await raw.stateless('tools/list');
    expect(headers['mcp-session-id']).toBeUndefined();
  });
});

describe('a pinned revision (decision D-113)', () => {
  const pinned = async (revision: string): Promise<{ server: DocsServer; raw: RawClient }> => {
    const other = await startDocsServer({ env: { SVC_MCP_PROTOCOL_VERSION: revision } });
    return { server: other, raw: new RawClient(mcpUrl(other)) };
  };

  it('2026-07-28 serves no sessions', async () => {
    const other = await pinned('2026-07-28');
    const { status, answer } = await other.raw.post(INITIALIZE);
    expect([status, answer.error]).toMatchObject([400, { code: -32022, data: { supported: ['2026-07-28'] } }]);
    expect((await other.raw.send('GET', '/mcp', { Accept: 'text/event-stream' })).status).toBe(405);
    expect((await other.raw.send('GET', '/sse')).status).toBe(404);
    expect((await other.raw.stateless('tools/list')).status).toBe(200);
    const { protocols } = await (await fetch(`${other.server.url}/v1/config`)).json() as { protocols: { mcp: object } };
    expect(protocols.mcp).toMatchObject({
      revision: '2026-07-28',
      supportedRevisions: ['2026-07-28'],
      revisionPinned: true,
      handshakeRevision: '',
    });
    other.raw.close();
    await other.server.stop();
  });

  it('2025-11-25 serves sessions only', async () => {
    const other = await pinned('2025-11-25');
    const { status, answer } = await other.raw.stateless('tools/list');
    expect([status, answer.error]).toMatchObject([400, {
      code: -32022,
      data: { supported: ['2025-11-25'], requested: '2026-07-28' },
    }]);
    expect((await other.raw.post(INITIALIZE)).answer.result).toMatchObject({ protocolVersion: '2025-11-25' });
    other.raw.close();
    await other.server.stop();
  });

  it('that is unknown stops the start', async () => {
    await expect(startDocsServer({ env: { SVC_MCP_PROTOCOL_VERSION: '2024-11-05' } })).rejects.toThrow(
      'SVC_MCP_PROTOCOL_VERSION: expected one of 2026-07-28, 2025-11-25, got "2024-11-05"',
    );
  });
});
