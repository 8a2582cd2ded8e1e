import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { type Log, silentLog } from '../../lib/log.ts';
import { RefusedRequest } from '../../net/index.ts';
import { type Behaviour, type EmbeddingServer, type EmbeddingServerOptions, QuickTimer,
  startEmbeddingServer } from '../../testkit/embedding/index.ts';
import { createEmbeddingProvider } from '../create-provider.ts';
import { EmbeddingError, type EmbeddingProvider, type ProviderConfig } from '../provider.ts';

const KEY = 'test-key-0123456789abcdef';
const HOSTED = ['openai', 'voyage'] as const;
const ALL = [...HOSTED, 'local'] as const;
const DIMENSIONS = 8;

interface Bench {
  readonly server: EmbeddingServer;
  readonly provider: EmbeddingProvider;
  readonly timer: QuickTimer;
  /** Everything that was logged, as text. */
  readonly logged: string[];
}

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function bench(config: ProviderConfig, serverOptions: EmbeddingServerOptions = {},
  timer = new QuickTimer()): Promise<Bench>
{
  const server = await startEmbeddingServer({ dimensions: DIMENSIONS, ...serverOptions });
  const logged: string[] = [];
  const write = (fields: object, message: string) => void logged.push(inspect({ fields, message }, { depth: null }));
  const log: Log = { ...silentLog, info: write, warn: write, error: write, debug: write, child: () => log };
  const provider = createEmbeddingProvider({ apiUrl: server.url, dimensions: DIMENSIONS, apiKey: KEY, ...config }, {
    timer,
    log,
    random: () => 0.5,
  });
  cleanups.push(() => server.stop(), () => provider.close());
  return { server, provider, timer, logged };
}

const rounded = (vectors: readonly ArrayLike<number>[]) => vectors.map((vector) => Array.from(vector, Math.fround));

async function failure(promise: Promise<unknown>): Promise<EmbeddingError> {
  const error = await promise.then(() => undefined, (reason: unknown) => reason);
  expect(error).toBeInstanceOf(EmbeddingError);
  return error as EmbeddingError;
}

const texts = ['red apple', 'green pear', 'blue sky'];

