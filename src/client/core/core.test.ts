import fc from 'fast-check';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ReadableStream as WebStream } from 'node:stream/web';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addDocument, connect, deleteSession, exportEach, getDocument, items, listCollectionConfigs, QuireError,
  type QuireOptions, searchDocuments, searchVectors, watchEvents } from '../docs.ts';
import { connect as connectRuns, enqueueRun } from '../runs.ts';
import { delayBefore } from './backoff.ts';
import { linesOf, parseEvents } from './events.ts';
import { retryAfter } from './quire-error.ts';

interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Answer = (response: ServerResponse, received: Received) => void;

/** A server that sends the given responses, one after the other. */
let server: Server;
let url: string;
let answers: Answer[] = [];
let received: Received[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const one = { method: request.method!, path: request.url!, headers: request.headers, body };
      received.push(one);
      (answers.shift() ?? status(500, { error: 'no answer is left', code: 'internal' }))(response, one);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());
beforeEach(() => {
  [answers, received] = [[], []];
});

const status = (code: number, body: unknown, headers: Record<string, string> = {}): Answer => (response) => {
  response.writeHead(code, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
};
const ok = (body: unknown, headers?: Record<string, string>): Answer => status(200, body, headers);
const broken: Answer = (response) => response.destroy();

const quireWith = (options: QuireOptions = {}) => connect({ baseUrl: `${url}/`, maxDelayMs: 10, ...options });
const NAME = { collection: 'blog', key: 'a', lang: 'en' };
const read = (options?: QuireOptions, call: object = {}) =>
  quireWith(options).call(getDocument, { body: NAME, ...call });
const write = (options?: QuireOptions) => quireWith(options).call(addDocument, { body: { ...NAME, contentMd: 'x' } });

describe('a call that the service refuses', () => {
  it('throws an error with what the service says', async () => {
    answers = [status(400, {
      error: 'key: must not be empty; lang: is too long',
      code: 'invalid_argument',
      requestId: 'r1',
      errors: ['key: must not be empty', 'lang: is too long'],
    })];
    const error: unknown = await read().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(QuireError);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: 'QuireError',
      code: 'invalid_argument',
      status: 400,
      requestId: 'r1',
      fields: ['key: must not be empty', 'lang: is too long'],
      message: 'key: must not be empty; lang: is too long',
    });
  });

  it('reads the errors of the run queue, and those of others', async () => {
    answers = [status(404, { error: { code: 'run_not_found' } }, { 'X-Request-Id': 'r2' }),
      (response) => response.writeHead(413).end('<html>'),
      (response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"a":')];
    await expect(read()).rejects.toMatchObject({
      code: 'run_not_found',
      message: 'run not found',
      status: 404,
      requestId: 'r2',
    });
    await expect(read()).rejects.toMatchObject({ code: 'http_413', message: 'the server returned 413' });
    await expect(read()).rejects.toMatchObject({ code: 'invalid_response', status: 200 });
  });
});

describe('a call that is not answered', () => {
  it('is sent again where it only reads', async () => {
    answers = [broken, status(503, { error: 'loading', code: 'index_loading' }), ok({ key: 'a' })];
    expect(await read()).toEqual({ key: 'a' });
    expect(received.map(({ body }) => JSON.parse(body) as object)).toEqual([NAME, NAME, NAME]);
  });

  it('is sent again where doing it twice is doing it once', async () => {
    answers = [broken, ok({ status: 'deleted' })];
    await quireWith().call(deleteSession, { path: { id: 'ses_1' } });
    expect(received.map(({ method }) => method)).toEqual(['DELETE', 'DELETE']);
  });

  it('is not sent again where it may have been done', async () => {
    answers = [broken];
    await expect(write()).rejects.toMatchObject({ code: 'network', status: 0 });
    answers = [status(502, {})];
    await expect(write()).rejects.toMatchObject({ code: 'http_502' });
    expect(received).toHaveLength(2);
  });

  it('is sent again where the service says that it has done nothing', async () => {
    answers = [status(429, {}, { 'Retry-After': '0' }), status(503, {}, { 'Retry-After': '0' }), ok({ key: 'a' })];
    expect(await write()).toEqual({ key: 'a' });
  });

  it('fails after the last try, at once where none is wanted', async () => {
    answers = [broken, broken, broken, broken];
    await expect(read({ retries: 1 })).rejects.toMatchObject({ code: 'network' });
    await expect(read({}, { retries: 0 })).rejects.toMatchObject({ code: 'network' });
    expect(received).toHaveLength(3);
  });

  it('does not wait longer than it may', async () => {
    answers = [status(429, { error: 'slow down', code: 'rate_limited' }, { 'Retry-After': '60' })];
    await expect(read({ maxDelayMs: 1000 })).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: 60_000 });
  });

  /**
   * A `fetch` that never responds to the first calls, however busy the machine is, and aborts them as a real one does.
   */
  function hanging(calls: number, then: () => Response): { fetch: typeof globalThis.fetch; begun: () => number } {
    let begun = 0;
    const wait = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    return { fetch: async (_request, init) => (begun++ < calls ? wait(init!.signal!) : then()), begun: () => begun };
  }

  it('ends with its time', async () => {
    await expect(read({ ...hanging(1, () => Response.json({})), timeoutMs: 30, retries: 0 })).rejects.toMatchObject({
      code: 'timeout',
      status: 0,
      message: 'no response within 30 ms',
    });
    expect(await read(hanging(1, () => Response.json({ key: 'b' })), { timeoutMs: 50 })).toEqual({ key: 'b' });
  });

  it("ends with its signal, for the signal's reason, also between two tries", async () => {
    await expect(read(hanging(1, () => Response.json({})), { signal: AbortSignal.timeout(20) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    const reason = new Error('changed my mind');
    const controller = new AbortController();
    const busy = hanging(0, () => new Response('{}', { status: 429, headers: { 'Retry-After': '5' } }));
    const call = read({ ...busy, maxDelayMs: 10_000 }, { signal: controller.signal });
    await expect.poll(busy.begun).toBe(1);
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  it("has one idempotency key for all of its tries, the caller's where there is one", async () => {
    const runs = connectRuns({ baseUrl: url, token: 't', maxDelayMs: 10 });
    const run = { body: { project_id: 'alpha', kind: 'diagnostic' as const } };
    answers = [broken, ok({ data: {} }), ok({ data: {} }), ok({ data: {} })];
    await runs.call(enqueueRun, run);
    await runs.call(enqueueRun, run);
    await runs.call(enqueueRun, { ...run, headers: { 'Idempotency-Key': 'mine' } });
    const keys = received.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect([keys[1] === keys[0], keys[2] === keys[0], keys[3]]).toEqual([true, false, 'mine']);
  });

  it('waits between nothing and the longest delay, and at least what is asked for', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.integer({ min: 1, max: 60_000 }),
        fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }), (tries, maxDelayMs, asked) => {
        const response = new Response(null, {
          status: 503,
          headers: asked === undefined ? {} : { 'Retry-After': String(asked) },
        });
        const delay = delayBefore(tries, { response }, true, { retries: 41, maxDelayMs });
        if (delay === undefined) expect((asked ?? 0) * 1000).toBeGreaterThan(maxDelayMs);
        else expect([delay >= (asked ?? 0) * 1000, delay <= maxDelayMs]).toEqual([true, true]);
      }),
    );
  });

  it.each([['2', 2000], ['0', 0], ['', undefined], ['soon', undefined], [null, undefined], [
    'Thu, 01 Jan 1970 00:00:05 GMT',
    5000,
  ]])('reads Retry-After: %s', (value, ms) => {
    expect(retryAfter(value, 0)).toBe(ms);
  });
});

