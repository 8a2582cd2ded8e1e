import { once } from 'node:events';
import { request, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ServiceError } from '../../errors/index.ts';
import { silentLog } from '../../lib/log.ts';
import { createInvoker, type Download, EVERYONE, type Guard, type Handlers, type Operation, type OperationSpec,
  type Preconditions, Reply } from '../../operations/index.ts';
import { createHttpApp, type Exchange, flatErrors, type HttpServer, nestedErrors, startHttpServer } from './index.ts';

interface Operations {
  echoThing: Operation<{ name: string }, { name: string }>;
  findThing: Operation<{ id: string; limit?: number; flag?: boolean; tags?: string[]; meta?: Record<string, string[]> },
    object>;
  dropThing: Operation<{ id: string }, void>;
  saveThing: Operation<Record<never, never>, Download>;
  offerThing: Operation<{ name: string; requestKey?: string }, { name: string }>;
  resetThing: Operation<{ name?: string }, { name: string }>;
}

const base = {
  area: 'things',
  summary: '',
  access: 'read',
  effect: 'read',
  limited: true,
  sanitize: false,
  status: 200,
  parameters: [],
  consumes: [],
  produces: ['application/json'],
} as const;
const operations: { [K in keyof Operations]: OperationSpec } = {
  echoThing: { ...base, id: 'echoThing', method: 'POST', path: '/v1/echo', consumes: ['application/json'] },
  findThing: {
    ...base,
    id: 'findThing',
    method: 'GET',
    path: '/v1/things/{id}',
    parameters: [{ name: 'id', in: 'path', field: 'id', type: 'string' }, {
      name: 'limit',
      in: 'query',
      field: 'limit',
      type: 'integer',
    }, { name: 'flag', in: 'query', field: 'flag', type: 'boolean' }, {
      name: 'tags',
      in: 'query',
      field: 'tags',
      type: 'array',
      items: 'string',
    }, { name: 'meta', in: 'query', field: 'meta', type: 'object', items: 'array' as never }],
  },
  dropThing: {
    ...base,
    id: 'dropThing',
    method: 'DELETE',
    path: '/v1/things/{id}',
    status: 204,
    produces: [],
    parameters: [{ name: 'id', in: 'path', field: 'id', type: 'string' }],
  },
  saveThing: {
    ...base,
    id: 'saveThing',
    method: 'GET',
    path: '/v1/file',
    limited: false,
    produces: ['application/zip'],
  },
  offerThing: {
    ...base,
    id: 'offerThing',
    method: 'POST',
    path: '/v1/offers',
    otherStatuses: [202],
    consumes: ['application/json'],
    parameters: [{ name: 'Request-Key', in: 'header', field: 'requestKey', type: 'string' }],
  },
  resetThing: {
    ...base,
    id: 'resetThing',
    method: 'PUT',
    path: '/v1/reset',
    consumes: ['application/json'],
    requiresBody: true,
  },
};

const answer = (schema: object) => ({ description: '', content: { 'application/json': { schema } } });
const named = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
const specification = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Things', version: '1' },
  paths: {
    '/v1/echo': { post: { operationId: 'echoThing', responses: { 200: answer(named) } } },
    '/v1/things/{id}': {
      get: { operationId: 'findThing', parameters: [], responses: { 200: answer({ type: 'object' }) } },
      delete: { operationId: 'dropThing', responses: { 204: { description: '' } } },
    },
    '/v1/offers': {
      post: {
        operationId: 'offerThing',
        responses: { 200: answer(named), 202: answer({ ...named, required: ['name', 'later'] }) },
      },
    },
    '/v1/reset': { put: { operationId: 'resetThing', responses: { 200: answer(named) } } },
    '/v1/file': { get: { operationId: 'saveThing', responses: { 200: { description: '' } } } },
  },
});