describe('requests and responses (decisions, section 4.3)', () => {
  it.each(ALL)('%s returns one vector for each text, in order', async (provider) => {
    const { provider: embedding, server } = await bench({ provider });
    expect(rounded(await embedding.embed(texts, 'document'))).toEqual(
      rounded(server.requests[0]!.texts.map(server.vectorOf)),
    );
    expect(server.requests).toHaveLength(1);
    expect(embedding.name).toBe(provider);
    expect(embedding.maxBatch).toBe(64);
    expect(embedding.dimensions).toBe(DIMENSIONS);
  });

  it('asks openai for floats, with the key as a bearer token', async () => {
    const { provider, server } = await bench({ provider: 'openai', dimensions: 1536 }, { dimensions: 1536, key: KEY });
    await provider.embed(texts, 'query');
    expect(server.requests[0]).toMatchObject({ path: '/embeddings', headers: { authorization: `Bearer ${KEY}` } });
    expect(server.requests[0]!.body).toEqual({
      model: 'text-embedding-3-small',
      input: texts,
      encoding_format: 'float',
      dimensions: 1536,
    });
  });

  it('sends dimensions to the third generation of models only', async () => {
    const short = await bench({ provider: 'openai', model: 'text-embedding-3-large', dimensions: 256 });
    expect(await short.provider.embed(['a'], 'document')).toEqual([expect.objectContaining({ length: 256 })]);
    expect(short.provider.variant).toBe('dimensions=256');
    const other = await bench({ provider: 'openai', model: 'text-embedding-ada-002', dimensions: 1536 }, {
      dimensions: 1536,
    });
    await other.provider.embed(['a'], 'document');
    expect(other.server.requests[0]!.body).not.toHaveProperty('dimensions');
    expect(other.provider.variant).toBe('plain');
  });

  it('passes the role to voyage', async () => {
    const { provider, server } = await bench({ provider: 'voyage' }, { key: KEY });
    await provider.embed(['a'], 'query');
    await provider.embed(['a'], 'document');
    expect(server.requests.map(({ body }) => body)).toEqual([{ model: 'voyage-3', input: ['a'], input_type: 'query' }, {
      model: 'voyage-3',
      input: ['a'],
      input_type: 'document',
    }]);
  });

  it('calls Ollama, with the prefixes that nomic-embed-text was trained with, and without a key', async () => {
    const { provider, server } = await bench({ provider: 'local' });
    await provider.embed(['a'], 'query');
    await provider.embed(['b', 'c'], 'document');
    expect(server.requests.map(({ path, body }) => [path, body])).toEqual([['/api/embed', {
      model: 'nomic-embed-text',
      input: ['search_query: a'],
    }], ['/api/embed', { model: 'nomic-embed-text', input: ['search_document: b', 'search_document: c'] }]]);
    expect(server.requests[0]!.headers.authorization).toBeUndefined();
    expect(provider.variant).toBe('prefix=nomic');
  });

  it('asks an older Ollama text by text, and remembers that it is one', async () => {
    const { provider, server } = await bench({ provider: 'ollama', model: 'all-minilm' }, { oldOllama: true });
    expect(rounded(await provider.embed(['a', 'b'], 'document'))).toEqual(rounded(['a', 'b'].map(server.vectorOf)));
    await provider.embed(['c'], 'query');
    expect(server.requests.map(({ path, texts: sent }) => [path, ...sent])).toEqual([['/api/embed', 'a', 'b'], [
      '/api/embeddings',
      'a',
    ], ['/api/embeddings', 'b'], ['/api/embeddings', 'c']]);
  });

  it('repeats what Ollama says of a model that was not pulled, and finds it once it was', async () => {
    const missing = { status: 404, body: { error: 'model "all-minilm" not found, try pulling it first' } };
    const { provider, server } = await bench({ provider: 'local', model: 'all-minilm' }, {
      script: [missing, missing],
    });
    expect(await failure(provider.embed(['a'], 'query'))).toMatchObject({
      message: 'the embedding provider local answered 404: model "all-minilm" not found, try pulling it first',
      status: 404,
      retryable: false,
    });
    await provider.embed(['a', 'b'], 'query');
    expect(server.requests.at(-1)!.path).toBe('/api/embed');
  });

  it('takes the size of an unknown model from its first response, and requires it from then on', async () => {
    const { provider, server } = await bench({ provider: 'openai', model: 'my-own', dimensions: 0 });
    expect(provider.dimensions).toBe(1536);
    await provider.embed(['a'], 'document');
    expect(provider.dimensions).toBe(DIMENSIONS);
    server.next('wrong-size');
    expect(await failure(provider.embed(['a'], 'document'))).toMatchObject({
      message: expect.stringContaining('9 dimensions, expected 8'),
    });
  });

  it.each(HOSTED)('puts the vectors of %s in the order of their index', async (name) => {
    const { provider, server } = await bench({ provider: name }, { script: ['shuffled'] });
    expect(rounded(await provider.embed(texts, 'document'))).toEqual(rounded(texts.map(server.vectorOf)));
  });

  it('asks nobody when there is nothing to embed', async () => {
    const { provider, server } = await bench({ provider: 'openai' });
    expect(await provider.embed([], 'document')).toEqual([]);
    expect(await failure(provider.embed(['a', ' \n'], 'document'))).toMatchObject({
      message: 'text 2 of 2 is blank: it has no embedding',
      retryable: false,
    });
    expect(await failure(provider.embed(Array<string>(65).fill('a'), 'document'))).toMatchObject({
      message: 'expected at most 64 texts, got 65',
    });
    expect(server.requests).toHaveLength(0);
  });
});

describe('unusable responses (decisions, section 4.3)', () => {
  const forAll = ['one-missing', 'one-more', 'wrong-size', 'mixed-sizes', 'empty-vector', 'null', 'infinity', 'zero',
    'strings', 'no-embeddings', 'json-null'] as const;
  const cases: [(typeof ALL)[number], Behaviour][] = ALL.flatMap((provider) =>
    forAll.map((behaviour): [(typeof ALL)[number], Behaviour] => [provider, behaviour])
  );
  it.each<[(typeof ALL)[number], Behaviour]>([...cases, ['openai', 'same-index'], ['voyage', 'same-index']])(
    '%s: %s fails at once and is not retried',
    async (name, behaviour) => {
      const { provider, server, timer } = await bench({ provider: name }, { script: [behaviour] });
      expect(await failure(provider.embed(texts, 'document'))).toMatchObject({ retryable: false });
      expect(server.requests).toHaveLength(1);
      expect(timer.waits).toEqual([]);
    },
  );

  it('aborts a body that is longer than any good response', async () => {
    const { provider } = await bench({ provider: 'openai' }, { script: ['huge'] });
    expect(await failure(provider.embed(texts, 'document'))).toMatchObject({
      retryable: false,
      message: expect.stringMatching(/answered more than \d+ bytes/),
    });
  });
});

