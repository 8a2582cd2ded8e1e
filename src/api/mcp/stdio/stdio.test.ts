import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../lib/log.ts';
import { bareEnvironment } from '../../../testkit/bare-environment.ts';
import { MAIN, ROOT } from '../../../testkit/docs-process.ts';
import { ENVELOPE, INITIALIZE } from '../../../testkit/mcp-clients.ts';
import type { McpCore } from '../core/core.ts';
import { pinRevision } from '../messages.ts';
import { CORE_NAMES } from '../models/index.ts';
import { serveOverStdio, type StdioServer } from './serve-stdio.ts';

interface Line {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: object };
}

/** A server over streams in this process, with one tool that waits to be released. */
function serve(pin = '', maxBytes = 10_000) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const release = Promise.withResolvers<void>();
  const core = {
    info: { name: 'fixture', version: '1' },
    instructions: undefined,
    capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
    tools: [],
    listTools: () => ({ tools: [] }),
    listPrompts: () => ({ prompts: [] }),
    callTool: async () => (await release.promise, { content: [] }),
  } as unknown as McpCore;
  const server: StdioServer = serveOverStdio({
    core,
    revisions: pinRevision(pin),
    input,
    output,
    maxBytes,
    log: silentLog,
  });
  let text = '';
  output.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const lines = (): Line[] => text.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Line);
  return {
    server,
    lines,
    release: release.resolve,
    send: (...messages: unknown[]) =>
      messages.forEach((message) =>
        input.write(typeof message === 'string' ? message : `${JSON.stringify(message)}\n`)
      ),
    end: () => input.end(),
  };
}

const stateless = (method: string, params: object = {}, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params: { ...params, _meta: ENVELOPE },
});

describe('MCP over a pair of streams (decision D-111)', () => {
  it('serves the revision that the first message asks for', async () => {
    const handshake = serve();
    handshake.send(INITIALIZE, { jsonrpc: '2.0', method: 'notifications/initialized' }, {
      jsonrpc: '2.0',
      id: 1,
      method: 'prompts/list',
    });
    await expect.poll(handshake.lines).toMatchObject([{ id: 0, result: { protocolVersion: '2025-11-25' } }, {
      id: 1,
      result: { prompts: [] },
    }]);
    const without = serve();
    without.send(stateless('server/discover'), stateless('prompts/list', {}, 2));
    await expect.poll(without.lines).toMatchObject([{ id: 1, result: { resultType: 'complete' } }, {
      id: 2,
      result: { resultType: 'complete', ttlMs: 3_600_000, cacheScope: 'public' },
    }]);
    await Promise.all([handshake.server.stop(), without.server.stop()]);
  });

  it('responds to invalid messages, and continues', async () => {
    const { server, lines, send } = serve('', 200);
    send('not json\n', '[1,2]\n', '7\n', '\n', '{"jsonrpc":"2.0","id":{},"method":"ping"}\n',
      Buffer.from([0xff, 10]).toString('latin1'), `"${'x'.repeat(500)}"\n`, INITIALIZE);
    await expect.poll(lines).toMatchObject([{ id: null, error: { code: -32700 } }, {
      id: null,
      error: { code: -32600 },
    }, { id: null, error: { code: -32600 } }, { id: null, error: { code: -32600 } }, {
      id: null,
      error: { code: -32700 },
    }, { id: null, error: { code: -32600, message: 'Invalid Request: the message is larger than 200 bytes' } }, {
      id: 0,
      result: {},
    }]);
    await server.stop();
  });

  it('reads messages however they are cut', async () => {
    const { server, lines, send } = serve();
    for (const character of `${JSON.stringify(INITIALIZE)}\n`) send(character);
    await expect.poll(lines).toMatchObject([{ id: 0 }]);
    await server.stop();
  });

  it('completes running requests when the input ends, and ends only then', async () => {
    const { server, lines, send, end, release } = serve();
    send(stateless('tools/call', { name: 'x' }, 'last'));
    end();
    await expect(
      Promise.race([server.ended.then(() => 'ended'), new Promise((resolve) => setImmediate(resolve, 'open'))]),
    ).resolves.toBe('open');
    release();
    await server.ended;
    expect(lines()).toMatchObject([{ id: 'last', result: { resultType: 'complete' } }]);
  });

  it('ends at once when nothing is under way, or what was is cancelled', async () => {
    const idle = serve();
    idle.end();
    await idle.server.ended;
    const cancelled = serve();
    cancelled.send(INITIALIZE, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } }, {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 1 },
    });
    cancelled.end();
    await cancelled.server.ended;
  });

  it('ends a subscription as soon as it is acknowledged, since there is nothing to hear', async () => {
    const { server, lines, send } = serve();
    send(stateless('subscriptions/listen', { notifications: { toolsListChanged: true } }, 'sub'),
      stateless('prompts/list', {}, 2));
    await expect.poll(lines).toMatchObject([{
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: {} },
    }, {
      id: 'sub',
      result: { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'fixture' } } },
    }, { id: 2 }]);
    await server.stop();
    expect(lines()).toHaveLength(3);
  });

  it('obeys a pinned revision', async () => {
    const [old, modern] = [serve('2025-11-25'), serve('2026-07-28')];
    old.send(stateless('prompts/list'), INITIALIZE);
    modern.send(INITIALIZE, stateless('prompts/list'));
    await expect.poll(old.lines).toMatchObject([{ id: 1, error: { code: -32022, data: { supported: ['2025-11-25'] } } },
      { id: 0, result: {} }]);
    await expect.poll(modern.lines).toMatchObject([{
      id: 0,
      error: { code: -32022, data: { supported: ['2026-07-28'] } },
    }, { id: 1, result: {} }]);
    await Promise.all([old.server.stop(), modern.server.stop()]);
  });
});

