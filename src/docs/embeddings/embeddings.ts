import type { Registry } from 'prom-client';
import type { Operations } from '../../../generated/docs/operations.ts';
import type { GetVectorStatsResponse } from '../../../generated/docs/sdk/types.gen.ts';
import { cachedQueries, createEmbeddingProvider, EmbeddingError, type EmbeddingProvider,
  type EmbeddingRole } from '../../embedding/index.ts';
import { ServiceError } from '../../errors/index.ts';
import { systemTimer, type Timer } from '../../lib/clock.ts';
import type { Outbound } from '../../net/index.ts';
import type { Handlers, Identity } from '../../operations/index.ts';
import type { Change } from '../../storage/index.ts';
import type { Collections } from '../collections/index.ts';
import type { EmbeddingCapacity } from '../documents/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { type Chunker, createChunker } from './chunker.ts';
import { type ConfigHandlers, createConfigHandlers, effectiveChoice } from './configs/configs.ts';
import { checkSettings, toProviderConfig } from './configs/provider-config.ts';
import { type Encoder, EncoderService } from './encoder/encoder.ts';
import { BodyStates } from './encoder/passage-rows.ts';
import { type CreateProvider, FormerModels, guardedProviders, Providers } from './providers.ts';
import { createQueue } from './queue/queue.ts';
import { ReindexJobs } from './reindex.ts';
import { chunkSizeOf, embeddingSettings } from './settings.ts';
import { type DocumentVectors, FreshVectors } from './store-vectors.ts';
import { TokenMatching, TokenWarmUp } from './token-matching.ts';
import { type ModelIdentity, type StoredVector, vectorsOfCollection, vectorsOfDocuments } from './vector-rows.ts';
import { countEmbeddings, isStale, readVectorStats, registerMetrics } from './vector-stats.ts';

type EmbeddingHandlers = ConfigHandlers & Required<Pick<Handlers<Operations>, 'reindexVectors'>>;

/** Vectors of texts, and the model with whose vectors they can be compared. */
interface TextVectors {
  readonly vectors: readonly Float32Array[];
  readonly model: string;
  readonly variant: string;
  readonly dimensions: number;
}

/** Everything between a written document and its vectors in the database, and the vectors of queries. */
export interface Embeddings extends Chunker {
  readonly handlers: EmbeddingHandlers;
  /** Back-pressure for all that write documents. */
  readonly embeddingCapacity: EmbeddingCapacity;
  /**
   * Starts to follow the change feed; embeds nothing in read mode. Logs a warning if stored vectors are of another
   * model. Throws a `ConfigError` when the settings of the server are used and name a provider that cannot work.
   */
  start(): Promise<void>;
  /** Cancels running calls; their documents stay queued. Harmless before `start` and when repeated. */
  stop(): Promise<void>;
  /** On a node that started without this duty: embeds what is written from now on. */
  work(): Promise<void>;
  /** Another process has changed the configuration. */
  reload(): Promise<void>;
  /** Starts again after the database was replaced. */
  restart(): Promise<void>;
  /** The configuration in use; the provider `none` with an empty model when there is none. */
  describe(): {
    readonly vectors: { readonly enabled: boolean; readonly provider: string; readonly model: string;
      readonly dimensions: number };
    readonly chunking: { readonly enabled: boolean; readonly chunkSize: number };
  };
  /**
   * The vectors of texts in a role; texts must not be blank. A single query text is cached for a while. Throws
   * `invalid_argument` without a provider, `unavailable` when it fails.
   */
  embedTexts(texts: readonly string[], role: EmbeddingRole, signal?: AbortSignal): Promise<TextVectors>;
  /**
   * The vector of a query, for a collection that has vectors of the models in `present` (the model of the most
   * documents first); `isUnknown` if the model does not know its script. It is made by the current provider's model,
   * unless most documents have vectors of another model that is available. Fails as `embedTexts` does.
   */
  embedQuery(text: string, signal?: AbortSignal,
    present?: readonly ModelIdentity[]
  ): Promise<Omit<TextVectors, 'vectors'> & { readonly vector: Float32Array; readonly isUnknown?: boolean }>;
  /** Reorders search results. */
  readonly encoder: Encoder;
  /**
   * Weight of the first passage of a document in its score, for vectors of a model; 0 if only its best passage counts.
   */
  leadWeightOf(model: Pick<ModelIdentity, 'model' | 'variant'> | undefined): number;
  /** Compares documents with a query token by token; see `TokenMatching`. */
  readonly matching: Pick<TokenMatching, 'similarities'>;
  /** Which documents exist, and which of them have vectors of their present bodies. */
  readonly bodies: Pick<BodyStates, 'each'>;
  /** The vectors that a change `vectors.put` stored, if this process has just stored them; only once. */
  freshVectorsOf(change: Pick<Change, 'lsn' | 'ord'>): DocumentVectors | undefined;
  /** All vectors of a collection, by document and chunk, in pages, read outside of the event loop. */
  vectorsOfCollection(collection: string): AsyncIterable<StoredVector[]>;
  /** The vectors of some documents, at most a few hundred, by document and chunk, read outside of the event loop. */
  vectorsOfDocuments(ords: readonly number[]): Promise<StoredVector[]>;
  /** `GET /v1/vector-stats`; `indexReady`: whether the vectors are loaded for searching. */
  readStats(identity: Identity, indexReady: boolean): Promise<GetVectorStatsResponse>;
  /** Resolves when everything written so far is embedded, dropped or postponed; for tests. */
  settled(signal?: AbortSignal): Promise<void>;
  registerMetrics(registers: Registry[]): void;
}

