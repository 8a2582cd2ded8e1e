import fc from 'fast-check';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../../../testkit/docs-server.ts';
import { connectSse, ENVELOPE, INITIALIZE, mcpUrl, RawClient } from '../../../testkit/mcp-clients.ts';
import { serveMcpFixture } from '../../../testkit/mcp-listener.ts';

let server: DocsServer;
let raw: RawClient;
let session: string;

beforeAll(async () => {
  server = await startDocsServer({ env: { SVC_MAX_BODY_BYTES: '100000' } });
  raw = new RawClient(mcpUrl(server));
  session = (await raw.post(INITIALIZE)).headers['mcp-session-id'] as string;
});
afterAll(async () => {
  raw.close();
  expect(server.errors).toEqual([]);
  await server.stop();
});

const call = (name: unknown, args: unknown) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});

describe('a body that is no message', () => {
  it.each([['no JSON', '{"jsonrpc"', 400, -32700], ['nothing', '', 400, -32700], ['a batch', [{
    jsonrpc: '2.0',
    id: 1,
    method: 'ping',
  }], 400, -32600], ['a number', '7', 400, -32600], ['no JSON-RPC', { id: 1, method: 'ping' }, 400, -32600], [
    'a method that is no text',
    { jsonrpc: '2.0', id: 1, method: 5 },
    400,
    -32600,
  ], ['an id that is an object', { jsonrpc: '2.0', id: {}, method: 'ping' }, 400, -32600], ['deep nesting',
    `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`, 400, -32600], ['too much', `"${'x'.repeat(100_001)}"`, 413,
    -32000]])('is refused: %s', async (_what, body, status, code) => {
      for (const headers of [{}, { 'Mcp-Session-Id': session }]) {
        const answer = await raw.post(body, headers);
        expect([answer.status, answer.answer.error?.code]).toEqual([status, code]);
      }
    });

  it('is refused in other encodings and types', async () => {
    expect((await raw.post(INITIALIZE, { 'Content-Type': 'text/plain' })).status).toBe(415);
    expect((await raw.post(INITIALIZE, { 'Content-Type': undefined })).status).toBe(415);
    expect((await raw.post(INITIALIZE, { 'Content-Encoding': 'gzip' })).status).toBe(415);
  });

  it('in bytes that are not UTF-8 is refused', async () => {
    const response = await fetch(mcpUrl(server), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: new Uint8Array([0x22, 0xff, 0x22]),
    });
    expect([response.status, ((await response.json()) as { error: { code: number } }).error.code]).toEqual([400,
      -32700]);
  });
});

describe('a request that is out of place', () => {
  it.each([['GET', '/', 404], ['POST', '/nowhere', 404], ['GET', '/mcp/', 404], ['PUT', '/mcp', 405], ['POST', '/sse',
    405], ['GET', '/message', 405], ['GET', '/mcp', 400], ['DELETE', '/mcp', 400], ['GET', `/${'x'.repeat(9000)}`,
    400]])('%s %s returns %i in JSON-RPC', async (method, path, status) => {
      const { answer, ...rest } = await raw.send(method, path, { Accept: 'text/event-stream' });
      expect([rest.status, typeof answer.error?.message]).toEqual([status, 'string']);
      expect(rest.headers['x-content-type-options']).toBe('nosniff');
    });

  it('gets the types that it must accept', async () => {
    expect((await raw.post(INITIALIZE, { Accept: 'text/html' })).status).toBe(406);
    expect((await raw.send('GET', '/sse', { Accept: 'application/json' })).status).toBe(406);
  });

  it('is refused for a second stream of its session', async () => {
    const stream = request(mcpUrl(server), { headers: { Accept: 'text/event-stream', 'Mcp-Session-Id': session } })
      .end();
    await once(stream, 'response');
    expect((await raw.send('GET', '/mcp', { Accept: 'text/event-stream', 'Mcp-Session-Id': session })).status).toBe(
      409,
    );
    stream.destroy();
  });

  it('that is no HTTP is answered in JSON-RPC', async () => {
    const socket = connect(Number(mcpUrl(server).port), '127.0.0.1').setEncoding('utf8');
    socket.write('NOT HTTP\r\n\r\n');
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    expect(text).toMatch(/^HTTP\/1\.1 400 [\s\S]*\{"jsonrpc":"2\.0","error":\{"code":-32600,/);
  });

  it('to a message endpoint needs an open stream', async () => {
    expect((await raw.post(INITIALIZE, {}, '/message')).status).toBe(400);
    expect((await raw.post(INITIALIZE, {}, `/message?sessionId=${session}`)).status).toBe(404);
  });
});

describe('names that mean something to JavaScript', () => {
  it('are names like all others', async () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'prototype']) {
      expect((await raw.post(call(name, {}), { 'Mcp-Session-Id': session })).answer.error?.code).toBe(-32602);
      const { answer } = await raw.post(
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_document","arguments":{"collection":"c","key":"k","lang":"en","content_md":"x","${name}":{"polluted":1},"meta":{"${name}":["v"]}}}}`,
        { 'Mcp-Session-Id': session },
      );
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
      expect([name, answer.error]).toEqual([name, undefined]);
      expect((await raw.post({ jsonrpc: '2.0', id: 1, method: 'prompts/get', params: { name } }, {
        'Mcp-Session-Id': session,
      })).answer.error?.code).toBe(-32602);
    }
  });
});

