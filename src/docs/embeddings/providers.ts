import { type CachedProvider, cachedQueries, createEmbeddingProvider, type EmbeddingProvider, isBuiltinModel,
  type ProviderConfig, type ProviderDeps, type QueryCacheCounters } from '../../embedding/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { ConfigError } from '../../lib/setting-values.ts';
import type { Outbound } from '../../net/index.ts';
import type { ModelIdentity } from './vector-rows.ts';

export type CreateProvider = (config: ProviderConfig) => EmbeddingProvider;

interface ProvidersOptions {
  readonly create: CreateProvider;
  readonly cache: { readonly size: number; readonly ttlMs: number };
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * A provider with the number of its running calls; it is closed when it has been replaced and the last call has ended.
 */
interface Held {
  readonly provider: CachedProvider;
  uses: number;
  retired: boolean;
}

/** The current provider, which a change of configuration replaces while work continues. */
export class Providers {
  readonly #options: ProvidersOptions;
  #held: Held | undefined;
  #asked = '';
  #isWanted = false;
  /** Counters of the caches of earlier providers. */
  #past = { hits: 0, misses: 0 };

  constructor(options: ProvidersOptions) {
    this.#options = options;
  }

  /** Undefined when no provider is configured. Call its methods only within `use`. */
  get current(): EmbeddingProvider | undefined {
    return this.#held?.provider;
  }

  /** Whether there is a provider, or is one to be soon. */
  get isWanted(): boolean {
    return this.#isWanted;
  }

  /** Says what `configure` will be called with, so that what comes before it waits for the provider. */
  announce(config: ProviderConfig | undefined): void {
    this.#isWanted = config !== undefined;
  }

  /**
   * Uses another configuration from now on; undefined for none. Running work ends with the provider with which it
   * began. If the provider cannot be created, the server has none and logs that: vectors of the wrong model would be
   * worse. Returns whether the configuration is another one.
   */
  configure(config: ProviderConfig | undefined): boolean {
    const asked = JSON.stringify(config ?? null);
    if (asked === this.#asked) {
      this.#isWanted = this.#held !== undefined;
      return false;
    }
    this.#asked = asked;
    const before = this.#held;
    this.#held = config && this.#hold(config);
    this.#isWanted = this.#held !== undefined;
    if (before !== undefined) this.#retire(before);
    return true;
  }

  /**
   * Runs work with the current provider, which stays open until the work has ended. Returns undefined without a
   * provider.
   */
  async use<T>(work: (provider: EmbeddingProvider) => Promise<T>): Promise<T | undefined> {
    const held = this.#held;
    if (held === undefined) return undefined;
    held.uses++;
    try {
      return await work(held.provider);
    } finally {
      held.uses--;
      if (held.retired && held.uses === 0) this.#close(held);
    }
  }

  /** Totals of all query caches since the start. */
  get cache(): QueryCacheCounters {
    const { hits, misses, size } = this.#held?.provider.cache ?? { hits: 0, misses: 0, size: 0 };
    return { hits: this.#past.hits + hits, misses: this.#past.misses + misses, size };
  }

  /** Cancels running calls. */
  async close(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    this.#asked = '';
    this.#isWanted = false;
    await held?.provider.close();
  }

  #hold(config: ProviderConfig): Held | undefined {
    const { create, cache, clock, log } = this.#options;
    try {
      return { provider: cachedQueries(create(config), { ...cache, clock }), uses: 0, retired: false };
    } catch (error) {
      log.error({ err: error, provider: config.provider },
        'the embedding provider cannot be used; nothing is embedded');
      return undefined;
    }
  }

  #retire(held: Held): void {
    const { hits, misses } = held.provider.cache;
    this.#past = { hits: this.#past.hits + hits, misses: this.#past.misses + misses };
    held.retired = true;
    if (held.uses === 0) this.#close(held);
  }

  #close({ provider }: Held): void {
    provider.close().catch((error: unknown) =>
      this.#options.log.warn({ err: error }, 'an embedding provider could not be closed')
    );
  }
}

/** Providers have limits of their own, which depend on the number of vectors in a response. */
const UNLIMITED = { maxBytes: Infinity, timeoutMs: 60_000 };

/**
 * Creates providers. Providers that users configured may call only addresses that the policy for outgoing requests
 * permits, and none without a policy; the operator's own settings may name any address.
 */
export function guardedProviders(outbound: Outbound | undefined,
  deps: Pick<ProviderDeps, 'log' | 'timer'>): CreateProvider
{
  return (config) => {
    if (config.untrusted !== true) return createEmbeddingProvider(config, deps);
    if (outbound === undefined) throw new ConfigError(['provider: this server makes no requests for users']);
    const provider = createEmbeddingProvider(config, { ...deps, fetch: outbound.fetch(UNLIMITED) });
    const refusal = config.apiUrl ? outbound.refusal(config.apiUrl) : undefined;
    if (refusal === undefined) return provider;
    void provider.close();
    throw new ConfigError([`apiUrl: ${refusal}`]);
  };
}

/**
 * The `builtin` models other than the current one. They are always available, so a collection with vectors of another
 * of these models is searched with that model until it has been embedded again.
 */
export class FormerModels {
  readonly #create: CreateProvider;
  readonly #open = new Map<string, EmbeddingProvider>();

  constructor(create: CreateProvider) {
    this.#create = create;
  }

  /**
   * A provider for the model that most documents of a collection have, which is the first of `present`; undefined if
   * the current provider must be used.
   */
  for(current: EmbeddingProvider | undefined, present: readonly ModelIdentity[]): EmbeddingProvider | undefined {
    const [most] = present;
    if (current?.name !== 'builtin' || most === undefined || !isBuiltinModel(most)) return undefined;
    if (most.model === current.model && most.variant === current.variant) return undefined;
    let provider = this.#open.get(most.model);
    if (provider === undefined)
      this.#open.set(most.model, provider = this.#create({ provider: 'builtin', model: most.model }));
    return provider;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((provider) => provider.close()));
    this.#open.clear();
  }
}