describe('what is sent', () => {
  it('has the credential, asked for again with each call, as the service takes it', async () => {
    answers = [ok({}), ok({}), ok({})];
    let n = 0;
    const quire = quireWith({ token: async () => `t${++n}`, headers: { 'X-Tenant': 'a' } });
    await quire.call(getDocument, { body: NAME });
    await quire.call(getDocument, { body: NAME });
    await read({ apiKey: 'k' });
    expect(received.map(({ headers }) => [headers.authorization, headers['x-api-key'], headers['x-tenant']])).toEqual([[
      'Bearer t1',
      undefined,
      'a',
    ], ['Bearer t2', undefined, 'a'], [undefined, 'k', undefined]]);
  });

  it('asks for what the session has seen, and the position never goes back', async () => {
    const at = (lsn: string) => ok({}, { 'X-Quire-LSN': lsn });
    answers = [at('7'), at('12'), at('9'), ok({}), ok({})];
    const quire = quireWith();
    for (let i = 0; i < 4; i++) await quire.call(getDocument, { body: NAME });
    expect(received.map(({ headers }) => headers['x-quire-min-lsn'])).toEqual([undefined, '7', '12', '12']);
    expect(quire.lsn).toBe('12');
    await read({ session: false, lsn: '3' });
    expect(received.at(-1)!.headers).not.toHaveProperty('x-quire-min-lsn');
    answers = [ok({})];
    await read({ lsn: quire.lsn! });
    expect(received.at(-1)!.headers['x-quire-min-lsn']).toBe('12');
  });
});