const inputs = {
  echoThing: named,
  findThing: { type: 'object', properties: { limit: { type: 'integer' }, flag: { type: 'boolean' } } },
  dropThing: { type: 'object' },
  saveThing: { type: 'object' },
  offerThing: named,
  resetThing: { type: 'object', properties: { name: { type: 'string', default: '' } } },
};

const servers: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop(100)));
});

async function serve(handlers: Handlers<Operations> = {},
  options: { origins?: string[]; nested?: boolean; maxBodyBytes?: number; apiKeys?: boolean;
    preconditions?: Preconditions<Operations>; guard?: Guard; late?: boolean } = {})
{
  const exchanges: Exchange[] = [];
  const logged: object[] = [];
  const invoke = createInvoker<Operations>({
    operations,
    inputs,
    mode: () => 'wr',
    ...(options.preconditions && { preconditions: options.preconditions }),
    ...(options.guard && { guard: options.guard }),
    handlers: {
      echoThing: async (input) => input,
      findThing: async (input) => input,
      dropThing: async () => undefined,
      ...handlers,
    },
  });
  const app = await createHttpApp({
    title: 'Things',
    specification: { json: specification, yaml: 'openapi: 3.1.0', plainJson: '{"openapi":"3.0.3"}' },
    operations,
    invoke,
    errors: options.nested ? nestedErrors : flatErrors,
    log: { ...silentLog, error: (fields) => void logged.push(fields) },
    maxBodyBytes: options.maxBodyBytes ?? 1000,
    corsOrigins: options.origins ?? ['*'],
    validateResponses: true,
    ...(options.apiKeys === undefined ? {} : { apiKeys: options.apiKeys }),
    observe: (exchange) => exchanges.push(exchange),
  });
  const listener = app.callback();
  const late: RequestListener = (req, res) => void res.once('close', () => void listener(req, res));
  const server = await startHttpServer(options.late === true ? late : listener, { host: '127.0.0.1', port: 0 },
    options.nested ? nestedErrors : flatErrors);
  servers.push(server);
  return { url: server.url, server, exchanges, logged };
}

const post = (url: string, body: BodyInit, headers: Record<string, string> = { 'Content-Type': 'application/json' }) =>
  fetch(`${url}/v1/echo`, { method: 'POST', body, headers });

