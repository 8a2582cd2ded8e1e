import fc from 'fast-check';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Outcome } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { assignmentOf, executorBench, start } from '../../../testkit/runs-executor.ts';
import { chatAnswer, endpointUrl } from './send-chat.ts';

const KEY = 'writer-key-0123456789';
const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

interface Request {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

type Behaviour = (response: ServerResponse, request: Request) => unknown;

/** A server with the chat format: it answers requests with the passed answers in order, and repeats the last one. */
async function chatServer(...behaviours: Behaviour[]) {
  const requests: Request[] = [];
  const arrived: (() => void)[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString())).on('end', () => {
      const received = {
        path: request.url!,
        headers: request.headers,
        body: JSON.parse(text) as Record<string, unknown>,
      };
      requests.push(received);
      for (const resolve of arrived.splice(0)) resolve();
      behaviours[Math.min(requests.length, behaviours.length) - 1]!(response, received);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    asked: () => new Promise<void>((resolve) => (requests.length > 0 ? resolve() : arrived.push(resolve))),
    close: () => server.close(),
  };
}

const event = (data: object | string): string => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const delta = (content: string, rest: object = {}): string =>
  event({ model: 'some-model-1', choices: [{ index: 0, delta: { content }, ...rest }] });
const usage = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 };
const ending = delta('', { finish_reason: 'stop' }) + event({ choices: [], usage }) + event('[DONE]');

const streams = (...parts: string[]): Behaviour => (response) => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  for (const part of parts) response.write(part);
  response.end();
};
const answers =
  (status: number, body: unknown = { error: { message: `said ${status}` } },
    headers: Record<string, string> = {}
  ): Behaviour =>
  (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

function ask(endpoint: string, plan: object = {}, fields: Parameters<typeof assignmentOf>[1] = {}) {
  const sleeps: number[] = [];
  const bench = executorBench({
    env: { PATH: process.env['PATH'], WRITER_KEY: KEY },
    timer: { sleep: async (ms) => void sleeps.push(ms) },
  });
  cleanups.push(() => bench.close());
  const running = start(bench.executor, assignmentOf({
    case: 'aiText',
    value: {
      role: 'writer',
      endpoint,
      model: 'some-model',
      apiKeyEnv: 'WRITER_KEY',
      systemPrompt: 'Be brief.',
      maxTokens: 100,
      temperature: 0.2,
      firstByteTimeoutMs: 30_000n,
      ...plan,
    },
  }, { input: Buffer.from('Write a note.'), ...fields }));
  return Object.assign(running, { sleeps });
}

async function ended(running: ReturnType<typeof ask>) {
  const { outcome, error, result } = await running.result;
  return {
    outcome: Outcome[outcome],
    error,
    type: result?.type,
    content: result === undefined
      ? undefined
      : JSON.parse(Buffer.from(result.body).toString()) as Record<string, unknown>,
  };
}

describe('the request', () => {
  it('asks for one streamed completion, with the key of this machine', async () => {
    const server = await chatServer(streams(delta('Hi'), ending));
    const running = ask(server.endpoint);
    await running.result;
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    });
    expect(server.requests[0]!.body).toEqual({
      model: 'some-model',
      messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user', content: 'Write a note.' }],
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 100,
      temperature: 0.2,
    });
    expect(running.starts).toBe(1);
  });

  it('leaves out what there is none of', async () => {
    const server = await chatServer(streams(ending));
    await ask(server.endpoint, { apiKeyEnv: '', systemPrompt: ' ' }).result;
    expect(server.requests[0]!.headers.authorization).toBeUndefined();
    expect(server.requests[0]!.body['messages']).toEqual([{ role: 'user', content: 'Write a note.' }]);
  });

  it('does not ask for usage again where that was refused', async () => {
    const server = await chatServer(answers(400), answers(503), streams(delta('Hi'), ending));
    const running = ask(server.endpoint);
    expect(await ended(running)).toMatchObject({ outcome: 'SUCCEEDED' });
    expect(server.requests.map(({ body }) => 'stream_options' in body)).toEqual([true, false, false]);
    expect(running.sleeps).toHaveLength(1);
  });
});

