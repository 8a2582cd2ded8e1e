import type { Registry } from 'prom-client';
import type { Operations } from '../../../generated/docs/operations.ts';
import type { GetVectorStatsResponse } from '../../../generated/docs/sdk/types.gen.ts';
import { cachedQueries, createEmbeddingProvider, type EmbeddingProvider, type EmbeddingRole,
  type ProviderConfig } from '../../embedding/index.ts';
import { ServiceError } from '../../errors/index.ts';
import { systemTimer, type Timer } from '../../lib/clock.ts';
import type { Outbound } from '../../net/index.ts';
import type { Handlers, Identity } from '../../operations/index.ts';
import type { Change } from '../../storage/index.ts';
import { type Collections, declaredField, isSupplied, SERVER_FIELD, spaceOfField,
  spacesOf } from '../collections/index.ts';
import type { EmbeddingCapacity } from '../documents/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import type { Partition } from '../view/index.ts';
import type { Chunker } from './chunker.ts';
import { type ConfigHandlers, createConfigHandlers, defaultChoice, effectiveChoice,
  readConfigs } from './configs/configs.ts';
import { checkSettings, toProviderConfig } from './configs/provider-config.ts';
import { type Encoder, EncoderService } from './encoder/encoder.ts';
import type { BodyStates } from './encoder/passage-rows.ts';
import { type CreateProvider, guardedProviders } from './providers.ts';
import { createGate, createQueue } from './queue/queue.ts';
import { chunkSizeOf, type EmbeddingSettings, embeddingSettings } from './settings.ts';
import { type EmbeddedQuery, EmbeddingSpace, type TextVectors } from './space.ts';
import { Spaces } from './spaces.ts';
import { type DocumentVectors, FreshVectors } from './store-vectors.ts';
import { type TokenMatching, TokenWarmUp } from './token-matching.ts';
import { type ModelIdentity, SERVER_SPACE, type StoredVector, vectorsOfCollection,
  vectorsOfDocuments } from './vector-rows.ts';
import { countEmbeddings, countFieldStates, type FieldStates, isStale, readVectorStats,
  registerMetrics } from './vector-stats.ts';

type EmbeddingHandlers = ConfigHandlers & Required<Pick<Handlers<Operations>, 'reindexVectors'>>;

/** Embeddings of one space. */
export interface SpaceEmbeddings extends Chunker {
  /** Its name. */
  readonly space: string;
  /** What is in use; the provider `none` with an empty model when there is none. */
  describe(): { readonly enabled: boolean; readonly provider: string; readonly model: string;
    readonly dimensions: number };
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
  embedQuery(text: string, signal?: AbortSignal, present?: readonly ModelIdentity[]): Promise<EmbeddedQuery>;
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
  /** The vectors of some documents, at most a few hundred, by document and chunk, read outside of the event loop. */
  vectorsOfDocuments(ords: readonly number[]): Promise<StoredVector[]>;
}

/** Everything between a written document and its vectors in the database, and the vectors of queries. */
export interface Embeddings {
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
  /** Whether the server or any field has a provider. */
  readonly hasProvider: boolean;
  /** The configuration in use; the provider `none` with an empty model when there is none. */
  describe(): {
    readonly vectors: { readonly enabled: boolean; readonly provider: string; readonly model: string;
      readonly dimensions: number };
    readonly chunking: { readonly enabled: boolean; readonly chunkSize: number };
  };
  /** The vectors that a change `vectors.put` stored, if this process has just stored them; only once. */
  freshVectorsOf(change: Pick<Change, 'lsn' | 'ord'>): DocumentVectors | undefined;
  /** All vectors of a collection or partition, by document and chunk, in pages, read outside of the event loop. */
  vectorsOfCollection(collection: string, partition?: Partition): AsyncIterable<StoredVector[]>;
  /** The same of all spaces, by document, space and chunk. */
  vectorsOfAllSpaces(ords: readonly number[]): Promise<StoredVector[]>;
  /**
   * Embeddings as searches of a collection compare them: of a field of the source provider, otherwise of the
   * collection's default; for a field of supplied vectors, of the server. Throws `invalid_argument` for a field that is
   * not declared.
   */
  of(collection: string, field?: string): SpaceEmbeddings;
  /** `GET /v1/vector-stats`; `indexReady`: whether the vectors are loaded for searching. */
  readStats(identity: Identity, indexReady: boolean): Promise<GetVectorStatsResponse>;
  /** How many documents wait for vectors of fields or were refused, by space and collection; nothing for others. */
  countFieldStates(): Promise<FieldStates>;
  /** Resolves when everything written so far is embedded, dropped or postponed; for tests. */
  settled(signal?: AbortSignal): Promise<void>;
  registerMetrics(registers: Registry[]): void;
}

