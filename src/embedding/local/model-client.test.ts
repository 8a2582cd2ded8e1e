import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { Timer } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { ModelClient, slices } from './model-client.ts';

const THREAD = new URL('../../testkit/embedding/faulty-thread.ts', import.meta.url);
const DATA = {
  library: 'x',
  model: 'm',
  name: 'm',
  folder: '/nowhere/m',
  isFolder: false,
  dtype: 'fp32',
  maxTokens: 10,
  offline: true,
  cacheFolder: '/nowhere',
  hubUrl: undefined,
};
/** Ends when its signal aborts, and otherwise at once: a thread that does not end is not waited for. */
const expiring: Timer = { sleep: () => Promise.resolve() };
const endless: Timer = {
  sleep: (_, signal) => new Promise((resolve) => signal?.addEventListener('abort', () => resolve())),
};

let client: ModelClient;
const start = (
  timer: Timer = endless,
) => (client = new ModelClient({ thread: THREAD, data: DATA, timer, log: silentLog }));
afterEach(() => client.close());

const lengths = (vectors: readonly Float32Array[]) => vectors.map((vector) => vector[0]);
const long = (length: number) => 'x'.repeat(length);

describe('ModelClient', () => {
  it('returns vectors in the order of the texts, however they are portioned', async () => {
    start();
    expect(lengths(await client.embed([long(9000), 'ab', long(8000), 'abc'], 'document'))).toEqual([9000, 2, 8000, 3]);
    expect(await client.embed([], 'document')).toEqual([]);
  });

  it.each(['crash', 'exit'])('fails the call that meets a thread that ends (%s), and starts another for the next',
    async (text) => {
      start();
      const [before] = await client.embed(['a'], 'query');
      const lost = client.embed([text], 'query');
      const next = client.embed(['ab'], 'query');
      await expect(lost).rejects.toMatchObject({
        name: 'EmbeddingError',
        retryable: true,
        message: expect.stringMatching(/^the thread of the embedding model ended unexpectedly/),
      });
      const [after] = await next;
      expect(after![0]).toBe(2);
      expect(after![1]).not.toBe(before![1]);
    });

  it('lets a failure concern its own call only', async () => {
    start();
    const failing = client.embed(['bad', long(16_000)], 'document');
    const next = client.embed(['ab'], 'document');
    await expect(failing).rejects.toMatchObject({
      message: 'the embedding model m failed: bad text',
      retryable: false,
    });
    expect(lengths(await next)).toEqual([2]);
  });

  it('serves queries between the portions of a long batch, and documents between many queries', async () => {
    start();
    const order: string[] = [];
    const note = (name: string) => () => void order.push(name);
    const batch = client.embed(Array.from({ length: 4 }, () => long(12_000)), 'document').then(note('batch'));
    const queries = Array.from({ length: 20 }, (_, i) => client.embed(['q'], 'query').then(note(`query ${i}`)));
    await Promise.all([batch, ...queries]);
    expect(order.indexOf('batch')).toBe(20); // its last batches come after eight batches of queries each
    order.length = 0;
    const second = client.embed([long(12_000), long(12_000)], 'document').then(note('batch'));
    await Promise.all([second,
      ...Array.from({ length: 20 }, (_, i) => client.embed(['q'], 'query').then(note(`query ${i}`)))]);
    expect(order.indexOf('batch')).toBe(8);
  });

  it('drops a cancelled call, at once and between its portions', async () => {
    start();
    const stop = new AbortController();
    const call = client.embed(Array.from({ length: 64 }, () => long(12_000)), 'document', stop.signal);
    const next = client.embed(['ab'], 'document');
    stop.abort();
    await expect(call).rejects.toMatchObject({ message: 'the embedding was cancelled', retryable: true });
    expect(lengths(await next)).toEqual([2]);
    await expect(client.embed(['a'], 'query', AbortSignal.abort())).rejects.toThrow('cancelled');
  });

  it('rejects running calls when it closes, and all later ones', async () => {
    start();
    const calls = [client.embed(['a'], 'query'), client.embed(['b'], 'query')].map((call) =>
      expect(call).rejects.toThrow('closed')
    );
    await client.close();
    await client.close();
    await Promise.all(calls);
    await expect(client.embed(['a'], 'query')).rejects.toThrow('closed');
  });

  it('closes without ever having started', async () => {
    start();
    await client.close();
  });

  it('does not wait for ever for a thread that does not end', async () => {
    start(expiring);
    const call = expect(client.embed(['wait'], 'query')).rejects.toThrow('closed');
    await client.close();
    await call;
  });
});

describe('slices', () => {
  it('hold every text once, and few characters after padding unless a text is alone', () => {
    const text = fc.integer({ min: 1, max: 40_000 }).map((length) => 'x'.repeat(length));
    fc.assert(fc.property(fc.array(text, { maxLength: 64 }), (texts) => {
      const portions = slices(texts);
      expect(portions.flat().sort((a, b) => a - b)).toEqual(texts.map((_, i) => i));
      for (const portion of portions) {
        const longest = Math.max(...portion.map((index) => texts[index]!.length));
        expect(portion.length).toBeLessThanOrEqual(16);
        expect(portion.length === 1 || portion.length * longest <= 16_000).toBe(true);
      }
    }));
  });

  it('put texts of like length together', () => {
    expect(slices(['x'.repeat(9000), 'a', 'x'.repeat(8000), 'b'])).toEqual([[1, 3], [2], [0]]);
    expect(slices([])).toEqual([]);
  });
});
