import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../lib/log.ts';
import { currentTracing } from '../../lib/tracing.ts';
import { createOutbound } from '../../net/index.ts';
import { traceparentOf } from '../../runs/definitions/assignment-of.ts';
import { RunTraces } from '../../runs/observe.ts';
import type { RunChange } from '../../runs/queue/port.ts';
import { type DocsServer, startDocsServer } from '../../testkit/docs-server.ts';
import { GrpcClient } from '../../testkit/grpc-client.ts';
import { type EndTracing, readTraceSettings, startTracing } from './index.ts';

/** A span in the JSON form of OTLP, with its attributes as an object. */
interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: Record<string, unknown>;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code?: number };
}

const [SERVER, CLIENT] = [2, 3];
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;

/** A receiver of OTLP on this machine, which also answers all other requests. */
class Receiver {
  readonly spans: ReceivedSpan[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  service: unknown;
  readonly #server: Server = createServer((request, response) => {
    this.headers.push(request.headers);
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece)).on('end', () => {
      if (request.url === '/v1/traces')
        this.#take(JSON.parse(Buffer.concat(pieces).toString()) as Record<string, never>);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  });

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  named(name: string): ReceivedSpan[] {
    return this.spans.filter((span) => span.name === name);
  }

  #take(
    { resourceSpans }: Record<string,
      { resource: { attributes: Pair[] };
        scopeSpans: { spans: (Omit<ReceivedSpan, 'attributes'> & { attributes: Pair[] })[] }[] }[]>,
  ): void {
    for (const { resource, scopeSpans } of resourceSpans!) {
      this.service = objectOf(resource.attributes)['service.name'];
      for (const { spans } of scopeSpans)
        this.spans.push(...spans.map((span) => ({ ...span, attributes: objectOf(span.attributes) })));
    }
  }
}

interface Pair {
  readonly key: string;
  readonly value: Record<string, unknown>;
}
const objectOf = (pairs: readonly Pair[]) =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));

let server: DocsServer;
beforeAll(async () => void (server = await startDocsServer()));
afterAll(() => server.stop());

let receiver: Receiver;
let url: string;
let end: EndTracing;
beforeEach(async () => {
  receiver = new Receiver();
  url = await receiver.listen();
  end = async () => undefined;
});
afterEach(async () => {
  await end();
  receiver.close();
});

async function on(env: Record<string, string> = {}): Promise<void> {
  end = await startTracing(readTraceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: url, ...env }, 'quire-docs'), silentLog);
}

async function post(path: string, body: object, headers: Record<string, string> = {}): Promise<number> {
  const answer = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  await answer.arrayBuffer();
  return answer.status;
}

const document = (key: string) => ({ collection: 'blog', key, lang: 'en', contentMd: 'A private sentence.' });