interface EmbeddingsAreas {
  /** Called for each document that is stored, so it must return from memory. */
  readonly collections: Pick<Collections, 'configOf' | 'configs' | 'load' | 'onSpacesChanged'>;
  /** Sends the requests to providers that users configured. */
  readonly outbound?: Outbound;
  readonly create?: CreateProvider;
  /** Throws a ConfigError if no encoder is installed; default: the encoder that comes with the package. */
  readonly createEncoder?: () => EmbeddingProvider;
  readonly timer?: Timer;
}

export function createEmbeddings(environment: DocsEnvironment, areas: EmbeddingsAreas): Embeddings {
  const { sql, clock, log, keys } = environment;
  const { collections, outbound, timer = systemTimer } = areas;
  const create = areas.create ?? guardedProviders(outbound, { log, timer });
  const settings = embeddingSettings(environment.settings);
  const fresh = new FreshVectors();
  const gate = createGate(environment, { settings, collections, timer });
  const spaces = new Spaces((name) =>
    new EmbeddingSpace(name, { environment, settings, create, collections, timer, gate, fresh })
  );
  const { server } = spaces;
  const queue = createQueue(environment, {
    gate,
    spaces,
    collections,
    timer,
    onConfigured: () => {
      if (environment.isNode === true) void collections.load().catch(warnOfSpaces);
    },
  });
  const writable = environment.settings.mode !== 'read';
  let hasDuty = environment.isNode !== true;
  const { createEncoder = () => createEmbeddingProvider({ provider: 'local' }, { log, timer }) } = areas;
  const encoder = new EncoderService({
    sql,
    clock,
    log,
    timer,
    chunkerOf: (space) => (spaces.get(space) ?? server).chunker,
    codec: environment.codec,
    rerank: settings.rerank,
    budgetMs: settings.rerankBudgetMs,
    isWritable: writable,
    create: () => cachedQueries(createEncoder(), { size: settings.cacheSize, ttlMs: settings.cacheTtlMs, clock }),
    mayKeep: (collection) => writable && collections.configOf(collection)?.encrypted !== true,
    isBusy: () => gate.depth > 0,
  });
  const newWarmUp = () =>
    new TokenWarmUp({
      sql,
      clock,
      log,
      matching: server.matching,
      isIdle: () => gate.depth === 0,
      isLocal: (collection) => collections.configOf(collection)?.storageBackend !== 's3',
    });
  let warmUp: TokenWarmUp | undefined;
  const exclusively = oneAfterTheOther();
  let started = false;
  let warning: Promise<void> = Promise.resolve();

  const apply = (): Promise<void> =>
    exclusively(async () => {
      if (!started) return;
      const wanted = await wantedProviders({ sql, keys, settings, collections });
      // The feed is followed before there are providers, so that no write in between is missed.
      const embeds = writable && hasDuty;
      spaces.announce(wanted);
      if (embeds && spaces.areWanted) await queue.start();
      const changed = await spaces.configure(wanted);
      if (!spaces.areWanted) await queue.stop();
      else if (changed.length > 0 && embeds) await queue.tryAgain();
      if (embeds && [...wanted.values()].every((config) => config === undefined)) await queue.forget();
      queue.fill();
    });
  const warnOfSpaces = (error: unknown): void =>
    log.warn({ err: error }, 'the embedding configurations of vector fields could not be read');
  collections.onSpacesChanged(() => apply().catch(warnOfSpaces));
  const start = async (): Promise<void> => {
    const choice = await effectiveChoice({ sql, keys, settings });
    if (choice === settings) await checkSettings(settings, create);
    started = true;
    for (const { jobs } of spaces.all()) jobs.start();
    await apply();
    encoder.start();
    warmUp = newWarmUp();
    // Counting takes time, and startup must not wait for it.
    warning = warnOfOtherModels().catch((error: unknown) =>
      log.warn({ err: error }, 'the models of the vectors could not be read')
    );
  };
  /** Everything except the providers, which searches use. */
  const halt = async (): Promise<void> => {
    started = false;
    await warmUp?.stop();
    await encoder.stop();
    for (const { jobs } of spaces.all()) await jobs.stop();
    await exclusively(() => queue.stop());
    fresh.clear();
    await warning;
  };
  const warnOfOtherModels = async (): Promise<void> => {
    const provider = server.providers.current;
    if (provider === undefined) return;
    for (const { name, models } of await countEmbeddings(sql, clock)) {
      if (!isStale(models, provider)) continue;
      const found = models.map(({ model, variant, documents }) => ({ model, variant, documents }));
      log.warn({ collection: name, found, model: provider.model, variant: provider.variant },
        'vectors are of another model than the current one; POST /v1/vector-reindex embeds them again');
    }
  };
  const newSpace = (space: EmbeddingSpace): SpaceEmbeddings => ({
    ...space.chunker,
    space: space.name,
    describe: () => space.describe(),
    embedTexts: (texts, role, signal) => space.embedTexts(texts, role, signal),
    embedQuery: (text, signal, present) => space.embedQuery(text, signal, present),
    encoder: encoder.in(space.name),
    bodies: space.bodies,
    matching: {
      similarities(...query) {
        if (space === server) warmUp?.wake();
        return space.matching.similarities(...query);
      },
    },
    leadWeightOf: (model) => space.leadWeightOf(model),
    vectorsOfDocuments: (ords) => vectorsOfDocuments(sql.background, ords, space.name),
  });

  const opened = new WeakMap<EmbeddingSpace, SpaceEmbeddings>();
  const inSpace = (space: EmbeddingSpace): SpaceEmbeddings => {
    let found = opened.get(space);
    if (found === undefined) opened.set(space, found = newSpace(space));
    return found;
  };

  const restart = async (): Promise<void> => {
    await halt();
    await start();
  };
  return {
    handlers: {
      ...createConfigHandlers({ sql, feed: environment.feed, clock, keys, settings, create, apply, collections }),
      reindexVectors: ({ collection, vectorField, force }, { signal }) =>
        spaceNamed(vectorField, collection).jobs.run(collection, force, signal),
    },
    readStats: (identity, indexReady) =>
      readVectorStats({
        sql,
        clock,
        settings,
        collections,
        indexReady,
        gate,
        encoder,
        provider: () => server.providers.current,
        lastError: () => queue.lastError,
      }, identity),
    countFieldStates: () => countFieldStates(sql.background),
    embeddingCapacity: gate,
    start,
    async work() {
      if (hasDuty) return;
      hasDuty = true;
      await apply();
    },
    async stop() {
      await halt();
      await encoder.close();
      await spaces.close();
    },
    restart,
    reload: restart,
    get hasProvider() {
      return [...spaces.all()].some(({ providers }) => providers.current !== undefined);
    },
    describe() {
      return {
        vectors: server.describe(),
        chunking: {
          enabled: settings.chunkEnabled,
          chunkSize: chunkSizeOf(settings, server.providers.current?.passages),
        },
      };
    },
    of: (collection, field) =>
      inSpace(isSupplied(collections.configOf(collection)?.vectors, field) ? server : spaceNamed(field, collection)),
    freshVectorsOf: (change) => fresh.take(change),
    vectorsOfCollection: (collection, partition) => vectorsOfCollection(sql.background, collection, { partition }),
    vectorsOfAllSpaces: (ords) => vectorsOfDocuments(sql.background, ords),
    async settled(signal) {
      await warning;
      await exclusively(() => Promise.resolve());
      await queue.settled(signal);
    },
    registerMetrics: (registers) =>
      registerMetrics(registers, {
        sql,
        clock,
        log,
        gate,
        encoder,
        isConfigured: () => server.providers.current !== undefined,
        cache: () => server.providers.cache,
        tokenBytes: () => server.matching.bytes,
      }),
  };

  /** That of the collection's default field unless one is named. */
  function spaceNamed(field: string | undefined, collection: string): EmbeddingSpace {
    const config = collections.configOf(collection);
    const name = spaceOfField(config, field);
    if (name === undefined) {
      declaredField(config?.vectors ?? {}, field!, 'vectorField');
      throw new ServiceError('invalid_argument',
        `vectorField must be ${SERVER_FIELD} or a field of the source provider, which ${field} is not`);
    }
    // A field that was declared a moment ago is opened in the background.
    const space = spaces.get(name);
    if (space === undefined)
      throw new ServiceError('unavailable', `the embedding configuration ${name} is being opened; try again`);
    return space;
  }
}

/** The providers of the server and of the fields of all collections. */
async function wantedProviders({ sql, keys, settings, collections }: Pick<DocsEnvironment, 'sql' | 'keys'> & {
  readonly settings: EmbeddingSettings;
  readonly collections: Pick<Collections, 'configs'>;
}): Promise<Map<string, ProviderConfig | undefined>> {
  const stored = await readConfigs(sql, keys);
  const wanted = new Map<string, ProviderConfig | undefined>();
  wanted.set(SERVER_SPACE, toProviderConfig(defaultChoice(stored, settings), settings));
  for (const [, config] of collections.configs()) {
    for (const name of spacesOf(config)) {
      if (name === SERVER_SPACE) continue;
      const choice = stored.find(({ id }) => id === name);
      wanted.set(name, choice && toProviderConfig(choice, settings));
    }
  }
  return wanted;
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