describe('attempts', () => {
  const passing: Behaviour[] = ['hang-up', 'half', 'broken-json', 'nan', 'html', { status: 500 }, {
    status: 502,
    body: '<html>',
  }, { status: 503 }, { status: 529 }, { status: 408 }, { status: 429 }];
  it.each(passing)('tries again after %j', async (behaviour) => {
    const { provider, server, timer } = await bench({ provider: 'openai' }, { script: [behaviour] });
    expect(rounded(await provider.embed(texts, 'document'))).toEqual(rounded(texts.map(server.vectorOf)));
    expect(server.requests).toHaveLength(2);
    expect(timer.waits).toEqual([250]);
  });

  it('are three, with waits that double on average', async () => {
    const { provider, server, timer, logged } = await bench({ provider: 'voyage' }, {
      script: [{ status: 500 }, 'hang-up', { status: 502, body: { detail: 'bad gateway' } }],
    });
    expect(await failure(provider.embed(texts, 'document'))).toMatchObject({
      retryable: true,
      status: 502,
      message: 'the embedding provider voyage answered 502: bad gateway',
    });
    expect(server.requests).toHaveLength(3);
    expect(timer.waits).toEqual([250, 500]);
    expect(logged).toHaveLength(2);
  });

  it.each([400, 401, 403, 404, 413, 422])('end with a status of %i', async (status) => {
    const { provider, server } = await bench({ provider: 'openai' }, {
      script: [{ status, body: { error: { message: 'no' } } }],
    });
    expect(await failure(provider.embed(texts, 'document'))).toMatchObject({
      retryable: false,
      status,
      message: `the embedding provider openai answered ${status}: no`,
    });
    expect(server.requests).toHaveLength(1);
  });

  it('wait as long as the provider asks', async () => {
    const { provider, timer } = await bench({ provider: 'openai' }, {
      script: [{ status: 429, headers: { 'Retry-After': '7' } }, {
        status: 503,
        headers: { Date: 'Wed, 21 Oct 2015 07:28:00 GMT', 'Retry-After': 'Wed, 21 Oct 2015 07:28:20 GMT' },
      }],
    });
    await provider.embed(texts, 'document');
    expect(timer.waits).toEqual([7000, 20_000]);
  });

  it('of a query end where the provider asks for more than a few seconds', async () => {
    const { provider, server, timer } = await bench({ provider: 'openai' }, {
      script: [{ status: 429, headers: { 'Retry-After': '5' } }, { status: 429, headers: { 'Retry-After': '6' } }],
    });
    expect(await failure(provider.embed(['a'], 'query'))).toMatchObject({
      retryable: true,
      status: 429,
      retryAfterMs: 6000,
    });
    expect(server.requests).toHaveLength(2);
    expect(timer.waits).toEqual([5000]);
  });

  it('hand on how long the provider asked to be left alone', async () => {
    const busy = { status: 429, headers: { 'Retry-After': '3600' } };
    const { provider } = await bench({ provider: 'openai' }, { script: [busy, busy, busy] });
    expect(await failure(provider.embed(texts, 'document'))).toMatchObject({
      retryable: true,
      status: 429,
      retryAfterMs: 60_000,
    });
  });

  it.each<Behaviour>(['silence', 'stall'])('end after 30 s of %s', async (behaviour) => {
    const { provider, server, timer } = await bench({ provider: 'openai' }, { script: [behaviour] });
    const call = provider.embed(texts, 'document');
    await server.arrived(1);
    timer.timeOut();
    expect(rounded(await call)).toEqual(rounded(texts.map(server.vectorOf)));
    expect(server.requests).toHaveLength(2);
  });

  it('report that no server responded', async () => {
    const { provider, server, timer } = await bench({ provider: 'openai' }, {
      script: ['silence', 'silence', 'silence'],
    });
    const call = failure(provider.embed(texts, 'document'));
    for (const count of [1, 2, 3]) {
      await server.arrived(count);
      timer.timeOut();
    }
    expect(await call).toMatchObject({
      retryable: true,
      message: `the embedding provider openai at ${server.url} did not answer within 30 s`,
    });
  });

  it('report which server cannot be reached and why', async () => {
    const { provider, server } = await bench({ provider: 'ollama' });
    await server.stop();
    cleanups.splice(0, 1);
    expect(await failure(provider.embed(texts, 'document'))).toMatchObject({
      retryable: true,
      message: expect.stringMatching(
        /^the embedding provider local at http:\/\/127\.0\.0\.1:\d+ can't be reached: .*ECONNREFUSED/,
      ),
    });
  });

  it.each([['address', false], ['size', false], ['time', true]] as const)(
    'that the URL rules of this server block return the %s (tried again: %s)',
    async (rule, retryable) => {
      const timer = new QuickTimer();
      let calls = 0;
      const fetch = () => (calls++, Promise.reject(new RefusedRequest(rule, 'the host gpu.lan is refused')));
      const provider = createEmbeddingProvider({
        provider: 'ollama',
        apiUrl: 'http://gpu.lan:1',
        dimensions: DIMENSIONS,
      }, { timer, fetch, random: () => 0.5 });
      cleanups.push(() => provider.close());
      expect(await failure(provider.embed(texts, 'document'))).toMatchObject({
        retryable,
        message: "the embedding provider local at http://gpu.lan:1 can't be called: the host gpu.lan is refused",
      });
      expect(calls).toBe(retryable ? 3 : 1);
    },
  );

  it('do not follow redirects, which would take the key elsewhere', async () => {
    const { provider, server } = await bench({ provider: 'openai' }, {
      script: [{ status: 307, headers: { Location: 'https://elsewhere.example/' } }],
    });
    expect(await failure(provider.embed(texts, 'document'))).toMatchObject({
      retryable: false,
      status: 307,
      message: expect.stringContaining('it redirects to https://elsewhere.example/'),
    });
    expect(server.requests).toHaveLength(1);
  });
});

