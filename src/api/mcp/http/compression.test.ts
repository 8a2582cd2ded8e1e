import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { type Answer, HttpClient } from '../../../testkit/http-client.ts';
import { connectHandshake, ENVELOPE, INITIALIZE } from '../../../testkit/mcp-clients.ts';
import { type McpFixture, type McpFixtureOptions, serveMcpFixture } from '../../../testkit/mcp-listener.ts';
import { STATELESS } from '../messages.ts';

let fixture: McpFixture | undefined;
let client: HttpClient | undefined;

afterEach(async () => {
  client?.close();
  await fixture?.stop();
});

async function ask(method: string, accepted: string | undefined, options: McpFixtureOptions = { compress: true },
  headers: Record<string, string> = {}): Promise<Answer>
{
  fixture = await serveMcpFixture(options);
  client = new HttpClient(fixture.url.origin);
  const all = {
    'Content-Type': 'application/json',
    'Accept': 'application/json, text/event-stream',
    'MCP-Protocol-Version': STATELESS,
    'Mcp-Method': method,
    ...(accepted !== undefined && { 'Accept-Encoding': accepted }),
    ...headers,
  };
  return client.send('POST', '/mcp', {
    headers: all,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta: ENVELOPE } }),
  });
}

describe('JSON over 1 KiB is compressed', () => {
  it.each([['gzip', gunzipSync], ['zstd', zstdDecompressSync]] as const)('for a client that accepts %s',
    async (encoding, decode) => {
      const { status, headers, bytes } = await ask('tools/list', encoding);
      expect([status, headers['content-encoding'], headers.vary, Number(headers['content-length'])]).toEqual([200,
        encoding, 'Origin, Accept-Encoding', bytes.length]);
      expect(JSON.parse(decode(bytes).toString())).toMatchObject({ id: 1, result: { tools: expect.any(Array) } });
      expect(headers['x-request-id']).toBeDefined();
    });

  it.each([[undefined], ['identity'], ['gzip;q=0, br;q=0']])('not for one that accepts %s', async (accepted) => {
    const { headers, text } = await ask('tools/list', accepted);
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, 'Origin, Accept-Encoding']);
    expect(JSON.parse(text)).toMatchObject({ result: { tools: expect.any(Array) } });
  });

  it('not where that is switched off', async () => {
    const { headers, text } = await ask('tools/list', 'gzip', {});
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, 'Origin']);
    expect(JSON.parse(text)).toMatchObject({ id: 1 });
  });
});

describe('is sent as it is', () => {
  it('what is short, such as a refusal', async () => {
    const { status, headers, text } = await ask('tools/list', 'gzip', {
      compress: true,
      keys: ['first-secret-key:alice'],
    });
    expect([status, headers['content-encoding'], Number(headers['content-length'])]).toEqual([401, undefined,
      text.length]);
    expect(JSON.parse(text)).toMatchObject({ error: { message: 'missing authentication' } });
  });

  it('a stream of events, and what a session says in one', async () => {
    fixture = await serveMcpFixture({ compress: true });
    client = new HttpClient(fixture.url.origin);
    const { headers } = await client.send('POST', '/mcp', {
      headers: {
        'Content-Type': 'application/json',
        'Accept': 'application/json, text/event-stream',
        'Accept-Encoding': 'gzip',
      },
      body: JSON.stringify(INITIALIZE),
    });
    expect([headers['content-type'], headers['content-encoding']]).toEqual(['text/event-stream', undefined]);
    const { client: session } = await connectHandshake(fixture.url);
    expect((await session.listTools()).tools.length).toBeGreaterThan(10);
    await session.close();
  });
});
