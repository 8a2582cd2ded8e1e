import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddingServer, QuickTimer, startEmbeddingServer } from '../testkit/embedding/index.ts';
import { type CachedProvider, cachedQueries } from './cached-queries.ts';
import { createEmbeddingProvider } from './create-provider.ts';

let server: EmbeddingServer;
let cached: CachedProvider;
let now = 0;

function start(size: number): void {
  const provider = createEmbeddingProvider({
    provider: 'openai',
    apiKey: 'k',
    apiUrl: server.url,
    dimensions: 8,
    model: 'm',
  }, { timer: new QuickTimer() });
  cached = cachedQueries(provider, { size, ttlMs: 1000, clock: { now: () => now } });
}

beforeEach(async () => {
  now = 0;
  server = await startEmbeddingServer();
  start(2);
});

afterEach(async () => {
  await cached.close();
  await server.stop();
});

const asked = () => server.requests.map(({ texts }) => texts.join('+'));

describe('cachedQueries', () => {
  it('asks once for equal queries, for their time', async () => {
    const [first] = await cached.embed(['a'], 'query');
    now = 999;
    expect(await cached.embed(['a'], 'query')).toEqual([first]);
    expect(asked()).toEqual(['a']);
    now = 1000;
    await cached.embed(['a'], 'query');
    expect(asked()).toEqual(['a', 'a']);
    expect(cached.cache).toEqual({ hits: 1, misses: 2, size: 1 });
  });

  it('shares one call among equal queries asked at once', async () => {
    const answers = await Promise.all([cached.embed(['a'], 'query'), cached.embed(['a'], 'query'),
      cached.embed(['b'], 'query')]);
    expect(answers[0]).toEqual(answers[1]);
    expect(asked().sort()).toEqual(['a', 'b']);
    expect(cached.cache).toEqual({ hits: 1, misses: 2, size: 2 });
  });

  it('evicts the least recently used', async () => {
    for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) await cached.embed([text], 'query');
    expect(asked()).toEqual(['a', 'b', 'c', 'b']);
  });

  it('returns each caller a vector of its own', async () => {
    const [first] = await cached.embed(['a'], 'query');
    const copy = first!.slice();
    first!.fill(9);
    expect(await cached.embed(['a'], 'query')).toEqual([copy]);
  });

  it('lets documents and batches through', async () => {
    await cached.embed(['a'], 'document');
    await cached.embed(['a'], 'document');
    await cached.embed(['a', 'b'], 'query');
    expect(asked()).toEqual(['a', 'a', 'a+b']);
    expect(cached.cache).toEqual({ hits: 0, misses: 0, size: 0 });
  });

  it('remembers nothing with a size of 0', async () => {
    await cached.close();
    start(0);
    await cached.embed(['a'], 'query');
    await cached.embed(['a'], 'query');
    expect(asked()).toEqual(['a', 'a']);
    expect(cached.cache).toEqual({ hits: 0, misses: 0, size: 0 });
  });

  it('does not cache a failure, and returns it to all waiting callers', async () => {
    server.next({ status: 400 });
    const outcomes = await Promise.allSettled([cached.embed(['a'], 'query'), cached.embed(['a'], 'query')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await cached.embed(['a'], 'query');
    expect(asked()).toEqual(['a', 'a']);
  });

  it('lets a caller leave without taking the response from the others', async () => {
    server.next('silence');
    const stop = new AbortController();
    const left = cached.embed(['a'], 'query', stop.signal);
    const stays = cached.embed(['a'], 'query');
    await server.arrived(1);
    stop.abort();
    await expect(left).rejects.toThrow('cancelled');
    const outcome = expect(stays).rejects.toThrow('cancelled'); // rejected by closing, not by the other caller
    await cached.close();
    await outcome;
  });

  it('cancels a call that nobody waits for any more, and asks again for the next', async () => {
    server.next('silence');
    const stops = [new AbortController(), new AbortController()];
    const calls = stops.map(({ signal }) => cached.embed(['a'], 'query', signal));
    const left = Promise.allSettled(calls);
    await server.arrived(1);
    for (const stop of stops) stop.abort();
    expect((await left).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await cached.embed(['a'], 'query')).toHaveLength(1);
    expect(asked()).toEqual(['a', 'a']);
  });

  it('is the provider otherwise', async () => {
    expect(cached).toMatchObject({ name: 'openai', model: 'm', dimensions: 8, variant: 'plain', maxBatch: 64 });
    await expect(cached.embed(['a'], 'query', AbortSignal.abort())).rejects.toThrow('cancelled');
  });
});