describe('traces of the document service', () => {
  it('are off unless a receiver is named', async () => {
    await startTracing(readTraceSettings({}, 'quire-docs'), silentLog);
    expect(currentTracing()).toBeUndefined();
    expect(readTraceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_SDK_DISABLED: 'true' }, 'x')).toBeUndefined();
    expect(readTraceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_EXPORTER: 'none' }, 'x')).toBeUndefined();
  });

  it('have a span for the request, the operation, the transaction and the waits, in the trace of the caller', async () => {
    await on({ OTEL_SERVICE_NAME: 'library', OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20key' });
    expect(await post('/v1/add', document('a'), { traceparent: PARENT })).toBe(200);
    expect(await post('/v1/fts', { collection: 'blog', query: 'sentence' }, { traceparent: PARENT })).toBe(200);
    await end();
    const [request] = receiver.named('POST /v1/add');
    expect(request).toMatchObject({
      traceId: TRACE,
      parentSpanId: '00f067aa0ba902b7',
      kind: SERVER,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v1/add',
        'http.response.status_code': 200,
        'url.scheme': 'http',
        'network.protocol.version': '1.1',
      },
    });
    const [operation] = receiver.named('addDocument');
    expect(operation).toMatchObject({
      traceId: TRACE,
      parentSpanId: request!.spanId,
      attributes: { 'quire.protocol': 'http' },
    });
    expect(
      receiver.named('transaction').some(({ traceId, attributes }) =>
        traceId === TRACE && attributes['db.system.name'] === 'sqlite'
      ),
    ).toBe(true);
    expect(receiver.named('wait for indexes')).toMatchObject([{ parentSpanId: operation!.spanId }]);
    expect(receiver.named('search engine')).toMatchObject([{
      traceId: TRACE,
      attributes: { 'quire.search.cost': 'cheap' },
    }]);
    expect(receiver.service).toBe('library');
    expect(receiver.headers[0]!['api-key']).toBe('a key');
    expect(JSON.stringify(receiver.spans)).not.toContain('private');
  });

  it('report failures by their code, and a trace of their own if the caller has none', async () => {
    await on();
    expect(await post('/v1/get', { collection: 'blog', key: 'none', lang: 'en' })).toBe(404);
    expect(await post('/v1/get', { collection: 'blog', key: 'none', lang: 'en' }, { traceparent: 'ff-nonsense' })).toBe(
      404,
    );
    await end();
    const requests = receiver.named('POST /v1/get');
    expect(requests.map(({ parentSpanId }) => parentSpanId ?? '')).toEqual(['', '']);
    expect(new Set(requests.map(({ traceId }) => traceId)).size).toBe(2);
    expect(receiver.named('getDocument')[0]).toMatchObject({
      status: { code: 2 },
      attributes: { 'error.type': 'not_found' },
    });
  });

  it('continue the trace that came over gRPC', async () => {
    await on();
    const client = new GrpcClient(server.listeners.grpc!.url);
    await client.call('Add', { collection: 'blog', key: 'b', lang: 'en', content_md: 'x' }, {
      metadata: { traceparent: PARENT },
    });
    client.close();
    await end();
    expect(receiver.named('addDocument')).toMatchObject([{
      traceId: TRACE,
      parentSpanId: '00f067aa0ba902b7',
      kind: SERVER,
      attributes: { 'quire.protocol': 'grpc' },
    }]);
  });

  it('are sampled as the environment and the caller say', async () => {
    await on({ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' });
    await post('/v1/add', document('c'));
    await post('/v1/add', document('d'), { traceparent: PARENT });
    await post('/v1/add', document('e'), { traceparent: PARENT.replace(/01$/, '00') });
    await end();
    expect(receiver.named('POST /v1/add')).toHaveLength(1);
  });

  it('lose nothing but themselves when the receiver is down', async () => {
    await on({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_EXPORTER_OTLP_TIMEOUT: '50' });
    expect(await post('/v1/add', document('f'))).toBe(200);
    await end();
  });
});

it('outgoing requests carry the trace on', async () => {
  await on();
  const outbound = createOutbound({ allowPrivate: 'loopback', allowlist: [] });
  await (await outbound.fetch()(`${url}/page?token=secret`)).arrayBuffer();
  await outbound.sender({ maxBytes: 1000, timeoutMs: 5000 })({ url: `${url}/hook`, method: 'POST', headers: {} },
    new AbortController().signal);
  const carried = receiver.headers.map(({ traceparent }) => traceparent);
  await outbound.close();
  await end();
  const spans = [...receiver.named('GET'), ...receiver.named('POST')];
  expect(spans).toMatchObject([{
    kind: CLIENT,
    attributes: { 'server.address': '127.0.0.1', 'http.response.status_code': 200 },
  }, { kind: CLIENT }]);
  expect(carried).toEqual(spans.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`));
  expect(JSON.stringify(spans)).not.toContain('secret');
});

describe('traces of runs', () => {
  const id = '019ab1c2-d3e4-7f00-8abc-0123456789ab';
  const change = (from: RunChange['from'], state: RunChange['run']['state'], attempt: number,
    more: object = {}): RunChange => ({
      run: {
        id,
        projectId: 'demo',
        kind: 'pipeline',
        task: 'build',
        state,
        attempt,
        startedAt: null,
        shipId: 'ship',
        source: 'api',
        error: null,
        ...more,
      } as unknown as RunChange['run'],
      from,
      formerShipId: null,
    });

  it('have one for the run, which is linked to its request, and one for each attempt, whose steps go on with it', async () => {
    await on();
    let now = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
    const traces = new RunTraces({ now: () => (now += 1000) });
    currentTracing()!.within({ name: 'request' }, () => traces.changed(change(null, 'queued', 1)));
    traces.changed(change('queued', 'running', 1));
    traces.changed({ ...change('running', 'queued', 2), reason: 'lease_lost' });
    traces.changed(change('queued', 'running', 2));
    const traceparent = traceparentOf(id, 2);
    traces.changed(change('running', 'succeeded', 2));
    await end();
    const [run] = receiver.named('run pipeline');
    expect(run).toMatchObject({
      traceId: id.replaceAll('-', ''),
      attributes: { 'cicd.pipeline.name': 'build', 'cicd.pipeline.run.state': 'succeeded' },
    });
    expect(run!.links).toMatchObject([{ spanId: receiver.named('request')[0]!.spanId }]);
    const attempts = receiver.named('attempt of pipeline');
    expect(attempts).toMatchObject([{ parentSpanId: run!.spanId, status: { code: 2 } }, { parentSpanId: run!.spanId }]);
    expect(traceparent).toBe(`00-${run!.traceId}-${attempts[1]!.spanId}-01`);
  });

  it('give steps nothing while traces are off or the run is not sampled', async () => {
    expect(traceparentOf(id, 1)).toBeUndefined();
    await on({ OTEL_TRACES_SAMPLER: 'always_off' });
    expect(traceparentOf(id, 1)).toBeUndefined();
  });
});