describe('a request', () => {
  it('is aborted, also if its client left before it was decoded', async () => {
    const called = Promise.withResolvers<boolean>();
    const { url } = await serve({
      findThing: async (input, { signal }) => {
        called.resolve(signal.aborted);
        return input;
      },
    }, { late: true });
    connect(Number(new URL(url).port), '127.0.0.1').end('GET /v1/things/a HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await called.promise).toBe(true);
  });

  it('is decoded, invoked and answered as JSON', async () => {
    const { url } = await serve();
    const response = await post(url, '{"name":"ä"}');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(await response.json()).toEqual({ name: 'ä' });
  });

  it('joins path and query parameters into the input, by their types', async () => {
    const { url } = await serve();
    const response = await fetch(
      `${url}/v1/things/a%20b?limit=5&flag=true&tags=x,y&meta.color=red&meta.color=blue&other=1`,
    );
    expect(await response.json()).toEqual({
      id: 'a b',
      limit: 5,
      flag: true,
      tags: ['x', 'y'],
      meta: { color: ['red', 'blue'] },
    });
  });

  it('reads a doubled /v1 as one (decisions, section 9)', async () => {
    const { url } = await serve();
    expect((await fetch(`${url}/v1/v1/things/a`)).status).toBe(200);
  });

  it('is answered with another status where the specification knows it and the handler says so', async () => {
    const offer = async (reply: Reply<never>, send = { name: 'a' }) => {
      const { url } = await serve({ offerThing: async () => reply });
      return (await fetch(`${url}/v1/offers`, {
        method: 'POST',
        body: JSON.stringify(send),
        headers: { 'Content-Type': 'application/json' },
      })).status;
    };
    expect(await offer(new Reply({ name: 'a' } as never))).toBe(200);
    expect(await offer(new Reply({ name: 'a', later: true } as never, {}, 202))).toBe(202);
    // Each status has a response of its own to check; one that is not specified is a bug of the server.
    expect(await offer(new Reply({ name: 'a' } as never, {}, 202))).toBe(500);
    expect(await offer(new Reply({ name: 'a' } as never, {}, 201))).toBe(500);
  });

  it('has its parameters checked before its body is looked at', async () => {
    const preconditions: Preconditions<Operations> = {
      offerThing: ({ requestKey }) => {
        if (requestKey === undefined) throw new ServiceError('idempotency_key_required', 'no key');
      },
    };
    const { url } = await serve({ offerThing: async ({ name }) => ({ name }) }, { preconditions });
    const send = async (body: string, headers: Record<string, string>) =>
      ((await (await fetch(`${url}/v1/offers`, {
        method: 'POST',
        body,
        headers: { ...headers, 'Content-Type': 'application/json' },
      })).json()) as { code?: string }).code;
    const key = { 'Request-Key': 'k' };
    expect(await send('{', {})).toBe('idempotency_key_required');
    expect(await send('{', key)).toBe('invalid_json');
    expect(await send('{"name":"a","requestKey":"k"}', {})).toBe('idempotency_key_required');
    expect(await send('{"name":"a","requestKey":"other"}', key)).toBe('invalid_argument');
    expect(await send('{"name":"a"}', key)).toBeUndefined();
  });

  it('presents an API key only where the service has such keys', async () => {
    const guard: Guard = {
      identify: (_operation, { credential }) => {
        if (credential?.scheme !== 'bearer') throw new ServiceError('unauthenticated', 'no bearer');
        return EVERYONE;
      },
    };
    const headers = { 'X-API-Key': 'key', Authorization: 'Bearer token' };
    const status = async (options: { apiKeys?: boolean }) =>
      (await fetch(`${(await serve({}, { ...options, guard })).url}/v1/things/a`, { headers })).status;
    expect([await status({}), await status({ apiKeys: false })]).toEqual([401, 200]);
  });

  it('keeps a number without end as text, for the validation to refuse', async () => {
    const { url } = await serve();
    expect((await fetch(`${url}/v1/things/a?limit=1e400`)).status).toBe(400);
  });

  it('returns 204 without a body where the specification says so', async () => {
    const { url } = await serve();
    const response = await fetch(`${url}/v1/things/a`, { method: 'DELETE' });
    expect([response.status, await response.text()]).toEqual([204, '']);
  });

  it('answers HEAD as GET without a body', async () => {
    const { url } = await serve();
    const response = await fetch(`${url}/v1/things/a`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  it('streams a file with its name', async () => {
    async function* content() {
      yield Buffer.from('a');
      yield Buffer.from('b');
    }
    const { url } = await serve({
      saveThing: async () => ({ contentType: 'application/zip', fileName: 'ä.zip', content: content() }),
    });
    const response = await fetch(`${url}/v1/file`);
    expect(await response.text()).toBe('ab');
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="_.zip"; filename*=UTF-8''%C3%A4.zip`,
    );
  });

  it('carries headers of the reply, an id and the security headers', async () => {
    const { url } = await serve({ findThing: async () => new Reply({}, { 'X-Total-Count': '7' }) });
    const { headers } = await fetch(`${url}/v1/things/a`, { headers: { 'X-Request-Id': 'client-id-1' } });
    expect(headers.get('x-total-count')).toBe('7');
    expect(headers.get('x-request-id')).toBe('client-id-1');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });
});

describe('a bad request', () => {
  it.each([['broken JSON', '{', 400, 'invalid_json'], ['an array', '[]', 400, 'invalid_json'], ['null', 'null', 400,
    'invalid_json'], ['no body', '', 400, 'missing_fields'], ['a wrong type', '{"name":1}', 400, 'invalid_argument'], [
    'bytes that are not UTF-8',
    Buffer.from([0x7b, 0xff, 0x7d]),
    400,
    'invalid_json',
  ], ['too large a body', JSON.stringify({ name: 'x'.repeat(2000) }), 413, 'payload_too_large']])('with %s is refused',
    async (_name, body, status, code) => {
      const { url } = await serve();
      const response = await post(url, body);
      expect([response.status, (await response.json() as { code: string }).code]).toEqual([status, code]);
    });

  it('without the body that it needs is refused, although no field is required', async () => {
    const { url } = await serve({ resetThing: async ({ name = '' }) => ({ name }) });
    const reset = async (body?: string) =>
      fetch(`${url}/v1/reset`, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body }),
      });
    const response = await reset();
    expect([response.status, await response.json()]).toEqual([400, expect.objectContaining({
      error: 'invalid JSON: the body is missing; send an object with the fields to set',
      code: 'invalid_json',
    })]);
    expect(await (await reset('{}')).json()).toEqual({ name: '' });
  });

  it('with a body that turns out too large while it is read is refused', async () => {
    const { url } = await serve();
    const status = await new Promise((resolve, reject) => {
      const req = request(`${url}/v1/echo`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' },
      }, (res) => resolve(res.statusCode));
      req.on('error', reject);
      req.end(JSON.stringify({ name: 'x'.repeat(2000) }));
    });
    expect(status).toBe(413);
  });

  it.each([['Content-Length: 2000', 'x'.repeat(1500), 'x'.repeat(500)], ['Transfer-Encoding: chunked',
    `5dc\r\n${'x'.repeat(1500)}\r\n`, `1f4\r\n${'x'.repeat(500)}\r\n0\r\n\r\n`]])(
      'too large, with %s, is answered while the client still sends it, and its connection serves the next one',
      async (header, begin, rest) => {
        const socket = connect(Number(new URL((await serve()).url).port), '127.0.0.1');
        onTestFinished(() => void socket.destroy());
        let received = '';
        socket.setEncoding('utf8').on('data', (text: string) => (received += text));
        socket.write(
          `POST /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${header}\r\n\r\n${begin}`,
        );
        await vi.waitFor(() => expect(received).toMatch(/^HTTP\/1\.1 413 .*payload_too_large/s));
        socket.write(`${rest}GET /v1/nothing HTTP/1.1\r\nHost: a\r\n\r\n`);
        await vi.waitFor(() => expect(received).toMatch(/HTTP\/1\.1 404 /));
      },
    );

  it.each<Record<string, string>>([{ 'Content-Type': 'text/plain' }, {
    'Content-Type': 'application/json; charset=latin1',
  }, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }])('with headers %j is refused as 415',
    async (headers) => {
      const { url } = await serve();
      expect((await post(url, '{"name":"a"}', headers)).status).toBe(415);
    });

  it('with an empty body is one without a body, whatever type it declares', async () => {
    const { url } = await serve();
    const [empty, form] = await Promise.all(
      ['application/json', 'application/x-www-form-urlencoded'].map(async (type) => {
        const response = await post(url, '', { 'Content-Type': type });
        const { requestId: _, ...body } = (await response.json()) as Record<string, unknown>;
        return [response.status, body];
      }),
    );
    expect(form).toEqual(empty);
    expect(form![0]).toBe(400);
  });

  it('for an unknown path is 404, for a wrong method 405 with the allowed ones', async () => {
    const { url } = await serve();
    expect((await fetch(`${url}/v1/nothing`)).status).toBe(404);
    const wrong = await fetch(`${url}/v1/things/a`, { method: 'PUT' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, DELETE']);
  });

  it('with a URL beyond 8 KiB is refused', async () => {
    const { url } = await serve();
    expect((await fetch(`${url}/v1/things/a?x=${'y'.repeat(9000)}`)).status).toBe(400);
  });

  it.each([['not HTTP at all', 'hello\r\n\r\n', 400], ['too large headers',
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`, 431]])('of %s gets an error body, too',
      async (_name, text, status) => {
        const { url } = await serve();
        const socket = connect(Number(new URL(url).port), '127.0.0.1');
        let answer = '';
        socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
        const closed = new Promise((resolve) => socket.once('close', resolve));
        socket.on('error', () => undefined);
        socket.end(text);
        await closed;
        expect(answer).toContain(`HTTP/1.1 ${status} `);
        expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({ code: 'invalid_argument' });
      });

  it('with a malformed escape in its path does no harm', async () => {
    const { url } = await serve();
    expect((await fetch(`${url}/v1/things/%E0%A4%A`)).status).toBe(200);
  });
});

describe('an error', () => {
  it('that a handler throws on purpose is translated', async () => {
    const { url } = await serve({
      findThing: async () => {
        throw new ServiceError('not_found', 'not found', { body: { deleted: false } });
      },
    });
    const response = await fetch(`${url}/v1/things/a`);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      error: 'not found',
      code: 'not_found',
      deleted: false,
      requestId: response.headers.get('x-request-id'),
    });
  });

  it('that is unexpected reveals nothing and is logged under the request id', async () => {
    const { url, logged } = await serve({
      findThing: async () => {
        throw new Error('secret detail');
      },
    });
    const response = await fetch(`${url}/v1/things/a`);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('secret');
    expect(logged).toMatchObject([{ requestId: response.headers.get('x-request-id'), operation: 'findThing' }]);
  });

  it('is raised in tests when a response is not as specified', async () => {
    const { url } = await serve({ echoThing: async () => ({}) as never });
    expect((await post(url, '{"name":"a"}')).status).toBe(500);
  });

  it('in the middle of a file breaks the connection', async () => {
    async function* content() {
      yield Buffer.alloc(100_000);
      throw new Error('disk');
    }
    const { url } = await serve({ saveThing: async () => ({ contentType: 'application/zip', content: content() }) });
    await expect(fetch(`${url}/v1/file`).then((response) => response.text())).rejects.toThrow();
  });

  it('takes the shape and the codes of the run-queue service there', async () => {
    const { url } = await serve({}, { nested: true });
    const response = await post(url, '{}');
    expect([response.status, await response.json()]).toEqual([400, {
      error: { code: 'invalid_input', message: 'missing fields: name' },
    }]);
    expect((await post(url, JSON.stringify({ name: 'x'.repeat(2000) }))).status).toBe(400);
  });
});

describe('CORS', () => {
  it('allows every origin by default, without credentials', async () => {
    const { url } = await serve();
    const { headers } = await fetch(`${url}/v1/things/a`, { headers: { Origin: 'https://a.example' } });
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('access-control-expose-headers')).toContain('X-Total-Count');
  });

  it('echoes only listed origins and says that it depends on them', async () => {
    const { url } = await serve({}, { origins: ['https://a.example'] });
    const ask = async (origin: string) => (await fetch(`${url}/v1/things/a`, { headers: { Origin: origin } })).headers;
    expect((await ask('https://a.example')).get('access-control-allow-origin')).toBe('https://a.example');
    expect((await ask('https://b.example')).get('access-control-allow-origin')).toBeNull();
    expect((await ask('https://b.example')).get('vary')).toContain('Origin');
  });

  it('answers a preflight with 204', async () => {
    const { url } = await serve();
    const response = await fetch(`${url}/v1/echo`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://a.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type',
      },
    });
    expect([response.status, response.headers.get('access-control-max-age')]).toEqual([204, '600']);
    expect(response.headers.get('access-control-allow-headers')).toBe('content-type');
  });
});