describe('any parameters whatever', () => {
  it('are answered with a result or an error of the client, never with a failure of the server', async () => {
    const methods = ['tools/call', 'tools/list', 'resources/read', 'resources/list', 'prompts/get',
      'completion/complete', 'initialize', 'nope'];
    const params = fc.oneof(
      fc.dictionary(fc.constantFrom('name', 'arguments', 'uri', 'cursor', 'ref', 'argument', '_meta'),
        fc.jsonValue({ maxDepth: 3 })),
      fc.record({
        name: fc.constantFrom('search_documents', 'export_documents', 'upload_file', 'list_webhooks', 'vector_reindex'),
        arguments: fc.dictionary(
          fc.constantFrom('collection', 'limit', 'offset', 'filter_meta', 'content', 'filename', '__proto__'),
          fc.jsonValue({ maxDepth: 2 }),
        ),
      }),
      fc.record({ uri: fc.string().map((text) => `svc://${text}`) }),
      fc.record({
        ref: fc.record({ type: fc.constantFrom('ref/prompt', 'ref/resource'), name: fc.string(), uri: fc.string() }),
        argument: fc.record({ name: fc.constantFrom('collection', 'x'), value: fc.string() }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...methods), params, fc.boolean(), async (method, sent, stateless) => {
        const { status, answer } = stateless
          ? await raw.post({ jsonrpc: '2.0', id: 1, method, params: { ...sent, _meta: ENVELOPE } }, {
            'MCP-Protocol-Version': '2026-07-28',
            'Mcp-Method': method,
          })
          : await raw.post({ jsonrpc: '2.0', id: 1, method, params: sent }, { 'Mcp-Session-Id': session });
        expect(status).toBeLessThan(500);
        const failed = answer.error?.code === -32603 || JSON.stringify(answer.result ?? {}).includes('"internal"');
        expect([failed, answer]).toEqual([false, answer]);
      }),
      { numRuns: 150 },
    );
  });
});

describe('a client that does not read', () => {
  it('is ended when its responses pile up, and its session with it', async () => {
    const fixture = await serveMcpFixture({
      invoke: async () => ({ value: { text: 'x'.repeat(1_000_000) }, headers: {} }),
    });
    const stream = request(new URL('/sse', fixture.url), { headers: { Accept: 'text/event-stream' } }).end();
    const [incoming] = (await once(stream, 'response')) as [IncomingMessage];
    const [first] = (await once(incoming, 'data')) as [Buffer];
    const endpoint = /data: (\S+)/.exec(first.toString())![1]!;
    incoming.pause();
    const client = new RawClient(fixture.url);
    let status = 202;
    for (let id = 1; id < 60 && status === 202; id++)
      ({ status } = await client.post({ ...call('get_checksum', {}), id }, {}, endpoint));
    expect(status).toBe(404);
    await expect.poll(() => fixture.mcp.held()).toBe(0);
    stream.destroy();
    client.close();
    await fixture.stop();
  });

  it('leaves nothing when it hangs up in the middle of everything', async () => {
    const fixture = await serveMcpFixture();
    await connectSse(fixture.url).then((client) => client.close());
    const sockets = Array.from({ length: 50 }, () => connect(Number(fixture.url.port), '127.0.0.1'));
    await Promise.all(sockets.map(async (socket, i) => {
      await once(socket, 'connect');
      socket.write(
        i % 2
          ? 'GET /sse HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n'
          : 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ' +
            '500\r\n\r\n{"json',
      );
      socket.once('error', () => undefined);
      if (i % 2) await once(socket, 'data');
      socket.destroy();
    }));
    await expect.poll(() => fixture.mcp.held()).toBe(0);
    await fixture.stop();
  });
});