interface EmbeddingsAreas {
  /** Called for each document that is stored, so it must return from memory. */
  readonly collections: Pick<Collections, 'configOf'>;
  /** Sends the requests to providers that users configured. */
  readonly outbound?: Outbound;
  readonly create?: CreateProvider;
  /** Throws a ConfigError if no encoder is installed; default: the encoder that comes with the package. */
  readonly createEncoder?: () => EmbeddingProvider;
  readonly timer?: Timer;
}

export function createEmbeddings(environment: DocsEnvironment, areas: EmbeddingsAreas): Embeddings {
  const { sql, clock, log } = environment;
  const { collections, outbound, timer = systemTimer } = areas;
  const create = areas.create ?? guardedProviders(outbound, { log, timer });
  const settings = embeddingSettings(environment.settings);
  const providers = new Providers({
    create,
    cache: { size: settings.cacheSize, ttlMs: settings.cacheTtlMs },
    clock,
    log,
  });
  const formerModels = new FormerModels(create);
  const passages = () => providers.current?.passages;
  const chunker = createChunker(settings, passages);
  const fresh = new FreshVectors();
  const queue = createQueue(environment, { settings, chunker, providers, collections, timer, fresh });
  const jobs = new ReindexJobs({ ...queue.reindexing });
  const writable = environment.settings.mode !== 'read';
  let hasDuty = environment.isNode !== true;
  const { createEncoder = () => createEmbeddingProvider({ provider: 'local' }, { log, timer }) } = areas;
  const encoder = new EncoderService({
    sql,
    clock,
    log,
    timer,
    chunker,
    codec: environment.codec,
    rerank: settings.rerank,
    budgetMs: settings.rerankBudgetMs,
    isWritable: writable,
    create: () => cachedQueries(createEncoder(), { size: settings.cacheSize, ttlMs: settings.cacheTtlMs, clock }),
    mayKeep: (collection) => writable && collections.configOf(collection)?.encrypted !== true,
    isBusy: () => queue.gate.depth > 0,
  });
  const bodies = new BodyStates(sql);
  const matching = new TokenMatching({ sql, clock, chunker, providers, bodies, codec: environment.codec });
  const newWarmUp = () =>
    new TokenWarmUp({
      sql,
      clock,
      log,
      matching,
      isIdle: () => queue.gate.depth === 0,
      isLocal: (collection) => collections.configOf(collection)?.storageBackend !== 's3',
    });
  let warmUp: TokenWarmUp | undefined;
  const exclusively = oneAfterTheOther();
  let started = false;
  let warning: Promise<void> = Promise.resolve();

  const apply = (): Promise<void> =>
    exclusively(async () => {
      if (!started) return;
      const config = toProviderConfig(await effectiveChoice({ sql, keys: environment.keys, settings }), settings);
      // The feed is followed before there is a provider, so that no write in between is missed.
      const embeds = writable && hasDuty;
      if (embeds && config !== undefined) await queue.start();
      const changed = providers.configure(config);
      if (providers.current === undefined) await queue.stop();
      else if (changed && embeds) await queue.tryAgain();
      if (embeds && config === undefined) await queue.forget();
    });
  const start = async (): Promise<void> => {
    const choice = await effectiveChoice({ sql, keys: environment.keys, settings });
    if (choice === settings) await checkSettings(settings, create);
    started = true;
    jobs.start();
    await apply();
    encoder.start();
    warmUp = newWarmUp();
    // Counting takes time, and startup must not wait for it.
    warning = warnOfOtherModels().catch((error: unknown) =>
      log.warn({ err: error }, 'the models of the vectors could not be read')
    );
  };
  /** Everything except the provider, which searches use. */
  const halt = async (): Promise<void> => {
    started = false;
    await warmUp?.stop();
    await encoder.stop();
    await jobs.stop();
    await exclusively(() => queue.stop());
    fresh.clear();
    await warning;
  };
  const warnOfOtherModels = async (): Promise<void> => {
    const provider = providers.current;
    if (provider === undefined) return;
    for (const { name, models } of await countEmbeddings(sql, clock)) {
      if (!isStale(models, provider)) continue;
      const found = models.map(({ model, variant, documents }) => ({ model, variant, documents }));
      log.warn({ collection: name, found, model: provider.model, variant: provider.variant },
        'vectors are of another model than the current one; POST /v1/vector-reindex embeds them again');
    }
  };
  const embedTexts: Embeddings['embedTexts'] = async (texts, role, signal) => {
    const result = await providers.use(async (provider) => {
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
  };

  const restart = async (): Promise<void> => {
    await halt();
    await start();
  };
  return {
    ...chunker,
    handlers: {
      ...createConfigHandlers({ sql, feed: environment.feed, clock, keys: environment.keys, settings, create, apply }),
      reindexVectors: ({ collection, force }, { signal }) => jobs.run(collection, force, signal),
    },
    readStats: (identity, indexReady) =>
      readVectorStats({
        sql,
        clock,
        settings,
        collections,
        indexReady,
        gate: queue.gate,
        encoder,
        provider: () => providers.current,
        lastError: () => queue.lastError,
      }, identity),
    embeddingCapacity: queue.gate,
    start,
    async work() {
      if (hasDuty) return;
      hasDuty = true;
      await apply();
    },
    async stop() {
      await halt();
      await encoder.close();
      await formerModels.close();
      await providers.close();
    },
    restart,
    reload: restart,
    describe() {
      const { name = 'none', model = '', dimensions = 0 } = providers.current ?? {};
      return {
        vectors: { enabled: providers.current !== undefined, provider: name, model, dimensions },
        chunking: { enabled: settings.chunkEnabled, chunkSize: chunkSizeOf(settings, passages()) },
      };
    },
    embedTexts,
    async embedQuery(text, signal, present = []) {
      const former = formerModels.for(providers.current, present);
      if (former !== undefined) {
        const [vector] = await former.embed([text], 'query', signal);
        return { vector: vector!, model: former.model, variant: former.variant, dimensions: former.dimensions };
      }
      const { vectors, ...rest } = await embedTexts([text], 'query', signal);
      const isKnown = await providers.use((provider) => provider.knows?.(text) ?? Promise.resolve(true));
      return { vector: vectors[0]!, ...rest, ...(isKnown === false && { isUnknown: true }) };
    },
    encoder,
    bodies,
    matching: {
      similarities(...query) {
        warmUp?.wake();
        return matching.similarities(...query);
      },
    },
    leadWeightOf(model) {
      const provider = providers.current;
      return provider !== undefined && model?.model === provider.model && model.variant === provider.variant
        ? provider.passages?.leadWeight ?? 0
        : 0;
    },
    freshVectorsOf: (change) => fresh.take(change),
    vectorsOfCollection: (collection) => vectorsOfCollection(sql.background, collection),
    vectorsOfDocuments: (ords) => vectorsOfDocuments(sql.background, ords),
    async settled(signal) {
      await warning;
      await queue.settled(signal);
    },
    registerMetrics: (registers) =>
      registerMetrics(registers, {
        sql,
        clock,
        log,
        gate: queue.gate,
        encoder,
        isConfigured: () => providers.current !== undefined,
        cache: () => providers.cache,
        tokenBytes: () => matching.bytes,
      }),
  };
}

/** Runs tasks one at a time, in the order of the calls. */
function oneAfterTheOther(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => undefined); // its own caller receives the error
    return next;
  };
}