describe('the response', () => {
  it('goes to the log line by line, and becomes the result', async () => {
    const server = await chatServer(streams(delta('First li'), delta('ne\nSecond'), delta(' line'), ending));
    const running = ask(server.endpoint);
    expect(await ended(running)).toEqual({
      outcome: 'SUCCEEDED',
      error: undefined,
      type: 'application/vnd.quire.result+json',
      content: {
        content: 'First line\nSecond line',
        content_type: 'text/plain',
        model: 'some-model-1',
        finish_reason: 'stop',
        usage,
        truncated: false,
      },
    });
    expect(running.lines.map(({ stream, step, message }) => [stream, step, message])).toEqual([['stdout', null,
      'First line'], ['stdout', null, 'Second line']]);
  });

  it('is in the log before it is complete: lines at once, parts of lines after a second', async () => {
    let finish = (): void => undefined;
    const server = await chatServer((response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(delta('one\nli'));
      finish = () => response.end(delta('ne') + ending);
    });
    const running = ask(server.endpoint);
    await running.saw('one');
    await running.saw('li');
    finish();
    expect((await ended(running)).content).toMatchObject({ content: 'one\nline' });
    expect(running.text()).toEqual(['one', 'li', 'ne']);
  });

  it('may lack usage, model and [DONE]', async () => {
    const server = await chatServer(
      streams(event({ choices: [{ delta: { role: 'assistant', content: null } }] }),
        event({ choices: [{ delta: { content: 'x' }, finish_reason: 'length' }] })),
    );
    expect((await ended(ask(server.endpoint))).content).toEqual({
      content: 'x',
      content_type: 'text/plain',
      model: 'some-model',
      finish_reason: 'length',
      usage: null,
      truncated: false,
    });
  });

  it('may come whole from a server that knows no streams', async () => {
    const server = await chatServer(
      answers(200, { model: 'm2', choices: [{ message: { content: 'whole' }, finish_reason: 'stop' }], usage }),
    );
    const running = ask(server.endpoint);
    expect((await ended(running)).content).toMatchObject({ content: 'whole', model: 'm2', usage });
    expect(running.text()).toEqual(['whole']);
  });

  it('shows no key, wherever the model puts it', async () => {
    const server = await chatServer(streams(delta('It is writer-k'), delta('ey-0123456789.'), ending));
    const running = ask(server.endpoint);
    expect((await ended(running)).content).toMatchObject({ content: 'It is ***.' });
    expect(running.text()).toEqual(['It is ***.']);
    const names = await chatServer(
      streams(event({ model: KEY, choices: [{ delta: { content: 'x' }, finish_reason: `stop ${KEY}` }] })),
    );
    expect((await ended(ask(names.endpoint))).content).toMatchObject({ model: '***', finish_reason: 'stop ***' });
    const echo = await chatServer((response, { headers }) =>
      answers(401, { error: { message: `bad key ${headers.authorization}` } })(response, undefined!)
    );
    expect((await ended(ask(echo.endpoint))).error!.message).toBe(
      `the model at ${echo.endpoint} answered 401: bad key Bearer ***`,
    );
  });

  it('of more than 1 MiB loses its end, which is reported', async () => {
    const server = await chatServer(
      streams(...Array.from({ length: 30 }, () => delta(`${'"ä'.repeat(20)}\n`.repeat(700))), ending),
    );
    const { content } = await ended(ask(server.endpoint));
    expect(content).toMatchObject({ truncated: true, finish_reason: 'stop' });
    expect(Buffer.byteLength(JSON.stringify(content))).toBeLessThanOrEqual(1024 * 1024);
    expect(Buffer.byteLength(JSON.stringify(content))).toBeGreaterThan(1024 * 1024 - 10);
  });

  it('has a name of the model that leaves room for the text', async () => {
    const server = await chatServer(
      streams(event({ model: 'm'.repeat(2 ** 21), choices: [{ delta: { content: 'x' }, finish_reason: 'stop' }] })),
    );
    expect((await ended(ask(server.endpoint))).content).toMatchObject({
      content: 'x',
      model: 'm'.repeat(200),
      truncated: false,
    });
  });

  it('is the same however the stream is cut', () => {
    const whole = Buffer.from(`: comment\n\n${delta('a€')}${delta('😀b')}\r\n${ending}`);
    fc.assert(fc.property(fc.array(fc.nat(30), { maxLength: 40 }), (sizes) => {
      const answer = chatAnswer('text/event-stream; charset=utf-8');
      let text = '';
      let at = 0;
      for (const size of [...sizes, whole.length]) text += answer.read(whole.subarray(at, at += size));
      expect(text + answer.end()).toBe('a€😀b');
      expect(answer.facts).toEqual({ model: 'some-model-1', finish_reason: 'stop', usage });
    }));
  });
});

