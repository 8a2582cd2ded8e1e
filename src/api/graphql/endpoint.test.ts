import { request } from 'node:http';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../errors/index.ts';
import type { Context, RateLimit, Sender } from '../../operations/index.ts';
import { type FixtureOptions, type GraphqlAnswer, GraphqlFixture } from '../../testkit/graphql/graphql-fixture.ts';
import { ManualTimer } from '../../testkit/manual-timer.ts';

let fixture: GraphqlFixture;
const open = async (
  options: FixtureOptions = {},
): Promise<GraphqlFixture> => (fixture = await GraphqlFixture.open(options));
afterEach(() => fixture.close());

const GRAPHQL_JSON = 'application/graphql-response+json';
const get = (query: Record<string, string>, headers: Record<string, string> = {}) =>
  fixture.client.send('GET', `/graphql?${new URLSearchParams(query).toString()}`, { headers });
const codeOf = (answer: { json<T>(): T }): string | undefined =>
  answer.json<GraphqlAnswer>().errors?.[0]?.extensions.code;

describe('a request', () => {
  it('is taken by POST and by GET, with variables and the name of an operation', async () => {
    await open();
    const query = 'query A { me { username } } query B($yes: Boolean!) { me { admin @include(if: $yes) } }';
    const body = { query, operationName: 'B', variables: { yes: true } };
    for (const answer of [await fixture.send(body),
      await get({ query, operationName: 'B', variables: '{"yes":true}' })])
    {
      expect([answer.status, answer.json()]).toEqual([200, { data: { me: { admin: true } } }]);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    }
  });

  it('is answered in the media type that it accepts', async () => {
    await open();
    const answer = await fixture.send({ query: '{ __typename }' }, { Accept: GRAPHQL_JSON });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, `${GRAPHQL_JSON}; charset=utf-8`]);
    expect((await fixture.send({ query: '{ __typename }' }, { Accept: 'text/html,*/*;q=0.8' })).headers['content-type'])
      .toBe('application/json; charset=utf-8');
    const refused = await fixture.send({ query: '{ __typename }' }, { Accept: 'image/png' });
    expect([refused.status, refused.json<GraphqlAnswer>().errors![0]!.extensions.status]).toEqual([406, 406]);
  });

  it('may say that it is UTF-8 in every usual spelling', async () => {
    await open();
    for (const type of ['application/json; charset=utf-8', 'application/json;charset="UTF-8"',
      'application/json; charset=utf8', 'Application/JSON'])
    {
      expect((await fixture.send({ query: '{ __typename }' }, { 'Content-Type': type })).status, type).toBe(200);
    }
  });

  it('by GET changes nothing: a mutation is refused with 405', async () => {
    await open({
      handlers: { deleteCollection: async ({ collection }) => ({ deleted: 1, status: 'deleted', collection }) },
    });
    const answer = await get({ query: 'mutation { deleteCollection(collection: "c") }' });
    expect([answer.status, answer.headers['allow'], fixture.invoked]).toEqual([405, 'POST', []]);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.json()).toEqual({
      errors: [{
        message: 'a mutation has to be sent by POST',
        extensions: { code: 'method_not_allowed', status: 405 },
      }],
    });
  });

  it('that is not valid against the schema is 200 as application/json and 400 as graphql-response+json', async () => {
    await open();
    for (const query of ['{', '{ nope }', '{ me { username } } fragment', 'subscription { a }',
      `{ ${'me { username } '.repeat(501)} }`])
    {
      const [plain, strict] = [await fixture.send({ query }), await fixture.send({ query }, { Accept: GRAPHQL_JSON })];
      expect([plain.status, strict.status], query.slice(0, 40)).toEqual([200, 400]);
      expect([codeOf(plain), codeOf(strict)]).toEqual(['invalid_argument', 'invalid_argument']);
      expect(plain.json()).not.toHaveProperty('data');
    }
  });

  it('with variables that do not fit returns which, by the same rules', async () => {
    await open();
    const body = {
      query: 'query($c: String!, $n: Int) { schema(collection: $c) { schema } search(input: {collection: $c, limit: ' +
        '$n}) { totalCount } }',
      variables: { c: 5, n: 1.5 },
    };
    const plain = await fixture.send(body);
    expect(plain.status).toBe(200);
    expect(plain.json<GraphqlAnswer>().errors!.map(({ message }) => message)).toEqual([
      expect.stringContaining('Variable "$c" got invalid value 5'),
      expect.stringContaining('Variable "$n" got invalid value 1.5'),
    ]);
    expect((await fixture.send(body, { Accept: GRAPHQL_JSON })).status).toBe(400);
  });

  it.each([['broken JSON', '{', 400, 'invalid_json'], ['an empty body', '', 400, 'invalid_json'], ['null', 'null', 400,
    'invalid_json'], ['a string', '"{ me { username } }"', 400, 'invalid_json'], ['a batch',
    '[{"query":"{ __typename }"}]', 400, 'invalid_argument'], ['no query', '{}', 400, 'missing_fields'], [
    'a query that is no text',
    '{"query":5}',
    400,
    'invalid_argument',
  ], ['variables that are no object', '{"query":"{__typename}","variables":[]}', 400, 'invalid_argument'], [
    'a name that is no text',
    '{"query":"{__typename}","operationName":1}',
    400,
    'invalid_argument',
  ], ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 400, 'invalid_json'], ['too large a body',
    JSON.stringify({ query: '{ __typename }', extensions: { x: 'x'.repeat(3000) } }), 413, 'payload_too_large']])(
      'with %s is refused',
      async (_name, body, status, code) => {
        await open({ maxBodyBytes: 2000 });
        const answer = await fixture.client.send('POST', '/graphql', {
          headers: { 'Content-Type': 'application/json' },
          body,
        });
        expect([answer.status, codeOf(answer), answer.json<GraphqlAnswer>().errors![0]!.extensions.status]).toEqual([
          status,
          code,
          status,
        ]);
      },
    );

  it('whose body turns out too large while it is read is refused', async () => {
    await open({ maxBodyBytes: 2000 });
    const status = await new Promise((resolve, reject) => {
      const sent = request(`${fixture.url}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' },
      }, (answer) => resolve(answer.statusCode));
      sent.on('error', reject);
      sent.end(JSON.stringify({ query: 'x'.repeat(3000) }));
    });
    expect(status).toBe(413);
  });

  it('says what a batch is to be sent as', async () => {
    await open();
    expect((await fixture.send('[]')).json<GraphqlAnswer>().errors![0]!.message).toBe(
      'batches are not supported: send one operation in each request, as an object',
    );
  });

  it.each<Record<string, string>>([{ 'Content-Type': 'text/plain' }, {
    'Content-Type': 'application/x-www-form-urlencoded',
  }, { 'Content-Type': 'application/json; charset=latin1' }, {
    'Content-Type': 'application/json',
    'Content-Encoding': 'gzip',
  }])('with headers %j is refused as 415', async (headers) => {
    await open();
    const answer = await fixture.client.send('POST', '/graphql', { headers, body: gzipSync('{}') });
    expect([answer.status, codeOf(answer)]).toEqual([415, 'unsupported_media_type']);
  });

  it('by another method is 405 and names those that are allowed', async () => {
    await open();
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const answer = await fixture.client.send(method, '/graphql');
      expect([answer.status, answer.headers['allow'], codeOf(answer)]).toEqual([405, 'GET, POST',
        'method_not_allowed']);
    }
  });

  it('that does not say which of its operations it means returns an error that says so', async () => {
    await open();
    const { errors } = await fixture.ask('query A { __typename } query B { __typename }');
    expect(errors).toMatchObject([{
      message: 'operationName must name one of the operations of the document',
      extensions: { code: 'invalid_argument' },
    }]);
  });

  it('in a URL may have question marks of its own', async () => {
    await open();
    const answer = await fixture.client.send('GET', '/graphql?query={__typename}%23?&variables={}');
    expect([answer.status, answer.json()]).toEqual([200, { data: { __typename: 'Query' } }]);
  });

  it('in a URL with variables that are no JSON is refused', async () => {
    await open();
    const answer = await get({ query: '{ __typename }', variables: '{' });
    expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_argument']);
  });
});

describe('a response', () => {
  it('carries what every response of the port carries, and is not cached', async () => {
    await open();
    const { headers } = await fixture.send({ query: '{ __typename }' }, {
      'X-Request-Id': 'client-id-1',
      Origin: 'https://a.example',
    });
    expect(headers).toMatchObject({
      'x-request-id': 'client-id-1',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'access-control-allow-origin': '*',
      'cache-control': 'no-store',
    });
  });

  it('to a preflight allows a page to send queries', async () => {
    await open();
    const answer = await fixture.client.send('OPTIONS', '/graphql', {
      headers: {
        Origin: 'https://a.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type',
      },
    });
    expect([answer.status, answer.headers['access-control-allow-headers']]).toEqual([204, 'content-type']);
  });

  it('is counted and logged as those of REST are, without the query', async () => {
    await open();
    await get({ query: '{ me { username } }' });
    expect(fixture.exchanges).toMatchObject([{ method: 'GET', status: 200 }]);
    expect(fixture.accessLog).toMatchObject([{ method: 'GET', path: '/graphql', status: 200 }]);
  });

  it('reveals nothing of an unexpected error, which is logged under the request id', async () => {
    await open({
      handlers: {
        getStats: async () => {
          throw new Error('secret detail');
        },
      },
    });
    const answer = await fixture.send({ query: '{ stats { mode } me { username } }' }, {
      'X-Request-Id': 'client-id-2',
    });
    expect(answer.text).not.toContain('secret');
    expect(answer.json()).toEqual({
      data: { stats: null, me: { username: 'anonymous' } },
      errors: [{
        message: 'internal error',
        locations: [{ line: 1, column: 3 }],
        path: ['stats'],
        extensions: { code: 'internal', status: 500, requestId: 'client-id-2' },
      }],
    });
    expect(fixture.logged).toMatchObject([{
      requestId: 'client-id-2',
      path: 'stats',
      err: { message: 'secret detail' },
    }]);
  });

  it('that is not as the schema says is an error of ours, too', async () => {
    await open({
      handlers: { getStats: async () => ({ mode: null, databaseSize: 1.5, totalDocuments: 2 ** 40 }) as never },
    });
    const { errors } = await fixture.ask('{ a: stats { mode } b: stats { databaseSize } c: stats { totalDocuments } }');
    expect(errors!.map(({ message }) => message)).toEqual(['internal error', 'internal error', 'internal error']);
    expect(fixture.logged).toHaveLength(3);
  });

  it('with faults in thousands of items is logged a few times', async () => {
    await open({ handlers: { listWebhooks: async () => Array.from({ length: 3000 }, () => ({ id: null }) as never) } });
    const { errors } = await fixture.ask('{ webhooks { id } }');
    expect(errors!.length).toBeGreaterThan(0);
    expect(fixture.logged.length).toBeLessThanOrEqual(10);
  });

  it('has an error for operations that are not built, and the rest of the response', async () => {
    await open();
    expect(await fixture.ask('{ stats { mode } me { username } }')).toMatchObject({
      data: { stats: null, me: { username: 'anonymous' } },
      errors: [{
        message: 'getStats is not implemented',
        path: ['stats'],
        extensions: { code: 'not_implemented', status: 501 },
      }],
    });
    expect(fixture.logged).toEqual([]);
  });

  it('reports an operation that took too long', async () => {
    await open({ timeoutMs: 20, handlers: { getStats: () => new Promise(() => undefined) } });
    expect((await fixture.ask('{ stats { mode } }')).errors).toMatchObject([{
      extensions: { code: 'busy', status: 503 },
    }]);
  });

  it('of mutations comes from one after the other, and stops where the schema has no place for null', async () => {
    const order: string[] = [];
    const remove = async ({ collection }: { collection: string }) => {
      order.push(`begin ${collection}`);
      await setImmediate();
      order.push(`end ${collection}`);
      if (collection === 'b') throw new ServiceError('busy', 'busy');
      return { deleted: 1, status: 'deleted' as const, collection };
    };
    await open({ handlers: { deleteCollection: remove } });
    const answer = await fixture.ask(
      'mutation { a: deleteCollection(collection: "a") b: deleteCollection(collection: "b") c: ' +
        'deleteCollection(collection: "c") }',
    );
    expect(answer).toMatchObject({ data: null, errors: [{ path: ['b'] }] });
    expect(order).toEqual(['begin a', 'end a', 'begin b', 'end b']);
  });
});

describe('the limits of a request as a whole', () => {
  const mutations = (count: number): string =>
    `mutation { ${Array.from({ length: count }, (_, i) => `m${i}: deleteSchema(collection: "c")`).join(' ')} }`;

  it('end it when its time is up: steps that have not begun fail, and nobody waits for those that have', async () => {
    let begun = 0;
    const deleteSchema = async (): Promise<{ status: 'ok' }> => {
      if (++begun === 3) await new Promise(() => undefined);
      return { status: 'ok' };
    };
    await open({ timeoutMs: 200, handlers: { deleteSchema } });
    const { errors, data } = await fixture.ask(mutations(40));
    expect(data).toBeNull();
    expect(errors).toMatchObject([{
      message: 'the request took longer than 200 ms',
      extensions: { code: 'busy', status: 503 },
    }]);
    expect(begun).toBe(3);
  });

  it('count every mutation as a request, and stop where there were too many', async () => {
    let left = 3;
    const admitted: Sender[] = [];
    const limit: RateLimit = {
      async admit(sender) {
        admitted.push(sender);
        if (left-- <= 0) throw new ServiceError('rate_limited', 'too many requests; try again in 9 s');
        return {};
      },
    };
    await open({ limit, handlers: { deleteSchema: async () => ({ status: 'ok' }) } });
    const { errors } = await fixture.ask(mutations(10));
    expect(errors).toMatchObject([{
      path: ['m4'],
      message: 'too many requests; try again in 9 s',
      extensions: { code: 'rate_limited', status: 429 },
    }]);
    // The first mutation is counted with its request.
    expect([fixture.invoked.length, admitted.length, admitted[0]]).toMatchObject([4, 4, {
      protocol: 'graphql',
      ip: '127.0.0.1',
    }]);
    expect((await fixture.ask('{ a: stats { mode } b: stats { mode } }')).errors).toMatchObject([{
      extensions: { code: 'not_implemented' },
    }, { extensions: { code: 'not_implemented' } }]);
    expect(admitted).toHaveLength(4);
  });

  it('let an operation go on that is not limited in time, and begin none after it', async () => {
    const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const timer = new ManualTimer();
    await open({
      timeoutMs: 60_000,
      timer,
      handlers: {
        reindexVectors: async () => {
          begun.resolve();
          await held.promise;
          return { embedded: 1, skipped: 0, failed: 0, totalChunks: 1 };
        },
      },
    });
    const asked = fixture.ask(
      'mutation { a: vectorReindex(collection: "c") { embedded } b: vectorReindex(collection: "c") { embedded } }',
    );
    await begun.promise;
    await timer.elapse();
    await setImmediate();
    held.resolve();
    expect((await asked).errors).toMatchObject([{ path: ['b'], extensions: { code: 'busy' } }]);
    expect(fixture.invoked).toEqual(['reindexVectors']);
  });
});

describe('a client that goes', () => {
  it('stops what it asked for, and what it asked for next; it is counted as 499, and nothing is logged as an error', async () => {
    const signals: AbortSignal[] = [];
    let begun!: () => void;
    const running = new Promise<void>((resolve) => (begun = resolve));
    const wait = (_input: object, { signal }: Context) =>
      new Promise<never>((_resolve, reject) => {
        signals.push(signal);
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        if (signals.length === 4) begun();
      });
    await open({ handlers: { getSchema: wait } });
    const socket = connect(Number(new URL(fixture.url).port), '127.0.0.1');
    const fields = Array.from({ length: 9 }, (_, i) => `a${i}: schema(collection: "c${i}") { schema }`);
    const body = JSON.stringify({ query: `{ ${fields.join(' ')} }` });
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ` +
        `${body.length}\r\n\r\n${body}`,
    );
    await running;
    socket.destroy();
    while (fixture.exchanges.length === 0) await setImmediate();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true, true]);
    expect(fixture.exchanges).toMatchObject([{ status: 499 }]);
    expect(fixture.logged).toEqual([]);
  });

  it('does not stop a short write that has begun, but those after it', async () => {
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    let begun!: () => void;
    const running = new Promise<void>((resolve) => (begun = resolve));
    const written: string[] = [];
    await open({
      handlers: {
        deleteCollection: async ({ collection }, { signal }) => {
          begun();
          await held;
          signal.throwIfAborted();
          written.push(collection);
          return { deleted: 1, status: 'deleted', collection };
        },
      },
    });
    const socket = connect(Number(new URL(fixture.url).port), '127.0.0.1');
    const body = JSON.stringify({
      query: 'mutation { a: deleteCollection(collection: "a") b: deleteCollection(collection: "b") }',
    });
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ` +
        `${body.length}\r\n\r\n${body}`,
    );
    await running;
    socket.destroy();
    // A second request ensures that the server has detected the closed connection.
    await fixture.send({ query: '{ __typename }' });
    release();
    while (fixture.exchanges.length < 2) await setImmediate();
    expect(written).toEqual(['a']);
    expect(fixture.invoked).toEqual(['deleteCollection']);
  });
});
