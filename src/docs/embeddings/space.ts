import { EmbeddingError, type EmbeddingRole } from '../../embedding/index.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Timer } from '../../lib/clock.ts';
import { type Collections, spacesOf } from '../collections/index.ts';
import { createSealers } from '../documents/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { type Chunker, createChunker } from './chunker.ts';
import { BodyStates } from './encoder/passage-rows.ts';
import { type CreateProvider, FormerModels, Providers } from './providers.ts';
import type { QueueGate } from './queue/gate.ts';
import { EmbeddingWorkers } from './queue/workers.ts';
import { ReindexJobs } from './reindex.ts';
import type { EmbeddingSettings } from './settings.ts';
import { type FreshVectors, VectorStore } from './store-vectors.ts';
import { TokenMatching } from './token-matching.ts';
import type { ModelIdentity } from './vector-rows.ts';

/** Vectors of texts, and the model with whose vectors they can be compared. */
export interface TextVectors {
  readonly vectors: readonly Float32Array[];
  readonly model: string;
  readonly variant: string;
  readonly dimensions: number;
}

/** The vector of a query. */
export interface EmbeddedQuery extends Omit<TextVectors, 'vectors'> {
  readonly vector: Float32Array;
  /** Whether the model does not know the script of the text. */
  readonly isUnknown?: boolean;
}

export interface SpaceDeps {
  readonly environment: DocsEnvironment;
  readonly settings: EmbeddingSettings;
  readonly create: CreateProvider;
  readonly collections: Pick<Collections, 'configOf'>;
  readonly timer: Timer;
  readonly gate: QueueGate;
  /** Receives the vectors that were stored. */
  readonly fresh: Pick<FreshVectors, 'add'>;
}

/**
 * Vectors that are compared with each other: those of the server's provider (the space '') or of an embedding
 * configuration that fields of collections name (its id). A document may have vectors in several spaces, of one model
 * each, and is cut for each as suits that model.
 */
export class EmbeddingSpace {
  readonly name: string;
  readonly providers: Providers;
  readonly chunker: Chunker;
  readonly bodies: BodyStates;
  readonly matching: TokenMatching;
  readonly store: VectorStore;
  readonly workers: EmbeddingWorkers;
  readonly jobs: ReindexJobs;
  readonly #collections: Pick<Collections, 'configOf'>;
  readonly #former: FormerModels;

  constructor(name: string, { environment, settings, create, collections, timer, gate, fresh }: SpaceDeps) {
    const { sql, feed, codec, clock, log, keys } = environment;
    this.name = name;
    this.#collections = collections;
    this.#former = new FormerModels(create);
    const cache = { size: settings.cacheSize, ttlMs: settings.cacheTtlMs };
    this.providers = new Providers({ create, cache, clock, log });
    this.chunker = createChunker(settings, () => this.providers.current?.passages);
    this.bodies = new BodyStates(sql, name);
    const { providers, chunker, bodies } = this;
    this.matching = new TokenMatching({ sql, clock, codec, chunker, providers, bodies });
    this.store = new VectorStore({
      space: name,
      sql,
      feed,
      clock,
      collections,
      chunker,
      gate,
      fresh: environment.isNode === true ? undefined : fresh,
      sealerOf: createSealers(keys, collections),
    });
    const shared = {
      space: name,
      sql,
      codec,
      clock,
      chunker,
      settings,
      providers,
      store: this.store,
      inFlight: new Set<number>(),
    };
    this.workers = new EmbeddingWorkers({ ...shared, log, timer });
    this.jobs = new ReindexJobs({ ...shared, onDone: () => this.workers.wake() });
  }

  /** Whether documents of a collection are to have vectors in it. */
  embeds(collection: string): boolean {
    return this.providers.isWanted && spacesOf(this.#collections.configOf(collection)).includes(this.name);
  }

  /** What is in use; the provider `none` with an empty model when there is none. */
  describe(): { readonly enabled: boolean; readonly provider: string; readonly model: string;
    readonly dimensions: number }
  {
    const { name = 'none', model = '', dimensions = 0 } = this.providers.current ?? {};
    return { enabled: this.providers.current !== undefined, provider: name, model, dimensions };
  }

  /** See `Embeddings.embedTexts`. */
  async embedTexts(texts: readonly string[], role: EmbeddingRole, signal?: AbortSignal): Promise<TextVectors> {
    const result = await this.providers.use(async (provider) => {
      const vectors: Float32Array[] = [];
      for (let i = 0; i < texts.length; i += provider.maxBatch)
        vectors.push(...(await provider.embed(texts.slice(i, i + provider.maxBatch), role, signal)));
      const { model, variant, dimensions } = provider;
      return { vectors, model, variant, dimensions };
    }).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw error instanceof EmbeddingError
        ? new ServiceError('unavailable', `embedding failed: ${error.message}`, { cause: error })
        : error;
    });
    if (result === undefined) throw new ServiceError('invalid_argument', 'embedding provider not configured');
    return result;
  }

  /** See `Embeddings.embedQuery`. */
  async embedQuery(text: string, signal?: AbortSignal, present: readonly ModelIdentity[] = []): Promise<EmbeddedQuery> {
    const former = this.#former.for(this.providers.current, present);
    if (former !== undefined) {
      const [vector] = await former.embed([text], 'query', signal);
      return { vector: vector!, model: former.model, variant: former.variant, dimensions: former.dimensions };
    }
    const { vectors, ...rest } = await this.embedTexts([text], 'query', signal);
    const isKnown = await this.providers.use((provider) => provider.knows?.(text) ?? Promise.resolve(true));
    return { vector: vectors[0]!, ...rest, ...(isKnown === false && { isUnknown: true }) };
  }

  /** See `Embeddings.leadWeightOf`. */
  leadWeightOf(model: Pick<ModelIdentity, 'model' | 'variant'> | undefined): number {
    const provider = this.providers.current;
    return provider !== undefined && model?.model === provider.model && model.variant === provider.variant
      ? provider.passages?.leadWeight ?? 0
      : 0;
  }

  /** Cancels running calls. */
  async close(): Promise<void> {
    await this.#former.close();
    await this.providers.close();
  }
}