describe('quire mcp, and quire docs --mcp-stdio', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'quire-stdio-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const args = () => [MAIN, 'docs', '--mcp-stdio', '--db', join(folder, 'quire.db')];

  it('serves the client of the SDK as a child process, and ends with it', async () => {
    const client = new Client({ name: 'test', version: '1' });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, 'mcp', '--db', join(folder, 'quire.db')],
      cwd: ROOT,
      stderr: 'pipe',
    });
    let log = '';
    transport.stderr!.on('data', (chunk: Buffer) => (log += chunk.toString()));
    await client.connect(transport);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(CORE_NAMES);
    await client.callTool({
      name: 'add_document',
      arguments: { collection: 'blog', key: 'a', lang: 'en', content_md: '# A' },
    });
    expect((await client.callTool({ name: 'get_config', arguments: {} })).structuredContent).toMatchObject({
      protocols: { mcp: { stdio: true, revision: '2026-07-28' } },
    });
    expect((await client.readResource({ uri: 'svc://blog/a' })).contents[0]).toMatchObject({ text: '# A' });
    await client.close();
    expect(log).toContain('MCP is served over standard input and output');
  });

  it('answers requests that are piped in, writes nothing else to its output, and keeps what it stored', async () => {
    const run = async (...messages: object[]): Promise<{ lines: Line[]; code: number }> => {
      const child = spawn(process.execPath, args(), {
        cwd: ROOT,
        stdio: ['pipe', 'pipe', 'ignore'],
        env: bareEnvironment(),
      });
      let text = '';
      child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
      child.stdin.end(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
      const [code] = (await once(child, 'close')) as [number];
      return { lines: text.trimEnd().split('\n').map((line) => JSON.parse(line) as Line), code };
    };
    const stored = await run(stateless('tools/call', {
      name: 'add_document',
      arguments: { collection: 'c', key: 'k', lang: 'en', content_md: 'kept' },
    }));
    expect(stored).toMatchObject({ code: 0, lines: [{ id: 1, result: { structuredContent: { contentMd: 'kept' } } }] });
    const found = await run(stateless('tools/call', { name: 'search_documents', arguments: { collection: 'c' } }));
    expect(found.lines).toMatchObject([{ result: { structuredContent: { total: 1 } } }]);
  });
});