describe('the pages of a list', () => {
  it('go on by the cursor, from the first one', async () => {
    answers = [ok([{ key: 'a' }, { key: 'b' }], { 'X-Next-Cursor': 'c1' }),
      ok([{ key: 'c' }], { 'X-Next-Cursor': 'c2' }), ok([])];
    const keys: string[] = [];
    for await (const { key } of items(quireWith(), searchDocuments, { body: { collection: 'blog', limit: 2 } }))
      keys.push(key);
    expect(keys).toEqual(['a', 'b', 'c']);
    expect(received.map(({ body }) => (JSON.parse(body) as { cursor: string }).cursor)).toEqual(['*', 'c1', 'c2']);
  });

  it('go on behind a page by cursor whose documents were deleted meanwhile', async () => {
    answers = [ok({ results: [{ document: { key: 'a' } }], nextCursor: 'c1' }), ok({ results: [], nextCursor: 'c2' }),
      ok({ results: [{ document: { key: 'b' } }], nextCursor: 'c3' }), ok({ results: [] })];
    const keys: string[] = [];
    for await (const { document } of items(quireWith(), searchVectors, {
      body: { collection: 'blog', query: 'ships' },
    })) keys.push(document.key);
    expect(keys).toEqual(['a', 'b']);
  });

  it('go on by the offset where there is no cursor, and read no page that the caller does not want', async () => {
    answers = [ok({ configs: [{ collection: 'a' }, { collection: 'b' }], total: 3, truncated: true, nextOffset: 2 }),
      ok({ configs: [{ collection: 'c' }], total: 3 }), ok({ configs: [], total: 3 })];
    const names: string[] = [];
    for await (const { collection } of items(quireWith(), listCollectionConfigs, {})) names.push(collection);
    expect([names, received.map(({ path }) => path)]).toEqual([['a', 'b', 'c'], ['/v1/collection-configs',
      '/v1/collection-configs?offset=2', '/v1/collection-configs?offset=3']]);
    answers = [ok({ configs: [{ collection: 'a' }], total: 3 })];
    for await (const _ of items(quireWith(), listCollectionConfigs, {})) break;
    expect(received).toHaveLength(4);
  });

  it('are none of what lists nothing', async () => {
    await expect(items(quireWith(), getDocument, { body: NAME }).next()).rejects.toThrow(
      new TypeError('POST /v1/get has no pages'),
    );
  });
});

async function* pieces(text: string, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let from = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    const end = Math.max(from, Math.min(cut, bytes.length));
    yield bytes.subarray(from, end);
    from = end;
  }
  yield bytes.subarray(from);
}

const streamOf = (source: AsyncIterable<Uint8Array>) => WebStream.from(source) as ReadableStream<Uint8Array>;

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of source) list.push(item);
  return list;
}

describe('what streams', () => {
  it('has the same lines, however it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '😀', '\r', ' ') })), fc.array(fc.nat(60)),
        fc.constantFrom('\n', '\r\n'), async (lines, cuts, end) => {
        const whole = lines.map((line) => line.replaceAll('\r', '')).map((line) => `${line}${end}`).join('');
        const stream = streamOf(pieces(whole, cuts));
        expect(await all(linesOf(stream))).toEqual(lines.map((line) => line.replaceAll('\r', '')));
      }),
    );
  });

  it('has the events of the standard', async () => {
    const text =
      ': comment\n\nid: 1\nevent: log\ndata: a\ndata:b\n\ndata\n\nid\ndata: c\n\nretry: 5\n\ndata: not ended';
    const events = await all(parseEvents(linesOf(streamOf(pieces(text, []))), undefined));
    expect(events).toEqual([{ id: '1', event: 'log', data: 'a\nb' }, { id: '1', event: 'message', data: '' }, {
      id: '',
      event: 'message',
      data: 'c',
    }]);
  });

  const change = (id: number) => `id: ${id}\nevent: doc.added\ndata: {"event":"doc.added","key":"k${id}"}\n\n`;
  const events = (text: string, then: (response: ServerResponse) => void): Answer => (response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(text, () => then(response));
  };

  it('goes on after the last event when a connection breaks or ends', async () => {
    const ended: Answer = events(change(2), (response) => response.end());
    answers = [events(change(1), (response) => response.destroy()), ended, status(503, {}),
      events(`id: 5\n\n${change(6)}`, () => undefined)];
    const seen: string[] = [];
    for await (const { key } of watchEvents(quireWith({ retries: 0 }), { collection: 'blog' }, { after: '0' })) {
      seen.push(key);
      if (key === 'k6') break;
    }
    expect(seen).toEqual(['k1', 'k2', 'k6']);
    expect(received.map(({ headers }) => headers['last-event-id'])).toEqual(['0', '1', '2', '2']);
  });

  it('says what the service refuses, and ends with its signal', async () => {
    answers = [status(403, { error: 'forbidden', code: 'forbidden' })];
    await expect(watchEvents(quireWith()).next()).rejects.toMatchObject({ code: 'forbidden' });
    answers = [events(change(1), () => undefined)];
    const controller = new AbortController();
    const stream = watchEvents(quireWith(), {}, { signal: controller.signal });
    expect((await stream.next()).value).toMatchObject({ id: '1', key: 'k1' });
    controller.abort(new Error('enough'));
    await expect(stream.next()).rejects.toThrow('enough');
  });

  it('fails with an error of ours when an export breaks off', async () => {
    answers = [(response) => {
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson' }).write('{"key":"a"}\n{"ke',
        () => response.destroy());
    }];
    const seen: string[] = [];
    const run = async () => {
      for await (const { key } of exportEach(quireWith(), { collection: 'blog' })) seen.push(key);
    };
    await expect(run()).rejects.toMatchObject({ name: 'QuireError', code: 'network' });
    expect(seen).toEqual(['a']);
  });
});