describe('failures', () => {
  it.each([429, 500, 503])('%s is tried two times more', async (status) => {
    const server = await chatServer(answers(status));
    const running = ask(server.endpoint);
    expect(await ended(running)).toMatchObject({
      outcome: 'FAILED',
      error: { code: 'model_error', message: `the model at ${server.endpoint} answered ${status}: said ${status}` },
    });
    expect(server.requests).toHaveLength(3);
    expect(running.sleeps).toHaveLength(2);
    expect(running.text('system')).toHaveLength(2);
  });

  it.each([401, 404, 422, 301])('%s is not tried again', async (status) => {
    const server = await chatServer(answers(status, 'plain text', { Location: 'http://other.example/' }));
    expect(await ended(ask(server.endpoint))).toMatchObject({
      outcome: 'FAILED',
      error: { code: 'model_error', message: expect.stringContaining(`answered ${status}: plain text`) },
    });
    expect(server.requests).toHaveLength(1);
  });

  it('waits as long as the server asks, up to a minute', async () => {
    const server = await chatServer(answers(429, {}, { 'Retry-After': '60' }), streams(delta('ok'), ending));
    const running = ask(server.endpoint);
    expect(await ended(running)).toMatchObject({ outcome: 'SUCCEEDED' });
    expect(running.sleeps).toEqual([60_000]);
    const long = await chatServer(answers(503, {}, { 'Retry-After': '61' }));
    const given = ask(long.endpoint);
    expect((await ended(given)).error!.message).toContain('it asks to wait 1m1s');
    expect(given.sleeps).toEqual([]);
  });

  it('a connection that breaks before the first byte is tried again', async () => {
    const server = await chatServer((response) => response.socket!.destroy(), (response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
      response.socket!.destroySoon();
    }, streams(delta('third'), ending));
    expect(await ended(ask(server.endpoint))).toMatchObject({ outcome: 'SUCCEEDED', content: { content: 'third' } });
  });

  it('nobody there is a model_error', async () => {
    const server = await chatServer(answers(200));
    server.close();
    expect(await ended(ask(server.endpoint))).toMatchObject({
      outcome: 'FAILED',
      error: { code: 'model_error', message: expect.stringMatching(/can't be reached: .*ECONNREFUSED/) },
    });
  });

  it.each<[string, Behaviour, string]>([['breaks off', streams(delta('half')), 'the response broke off before its end'],
    ['breaks off in an event', streams(delta('half'), 'data: {"choices": [{"del'),
      'the response broke off before its end'], ['loses its connection', (response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(delta('half'), () => response.socket!.destroy());
  }, 'broke off'], ['tells an error', streams(delta('half'), event({ error: { message: 'overloaded' } })),
    'the model failed: overloaded'], ['is no JSON', streams('data: <html>\n\n'),
    'the response is not JSON of a chat completion']])('a response that %s is a model_error, and not tried again',
      async (_, behaviour, message) => {
        const server = await chatServer(behaviour);
        expect(await ended(ask(server.endpoint))).toMatchObject({
          outcome: 'FAILED',
          error: { code: 'model_error', message: expect.stringContaining(message) },
        });
        expect(server.requests).toHaveLength(1);
      });

  it('a server that does not begin to respond is a model_timeout', async () => {
    const server = await chatServer(() => undefined);
    expect(await ended(ask(server.endpoint, { firstByteTimeoutMs: 100n }))).toMatchObject({
      outcome: 'TIMED_OUT',
      error: {
        code: 'model_timeout',
        message: `the model at ${server.endpoint} did not begin to respond within 100ms`,
      },
    });
    const headersOnly = await chatServer((response) =>
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders()
    );
    expect(await ended(ask(headersOnly.endpoint, { firstByteTimeoutMs: 100n }))).toMatchObject({
      error: { code: 'model_timeout' },
    });
  });

  it('a response that takes too long is a model_timeout', async () => {
    const server = await chatServer((response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(delta('slow'));
    });
    expect(await ended(ask(server.endpoint, {}, { timeoutMs: 200n }))).toMatchObject({
      outcome: 'TIMED_OUT',
      error: { code: 'model_timeout', message: `the model at ${server.endpoint} took longer than 200ms` },
    });
  });

  it('a stop aborts the request', async () => {
    const gone = Promise.withResolvers<void>();
    const server = await chatServer((response) => {
      response.on('close', () => gone.resolve());
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(delta('some\n'));
    });
    const running = ask(server.endpoint);
    await running.saw('some');
    running.stop();
    expect(await ended(running)).toMatchObject({ outcome: 'CANCELLED', error: undefined });
    await gone.promise;
  });

  it('a stop before the response is a cancel too', async () => {
    const server = await chatServer(() => undefined);
    const running = ask(server.endpoint);
    await server.asked();
    running.stop();
    expect(await ended(running)).toMatchObject({ outcome: 'CANCELLED' });
  });
});

describe('helpers', () => {
  it('put the path under the base URL', () => {
    expect(endpointUrl('https://api.example.com/v1/', '/chat/completions')).toBe(
      'https://api.example.com/v1/chat/completions',
    );
    expect(endpointUrl('http://host/base?api-version=1#x', '/models')).toBe('http://host/base/models?api-version=1');
  });
});
