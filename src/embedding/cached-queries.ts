import { Lru } from '../lib/caches.ts';
import type { Clock } from '../lib/clock.ts';
import { cancelled, type EmbeddingProvider, type EmbeddingRole, type PassageStyle } from './provider.ts';

export interface QueryCacheOptions {
  /** Maximum number of cached queries; 0 for none. */
  readonly size: number;
  /** How long each is cached, in milliseconds. */
  readonly ttlMs: number;
  readonly clock: Clock;
}

/** A provider that caches the vectors of queries. */
export interface CachedProvider extends EmbeddingProvider {
  readonly cache: QueryCacheCounters;
}

export interface QueryCacheCounters {
  /** Queries answered from the cache, or by a call that was already in progress. */
  readonly hits: number;
  readonly misses: number;
  /** Number of cached vectors, including expired ones that were not requested since. */
  readonly size: number;
}

/**
 * A provider that embeds equal queries once: single texts in the role of a query are cached for a while, and concurrent
 * requests for the same text share one call. All other calls are passed through, and if `size` is 0, every call is.
 */
export function cachedQueries(provider: EmbeddingProvider, options: QueryCacheOptions): CachedProvider {
  return new CachedQueries(provider, options);
}

interface Entry {
  readonly vector: Float32Array;
  readonly until: number;
}

/** A call in progress; it is cancelled when all of its callers have aborted. */
interface Shared {
  readonly vector: Promise<Float32Array>;
  readonly stop: AbortController;
  waiting: number;
  isOver: boolean;
}

class CachedQueries implements CachedProvider {
  readonly name: EmbeddingProvider['name'];
  readonly #provider: EmbeddingProvider;
  readonly #options: QueryCacheOptions;
  readonly #entries: Lru<string, Entry>;
  readonly #calls = new Map<string, Shared>();
  #hits = 0;
  #misses = 0;

  constructor(provider: EmbeddingProvider, options: QueryCacheOptions) {
    this.name = provider.name;
    this.#provider = provider;
    this.#options = options;
    this.#entries = new Lru(options.size);
  }

  get model(): string {
    return this.#provider.model;
  }

  get dimensions(): number {
    return this.#provider.dimensions;
  }

  get variant(): string {
    return this.#provider.variant;
  }

  get maxBatch(): number {
    return this.#provider.maxBatch;
  }

  get passages(): PassageStyle | undefined {
    return this.#provider.passages;
  }

  get sharedModel(): EmbeddingProvider['sharedModel'] {
    return this.#provider.sharedModel?.bind(this.#provider);
  }

  get knows(): EmbeddingProvider['knows'] {
    return this.#provider.knows?.bind(this.#provider);
  }

  get isEnglishOnly(): boolean | undefined {
    return this.#provider.isEnglishOnly;
  }

  get matcher(): EmbeddingProvider['matcher'] {
    return this.#provider.matcher?.bind(this.#provider);
  }

  get cache(): QueryCacheCounters {
    return { hits: this.#hits, misses: this.#misses, size: this.#entries.size };
  }

  async embed(texts: readonly string[], role: EmbeddingRole, signal?: AbortSignal,
    isEnglish?: readonly (boolean | undefined)[]): Promise<Float32Array[]>
  {
    if (this.#entries.capacity === 0 || role !== 'query' || texts.length !== 1)
      return this.#provider.embed(texts, role, signal, isEnglish);
    if (signal?.aborted) throw cancelled(signal);
    const vector = this.#cached(texts[0]!) ?? (await this.#shared(texts[0]!, signal));
    return [vector.slice()]; // a copy, which the caller may modify
  }

  async close(): Promise<void> {
    this.#entries.clear();
    await this.#provider.close();
  }

  #cached(text: string): Float32Array | undefined {
    const entry = this.#entries.get(text);
    if (entry === undefined) return undefined;
    if (this.#options.clock.now() < entry.until) {
      this.#hits++;
      return entry.vector;
    }
    this.#entries.delete(text);
    return undefined;
  }

  async #shared(text: string, signal: AbortSignal | undefined): Promise<Float32Array> {
    const underWay = this.#calls.get(text);
    if (underWay === undefined) this.#misses++;
    else this.#hits++;
    const call = underWay ?? this.#start(text);
    call.waiting++;
    try {
      return await orAborted(call.vector, signal);
    } finally {
      if (--call.waiting === 0) this.#leave(text, call);
    }
  }

  #start(text: string): Shared {
    const stop = new AbortController();
    const vector = this.#provider.embed([text], 'query', stop.signal).then(([only]) => {
      this.#entries.set(text, { vector: only!, until: this.#options.clock.now() + this.#options.ttlMs });
      return only!;
    });
    const call: Shared = { vector, stop, waiting: 0, isOver: false };
    const end = (): void => void (call.isOver = true);
    vector.then(end, end);
    this.#calls.set(text, call);
    return call;
  }

  /** There are no callers left: the call has finished, or all of them have aborted. */
  #leave(text: string, call: Shared): void {
    if (this.#calls.get(text) === call) this.#calls.delete(text);
    if (!call.isOver) call.stop.abort(); // creates an error with its stack, which takes a while
  }
}

/** The promise's result, or a rejection as soon as the signal aborts. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(cancelled(signal));
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