describe('the description', () => {
  it('is served as JSON, as YAML and as a page that loads nothing foreign', async () => {
    const { url } = await serve();
    expect(await (await fetch(`${url}/openapi.json`)).json()).toMatchObject({ openapi: '3.1.0' });
    expect(await (await fetch(`${url}/openapi.yaml`)).text()).toContain('openapi: 3.1.0');
    expect(await (await fetch(`${url}/openapi-3.0.json`)).json()).toMatchObject({ openapi: '3.0.3' });
    const page = await (await fetch(`${url}/docs`)).text();
    const links = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) expect((await fetch(`${url}${link}`)).status, link).toBe(200);
  });
});

describe('stopping', () => {
  it('finishes the requests in flight and is safe twice', async () => {
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    let arrived!: () => void;
    const running = new Promise<void>((resolve) => (arrived = resolve));
    const { url, server } = await serve({
      findThing: async () => {
        arrived();
        await held;
        return { ok: true };
      },
    });
    const response = fetch(`${url}/v1/things/a`);
    await running;
    const stopped = Promise.all([server.stop(5000), server.stop(5000)]);
    release();
    expect((await response).status).toBe(200);
    await stopped;
  });

  it('cuts off what does not end in time', async () => {
    const { server, url } = await serve();
    const { port } = new URL(url);
    const socket = connect(Number(port), '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.write('POST /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    await server.stop(20);
    await closed;
  });

  it('says which address is taken', async () => {
    const { url } = await serve();
    await expect(startHttpServer(() => undefined, { host: '127.0.0.1', port: Number(new URL(url).port) }, flatErrors))
      .rejects.toThrow(/already in use/);
  });
});

it.each([['bytes that are not HTTP', 'GET /v1/things/last HTTP/1.1\r\nHost: a\r\n\r\nhello\r\n\r\n',
  /^200 first200 last400 $/], ['a body that is not HTTP',
  'POST /v1/echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nhello\r\n\r\n', /^200 first400 $/], [
  'a request after the last one',
  'GET /v1/things/last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\nGET /v1/things/late HTTP/1.1\r\nHost: a\r\n\r\n',
  /^200 first200 last$/,
]])('answers the requests before %s, each with its own response', async (_, rest, expected) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { url } = await serve({
    async findThing({ id }) {
      if (id === 'first') await promise;
      return { id };
    },
  });
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
  socket.write(`GET /v1/things/first HTTP/1.1\r\nHost: a\r\n\r\n${rest}`, () => setImmediate(resolve));
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  expect(
    [...text.matchAll(/HTTP\/1\.1 (\d+) |(first|last|late)/g)].map((
      [, status, id],
    ) => (status === undefined ? id : `${status} `)).join(''),
  ).toMatch(expected);
});

