import { afterEach, describe, expect, it } from 'vitest';
import type { AuditEvent } from '../generated/docs/sdk/types.gen.ts';
import type { Environment } from '../src/app/settings/index.ts';
import { type DocsServer, startDocsServer } from '../src/testkit/docs-server.ts';
import { GrpcClient } from '../src/testkit/grpc-client.ts';
import { HttpClient } from '../src/testkit/http-client.ts';

const closers: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const JSON_BODY = { 'Content-Type': 'application/json' };
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Writes a document by each protocol, with these headers. */
const WRITES: Readonly<Record<string, (server: DocsServer, headers: Record<string, string>) => Promise<unknown>>> = {
  rest: ({ url }, headers) =>
    send(url, '/v1/add', headers, { collection: 'c', key: 'rest', lang: 'en', contentMd: '' }),
  graphql: ({ url }, headers) =>
    send(url, '/graphql', headers, {
      query: 'mutation { addDocument(input: { collection: "c", key: "graphql", lang: "en", contentMd: "" }) { key } }',
    }),
  mcp: ({ listeners }, headers) =>
    send(listeners.mcp!.url, '/mcp', {
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'add_document',
      ...headers,
    }, {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'add_document',
        arguments: { collection: 'c', key: 'mcp', lang: 'en', content_md: '' },
        _meta: META,
      },
    }),
  async grpc({ listeners }, headers) {
    const client = new GrpcClient(listeners.grpc!.url);
    try {
      await client.call('Add', { collection: 'c', key: 'grpc', lang: 'en', contentMd: '' }, {
        metadata: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
      });
    } finally {
      client.close();
    }
  },
};

async function send(url: string, path: string, headers: Record<string, string>, body: object): Promise<void> {
  const client = new HttpClient(url);
  try {
    const answer = await client.send('POST', path, {
      headers: { ...JSON_BODY, ...headers },
      body: JSON.stringify(body),
    });
    expect([answer.status, answer.text]).toEqual([200, expect.not.stringMatching(/"errors"|"isError":true/)]);
  } finally {
    client.close();
  }
}

async function start(env: Environment): Promise<DocsServer> {
  const server = await startDocsServer({ env: { SVC_AUDIT_ENABLED: 'true', ...env } });
  closers.push(() => server.stop());
  return server;
}

/** The address of the only write in the audit log. */
async function writtenFrom({ url }: DocsServer): Promise<string[]> {
  const { events } = await (await fetch(`${url}/v1/audit?action=write./v1/add`)).json() as { events: AuditEvent[] };
  return events.map(({ ip }) => ip);
}

describe.each(Object.keys(WRITES))('the address of a client of %s', (protocol) => {
  const write = WRITES[protocol]!;

  it('is that of the connection, whatever the client says', async () => {
    const server = await start({});
    await write(server, {
      'X-Forwarded-For': '203.0.113.9',
      'X-Real-IP': '203.0.113.9',
      Forwarded: 'for=203.0.113.9',
      'X-Client-IP': '203.0.113.9',
    });
    expect(await writtenFrom(server)).toEqual(['127.0.0.1']);
  });

  it('is the one from a trusted proxy, not the one from the client', async () => {
    const server = await start({ SVC_TRUSTED_PROXIES: '127.0.0.0/8,10.0.0.0/8' });
    await write(server, { 'X-Forwarded-For': '192.0.2.66, 203.0.113.9, 10.0.0.7' });
    expect(await writtenFrom(server)).toEqual(['203.0.113.9']);
  });

  it('is that of the connection where another proxy is trusted', async () => {
    const server = await start({ SVC_TRUSTED_PROXIES: '10.0.0.0/8' });
    await write(server, { 'X-Forwarded-For': '203.0.113.9, 10.0.0.7' });
    expect(await writtenFrom(server)).toEqual(['127.0.0.1']);
  });
});
