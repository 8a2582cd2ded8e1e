import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Caller, Reply } from '../../../operations/index.ts';
import { ManualTimer } from '../../../testkit/manual-timer.ts';
import { connectHandshake, connectSse, ENVELOPE, INITIALIZE, RawClient } from '../../../testkit/mcp-clients.ts';
import { type McpFixture, type McpFixtureOptions, serveMcpFixture } from '../../../testkit/mcp-listener.ts';

let fixture: McpFixture | undefined;

afterEach(async () => {
  await fixture?.stop(0);
  fixture = undefined;
});

/** Operations that wait until the test releases them, or until their caller aborts. */
class Held {
  readonly callers: Caller[] = [];
  readonly inputs: object[] = [];
  #waiting: ((reply: Reply<unknown>) => void)[] = [];

  readonly invoke = (id: string, input: object, caller: Caller): Promise<Reply<unknown>> => {
    if (id === 'getVectorStats')
      return Promise.resolve({
        value: { collections: { blog: { total_documents: 10, embedded_documents: this.embedded } } },
        headers: {},
      });
    this.callers.push(caller);
    this.inputs.push(input);
    return new Promise((resolve, reject) => {
      this.#waiting.push(resolve);
      caller.signal!.addEventListener('abort', () => reject(caller.signal!.reason as Error), { once: true });
    });
  };

  embedded = 0;

  async begun(count = 1): Promise<void> {
    await expect.poll(() => this.callers.length).toBe(count);
  }

  release(value: object = { deleted: 0 }): void {
    for (const resolve of this.#waiting.splice(0)) resolve({ value, headers: {} });
  }
}

async function serve(options: McpFixtureOptions = {}): Promise<Held> {
  const held = new Held();
  fixture = await serveMcpFixture({ invoke: held.invoke, ...options });
  return held;
}

const RESULT = { embedded: 10, skipped: 0, failed: 0, errors: [], totalChunks: 10 };

describe('progress (decision D-118)', () => {
  it('is reported at the beginning, while documents are embedded, and at the end, always growing', async () => {
    const timer = new ManualTimer();
    const held = await serve({ timer });
    const { client } = await connectHandshake(fixture!.url);
    const steps: { progress: number; total?: number | undefined }[] = [];
    const result = client.callTool({ name: 'vector_reindex', arguments: { collection: 'Blog' } }, undefined, {
      onprogress: (step) => steps.push(step),
    });
    await held.begun();
    held.embedded = 4;
    await timer.elapse();
    await expect.poll(() => steps.length).toBe(2);
    await timer.elapse();
    await expect.poll(() => steps.length).toBe(3);
    held.release(RESULT);
    expect((await result).structuredContent).toEqual(RESULT);
    expect(steps.map(({ progress }) => progress)).toEqual([0, 4, 4.001, 10]);
    expect(new Set(steps.map(({ total }) => total))).toEqual(new Set([10]));
    await client.close();
  });

  it('is reported without a session, too', async () => {
    const held = await serve({ timer: new ManualTimer() });
    const raw = new RawClient(fixture!.url);
    const answer = raw.stateless('tools/call', {
      name: 'ingest_documents',
      arguments: { collection: 'c', documents: [{}, {}] },
    }, { meta: { ...ENVELOPE, progressToken: 'p' } });
    await held.begun();
    held.release(RESULT);
    const { messages } = await answer;
    expect(
      messages.map((
        { method, params },
      ) => [method, params?.['progressToken'], params?.['progress'], params?.['total']]),
    ).toEqual([['notifications/progress', 'p', 0, 2], ['notifications/progress', 'p', 2, 2], [undefined, undefined,
      undefined, undefined]]);
    raw.close();
  });

  it('is not sent to a client that did not request it, nor of quick tools', async () => {
    const held = await serve();
    const raw = new RawClient(fixture!.url);
    const answers = Promise.all([raw.stateless('tools/call', { name: 'ingest_documents', arguments: {} }),
      raw.stateless('tools/call', { name: 'get_checksum', arguments: {} }, {
        meta: { ...ENVELOPE, progressToken: 1 },
      })]);
    await held.begun(2);
    held.release();
    for (const { messages } of await answers) expect(messages).toHaveLength(1);
    raw.close();
  });
});

describe('cancellation', () => {
  it.each(['streamable', 'sse'] as const)('by the client aborts the call, over %s', async (kind) => {
    const held = await serve();
    const client = kind === 'sse' ? await connectSse(fixture!.url) : (await connectHandshake(fixture!.url)).client;
    const cancel = new AbortController();
    const result = client.callTool({ name: 'get_checksum', arguments: { collection: 'c' } }, undefined, {
      signal: cancel.signal,
    });
    await held.begun();
    cancel.abort();
    await expect(result).rejects.toThrow();
    await expect.poll(() => held.callers[0]!.signal!.aborted).toBe(true);
    await client.close();
  });

  it('without a session is the end of the connection', async () => {
    const held = await serve();
    const gone = new AbortController();
    const headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'get_checksum',
    };
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_checksum', _meta: ENVELOPE },
    });
    const answer = fetch(fixture!.url, { method: 'POST', headers, body, signal: gone.signal });
    await held.begun();
    gone.abort();
    await expect(answer).rejects.toThrow();
    await expect.poll(() => held.callers[0]!.signal!.aborted).toBe(true);
  });

  it('does not come of a connection that breaks within a session: the work goes on', async () => {
    const held = await serve();
    const raw = new RawClient(fixture!.url);
    const session = (await raw.post(INITIALIZE)).headers['mcp-session-id'] as string;
    const gone = new AbortController();
    const headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'Mcp-Session-Id': session,
    };
    void fetch(fixture!.url, {
      method: 'POST',
      headers,
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_checksum"}}',
      signal: gone.signal,
    }).catch(() => undefined);
    await held.begun();
    gone.abort();
    await setImmediate();
    expect(held.callers[0]!.signal!.aborted).toBe(false);
    held.release();
    raw.close();
  });
});