it('ends a connection that goes on sending bytes that are not HTTP', async () => {
  const socket = connect({ port: Number(new URL((await serve()).url).port), host: '127.0.0.1', allowHalfOpen: true })
    .on('error', () => undefined);
  socket.write('hello\r\n\r\n');
  const [answer] = await once(socket, 'data') as [Buffer];
  expect(answer.toString()).toContain('HTTP/1.1 400 ');
  await once(socket, 'end');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const goOn = (): void => void (socket.destroyed || socket.write('hello\r\n\r\n', () => setImmediate(goOn)));
  goOn();
  await closed;
});

it('reports each exchange to the metrics', async () => {
  const { url, exchanges } = await serve();
  await (await fetch(`${url}/v1/things/a`)).text();
  await (await fetch(`${url}/nothing`)).text();
  expect(exchanges.map(({ operation, status }) => [operation?.path, status])).toEqual([['/v1/things/{id}', 200], [
    undefined,
    404,
  ]]);
});

it('sends the responses of a connection in the order of its requests, whoever completes first and however it is sent', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { url } = await serve({
    async findThing({ id }) {
      if (id === 'first') await promise;
      if (id === 'second') resolve();
      return { id };
    },
    saveThing: async () => ({ contentType: 'application/zip', fileName: 'a.zip', content: 'third' }),
  });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const requests = ['/v1/things/first', '/v1/things/second', '/v1/file', '/v1/things/last'].map((path) =>
    `GET ${path} HTTP/1.1\r\nHost: a\r\n`
  );
  socket.write(`${requests.join('\r\n')}Connection: close\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  expect(text.match(/first|second|third|last/g)).toEqual(['first', 'second', 'third', 'last']);
});