describe('cancelling', () => {
  it.each<Behaviour>(['silence', 'stall'])('ends a call that meets %s', async (behaviour) => {
    const { provider, server } = await bench({ provider: 'openai' }, { script: [behaviour] });
    const stop = new AbortController();
    const call = failure(provider.embed(texts, 'document', stop.signal));
    await server.arrived(1);
    stop.abort(new Error('enough'));
    expect(await call).toMatchObject({
      message: 'the embedding was cancelled',
      retryable: true,
      cause: new Error('enough'),
    });
    expect(server.requests).toHaveLength(1);
  });

  it('ends a call that waits for its next attempt', async () => {
    const timer = new QuickTimer({ hold: true });
    const { provider, server } = await bench({ provider: 'openai' }, { script: [{ status: 500 }] }, timer);
    const stop = new AbortController();
    const call = failure(provider.embed(texts, 'document', stop.signal));
    await timer.waiting();
    stop.abort();
    expect(await call).toMatchObject({ message: 'the embedding was cancelled' });
    expect(server.requests).toHaveLength(1);
  });

  it('before a call asks nobody', async () => {
    const { provider, server } = await bench({ provider: 'openai' });
    expect(await failure(provider.embed(texts, 'document', AbortSignal.abort()))).toMatchObject({ retryable: true });
    expect(server.requests).toHaveLength(0);
  });

  it('stops between the texts for an older Ollama', async () => {
    const { provider, server } = await bench({ provider: 'local', model: 'all-minilm' }, {
      oldOllama: true,
      script: ['well', 'well', 'silence'],
    });
    const stop = new AbortController();
    const call = failure(provider.embed(texts, 'document', stop.signal));
    await server.arrived(3);
    stop.abort();
    await call;
    expect(server.requests).toHaveLength(3);
  });

  it('is what closing does to calls under way; later ones are refused', async () => {
    const { provider, server } = await bench({ provider: 'openai' }, { script: ['silence'] });
    const call = failure(provider.embed(texts, 'document'));
    await server.arrived(1);
    await provider.close();
    expect(await call).toMatchObject({ message: 'the embedding was cancelled', retryable: true });
    expect(await failure(provider.embed(texts, 'document'))).toMatchObject({
      message: 'the embedding provider is closed',
    });
  });
});

describe('keys', () => {
  const echo = { error: { message: `bad key ${KEY}; you sent Authorization: Bearer ${KEY}`, detail: KEY } };
  const script: Behaviour[] = [{ status: 500, body: echo }, { status: 503, body: `${'x'.repeat(490)}${KEY}` }, {
    status: 401,
    body: echo,
  }];
  it.each(HOSTED)('of %s appear in no error and no log, even when the provider echoes them', async (name) => {
    const { provider, logged } = await bench({ provider: name }, { script });
    const error = await failure(provider.embed(texts, 'document'));
    const everything = [inspect(error, { depth: null, showHidden: true }), JSON.stringify(error), error.stack,
      inspect(provider, { depth: null, showHidden: true }), ...logged].join('\n');
    expect(error.message).toContain('bad key [redacted]; you sent Authorization: Bearer [redacted]');
    expect(logged).toHaveLength(2);
    expect(everything).not.toContain(KEY);
    expect(everything).not.toContain(KEY.slice(0, 10));
  });

  it('are not shown when the provider can not be reached', async () => {
    const fetch = () =>
      Promise.reject(new TypeError('fetch failed', { cause: new Error(`Invalid header value: Bearer ${KEY}`) }));
    const provider = createEmbeddingProvider({ provider: 'openai', apiKey: KEY }, { fetch, timer: new QuickTimer() });
    expect(inspect(await failure(provider.embed(['a'], 'query')), { depth: null })).not.toContain(KEY);
  });

  it('repeat at most 512 bytes of what the provider said', async () => {
    const { provider } = await bench({ provider: 'openai' }, { script: [{ status: 400, body: 'ä'.repeat(5000) }] });
    const { message } = await failure(provider.embed(texts, 'document'));
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(512 + 'the embedding provider openai answered 400: '.length);
  });
});