describe('the response prompt of a collection (decision D-116)', () => {
  it('joins the response of a search whose operation does not bring it', async () => {
    const invoke = async (id: string) => ({
      value: id === 'getCollectionConfig'
        ? { config: { responsePrompt: 'Be brief on {{collection}}.' } }
        : { results: [] },
      headers: {},
    });
    fixture = await serveMcpFixture({ invoke });
    const raw = new RawClient(fixture.url);
    for (const name of ['geo_search', 'geo_within', 'geo_polygon']) {
      const { answer } = await raw.stateless('tools/call', { name, arguments: { collection: 'blog' } });
      expect(answer.result).toMatchObject({ structuredContent: { results: [], responsePrompt: 'Be brief on blog.' } });
    }
    raw.close();
  });
});

describe('the caller', () => {
  it('is passed to the operations: protocol, request id, address, and the credential as it was shown', async () => {
    const held = await serve();
    const raw = new RawClient(fixture!.url);
    const answer = raw.stateless('tools/call', { name: 'get_checksum', arguments: {} }, {
      headers: { Authorization: 'Bearer token', 'X-Request-Id': 'request-1', 'User-Agent': 'tester' },
    });
    await held.begun();
    held.release();
    expect((await answer).headers['x-request-id']).toBe('request-1');
    expect(held.callers[0]).toMatchObject({
      protocol: 'mcp',
      requestId: 'request-1',
      ip: '127.0.0.1',
      userAgent: 'tester',
      credential: { scheme: 'bearer', value: 'token' },
    });
    expect(held.callers[0]).not.toHaveProperty('trustedAs');
    raw.close();
  });

  it('does not show an MCP key to the operations as a credential of theirs', async () => {
    const held = await serve({ keys: ['k1:a'] });
    const raw = new RawClient(fixture!.url);
    const answer = raw.stateless('tools/call', { name: 'get_checksum', arguments: {} }, {
      headers: { 'X-API-Key': 'k1' },
    });
    await held.begun();
    held.release();
    await answer;
    expect(held.callers[0]!.credential).toBeUndefined();
    expect(held.callers[0]!.trustedAs).toBe('a');
    raw.close();
  });
});

describe('a stop', () => {
  it('lets calls under way be answered, ends idle sessions at once, and refuses what is new', async () => {
    const held = await serve();
    const busy = await connectHandshake(fixture!.url);
    const sse = await connectSse(fixture!.url);
    const results = Promise.all(
      [busy.client, sse].map((client) =>
        client.callTool({ name: 'delete_collection', arguments: { collection: 'c' } })
      ),
    );
    await held.begun(2);
    await connectSse(fixture!.url);
    const stopped = fixture!.stop(10_000);
    await expect.poll(() => fixture!.mcp.sessions()).toEqual({ sse: 1, streamable: 1 });
    held.release();
    for (const { structuredContent } of await results) expect(structuredContent).toEqual({ deleted: 0 });
    await stopped;
    expect(fixture!.mcp.held()).toBe(0);
  });

  it('does not wait longer than it may for calls that never end', async () => {
    const held = await serve();
    const { client } = await connectHandshake(fixture!.url);
    const result = client.callTool({ name: 'get_checksum', arguments: {} }).catch(() => 'cut off');
    await held.begun();
    await fixture!.stop(20);
    expect(await Promise.race([result, 'open'])).toBeDefined();
    expect(held.callers[0]!.signal!.aborted).toBe(true);
    expect(fixture!.mcp.held()).toBe(0);
    await client.close();
  });
});

describe('a thousand sessions', () => {
  it('opened and ended at once leave nothing behind', async () => {
    // From addresses none of which exceeds its share.
    await serve({ readAddress: (peer, forwarded) => forwarded ?? peer });
    const raw = new RawClient(fixture!.url);
    const clients = await Promise.all(Array.from({ length: 50 }, () => connectSse(fixture!.url)));
    const sessions: string[] = [];
    for (let batch = 0; batch < 19; batch++) {
      const opened = await Promise.all(
        Array.from({ length: 50 }, () => raw.post(INITIALIZE, { 'X-Forwarded-For': `10.0.0.${batch}` })),
      );
      sessions.push(...opened.map(({ headers }) => headers['mcp-session-id'] as string));
    }
    expect(fixture!.mcp.sessions()).toEqual({ sse: 50, streamable: 950 });
    expect(fixture!.mcp.held()).toBe(2000);
    await Promise.all([...sessions.map((id) => raw.send('DELETE', '/mcp', { 'Mcp-Session-Id': id })),
      ...clients.map((client) => client.close())]);
    await expect.poll(() => fixture!.mcp.held()).toBe(0);
    raw.close();
  });
});
