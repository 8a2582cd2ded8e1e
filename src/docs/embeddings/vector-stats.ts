import { Counter, Gauge, type Registry } from 'prom-client';
import type { GetVectorStatsResponse, VectorCollectionStats } from '../../../generated/docs/sdk/types.gen.ts';
import type { EmbeddingProvider, QueryCacheCounters } from '../../embedding/index.ts';
import { cached } from '../../lib/caches.ts';
import { type Clock, unixSeconds } from '../../lib/clock.ts';
import { formatDuration } from '../../lib/duration.ts';
import { isSystemCollection } from '../../lib/system-collection.ts';
import type { Identity } from '../../operations/index.ts';
import type { Queries, Row, Sql } from '../../storage/index.ts';
import type { Collections } from '../collections/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { COLLECTION_ID, expiredDocuments, filledCollections } from '../stored-collections.ts';
import type { Encoder } from './encoder/encoder.ts';
import type { QueueGate } from './queue/gate.ts';
import { chunkSizeOf, type EmbeddingSettings } from './settings.ts';

interface StatsDeps extends Pick<DocsEnvironment, 'sql' | 'clock'> {
  readonly settings: EmbeddingSettings;
  readonly collections: Pick<Collections, 'configOf'>;
  readonly gate: Pick<QueueGate, 'depth' | 'dropped'>;
  readonly encoder: Pick<Encoder, 'describe' | 'counts'>;
  readonly provider: () => EmbeddingProvider | undefined;
  readonly lastError: () => string | undefined;
  /** Whether the vectors are loaded for searching. */
  readonly indexReady: boolean;
}

/** Maximum number of reasons shown for a collection. */
const SHOWN_FAILURES = 10;

/** Whether some vectors were made with another model or variant than the provider's. */
export function isStale(models: EmbeddingCounts['models'],
  provider: Pick<EmbeddingProvider, 'model' | 'variant'> | undefined): boolean
{
  return provider !== undefined &&
    models.some(({ model, variant }) => model !== provider.model || variant !== provider.variant);
}

/** `GET /v1/vector-stats`, for the collections that the caller may read. */
export async function readVectorStats(deps: StatsDeps, identity: Identity): Promise<GetVectorStatsResponse> {
  const { sql, clock, settings, gate } = deps;
  const provider = deps.provider();
  const counts = (await countEmbeddings(sql, clock)).filter(({ name }) => identity.may('read', name));
  const collections: Record<string, VectorCollectionStats> = {};
  const encoder = deps.encoder.describe();
  const encoded = encoder && await deps.encoder.counts();
  for (const each of counts)
    collections[each.name] = {
      ...(await toStats(deps, each)),
      ...(encoded && { encoded_chunks: encoded.get(each.name) ?? 0 }),
    };
  const lastError = deps.lastError();
  return {
    enabled: provider !== undefined,
    provider: provider?.name ?? 'none',
    model: provider?.model ?? '',
    dimensions: provider?.dimensions ?? 0,
    index_ready: deps.indexReady,
    collections,
    queue: {
      size: settings.queueSize,
      depth: gate.depth,
      dropped: gate.dropped,
      wait: formatDuration(settings.queueWaitMs),
      last_error: lastError,
    },
    encoder,
    chunking: { enabled: settings.chunkEnabled, chunkSize: chunkSizeOf(settings, provider?.passages) },
  };
}

async function toStats({ sql, collections, provider }: StatsDeps,
  counts: EmbeddingCounts): Promise<VectorCollectionStats>
{
  const { name, documents, embedded, chunks, failed, models } = counts;
  const { quantization = 'float32', diskOnlyVectors = false } = collections.configOf(name) ?? {};
  return {
    total_documents: documents,
    embedded_documents: embedded,
    total_chunks: chunks,
    failed_documents: failed,
    quantization,
    diskOnlyVectors,
    stale: isStale(models, provider()),
    model: models[0]?.model ?? '',
    variant: models[0]?.variant ?? '',
    ...(failed > 0 && { errors: await readFailures(sql, name, SHOWN_FAILURES) }),
  };
}

/** How much of a collection the server's provider has embedded; expired documents do not count. */
interface EmbeddingCounts {
  readonly name: string;
  readonly documents: number;
  /** Documents that are embedded, blank ones without vectors included. */
  readonly embedded: number;
  readonly chunks: number;
  /** Documents that the provider refused permanently. */
  readonly failed: number;
  /** The models that made its vectors; the model with the most documents comes first. */
  readonly models: readonly { readonly model: string; readonly variant: string; readonly documents: number }[];
}

interface ModelRow extends Row {
  readonly cid: number;
  readonly model_id: number;
  readonly documents: number;
  readonly chunks: number;
}

/**
 * Scans the index by collection once for each model, of which there are few: its order is that of the groups then,
 * while groups of both would sort all rows. The signs keep SQLite from making an index for the statement.
 */
const EMBEDDED = `
  SELECT e.cid, m.id AS model_id, count(*) AS documents, sum(e.chunks) AS chunks
  FROM embedding_models m CROSS JOIN embeddings e WHERE +e.model_id = m.id AND +e.space = '' GROUP BY m.id, e.cid`;
const EXPIRED_EMBEDDED = `
  SELECT e.cid, e.model_id, count(*) AS documents, sum(e.chunks) AS chunks
  FROM documents d JOIN embeddings e ON e.ord = d.ord AND e.space = '' WHERE d.expires_at <= ? GROUP BY e.cid, e.model_id`;
const FAILED = "SELECT cid, count(*) AS n FROM embedding_states WHERE state = 'failed' AND space = '' GROUP BY cid";
const MODELS = 'SELECT id, model, variant FROM embedding_models';

/**
 * Every collection that has documents, by name, except those of the system. Scans indexes outside of the event loop.
 */
export async function countEmbeddings({ background }: Pick<Sql, 'background'>,
  clock: Clock): Promise<EmbeddingCounts[]>
{
  const now = unixSeconds(clock);
  const [collections, expired, embedded, expiredEmbedded, failed, models] = await Promise.all([
    filledCollections(background),
    expiredDocuments(background, now),
    background.all<ModelRow>(EMBEDDED),
    background.all<ModelRow>(EXPIRED_EMBEDDED, [now]),
    countFailed(background),
    background.all<{ id: number; model: string; variant: string }>(MODELS),
  ]);
  const known = new Map(models.map(({ id, model, variant }) => [id, { model, variant }]));
  const gone = new Map(expiredEmbedded.map((row) => [`${row.cid} ${row.model_id}`, row]));
  return collections.filter(({ name }) => !isSystemCollection(name)).map(({ id, name, docs }) => {
    const rows = embedded.filter(({ cid }) => cid === id).map((row) =>
      without(row, gone.get(`${row.cid} ${row.model_id}`))
    ).filter(({ documents }) => documents > 0);
    return {
      name,
      documents: docs - (expired.get(id) ?? 0),
      embedded: sum(rows, ({ documents }) => documents),
      chunks: sum(rows, ({ chunks }) => chunks),
      failed: failed.get(id) ?? 0,
      models: rows.flatMap((
        { model_id: model, documents },
      ) => (known.has(model) ? [{ ...known.get(model)!, documents }] : [])).sort((a, b) => b.documents - a.documents),
    };
  });
}

/** Documents without vectors of a field, by the name of its space and the lowercased name of its collection. */
export type FieldStates = ReadonlyMap<string, ReadonlyMap<string, { queued: number; failed: number }>>;

export async function countFieldStates(queries: Queries): Promise<FieldStates> {
  const rows = await queries.all<{ space: string; name: string; state: string; n: number }>(
    `SELECT s.space, c.name, s.state, count(*) AS n FROM embedding_states s JOIN collections c ON c.id = s.cid
     WHERE s.space <> '' AND s.state IN ('queued', 'failed') GROUP BY s.space, c.name, s.state`,
  );
  const states = new Map<string, Map<string, { queued: number; failed: number }>>();
  for (const { space, name, state, n } of rows) {
    const byName = states.get(space) ?? new Map<string, { queued: number; failed: number }>();
    const counts = byName.get(name) ?? { queued: 0, failed: 0 };
    if (state === 'queued') counts.queued = n;
    else counts.failed = n;
    states.set(space, byName.set(name, counts));
  }
  return states;
}

/** Why documents of a collection failed, the latest first. */
async function readFailures({ background }: Pick<Sql, 'background'>, collection: string,
  limit: number): Promise<string[]>
{
  const rows = await background.all<{ id: string; reason: string }>(
    `SELECT d.id, s.reason FROM embedding_states s JOIN documents d ON d.ord = s.ord
     WHERE s.state = 'failed' AND s.space = '' AND s.cid = ${COLLECTION_ID} ORDER BY s.seq DESC LIMIT ?`,
    [collection, limit],
  );
  return rows.map(({ id, reason }) => `${id}: ${reason}`);
}

async function countFailed(queries: Queries): Promise<Map<number, number>> {
  const rows = await queries.all<{ cid: number; n: number }>(FAILED);
  return new Map(rows.map(({ cid, n }) => [cid, n]));
}

function without(row: ModelRow, gone: ModelRow | undefined): Pick<ModelRow, 'model_id' | 'documents' | 'chunks'> {
  return {
    model_id: row.model_id,
    documents: row.documents - (gone?.documents ?? 0),
    chunks: row.chunks - (gone?.chunks ?? 0),
  };
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

interface MetricsDeps extends Pick<DocsEnvironment, 'sql' | 'clock' | 'log'> {
  readonly gate: Pick<QueueGate, 'depth' | 'dropped'>;
  readonly encoder: Pick<Encoder, 'counts'>;
  readonly isConfigured: () => boolean;
  readonly cache: () => QueryCacheCounters;
  /** Bytes of the cached tokens of documents. */
  readonly tokenBytes: () => number;
}

/** Counting reads many rows, and scrapers come often, so the counts are cached. */
const CACHE_MS = 15_000;

/** The metrics of embeddings (decisions section 4.1). */
export function registerMetrics(registers: Registry[],
  { sql, clock, log, gate, encoder, isConfigured, cache, tokenBytes }: MetricsDeps): void
{
  const counts = cached(() => countEmbeddings(sql, clock), CACHE_MS, clock);
  const encoded = cached(() => encoder.counts(), CACHE_MS, clock);
  const byCollection = (name: string, help: string,
    values: () => Promise<Iterable<readonly [string, number]>>): void =>
  {
    new Gauge({
      name,
      help,
      labelNames: ['collection'],
      registers,
      async collect() {
        // A failing database must not make the metrics that report on it unavailable.
        const found = await values().catch((error: unknown) => {
          log.warn({ err: error }, 'numbers of the vectors are not available');
          return [];
        });
        this.reset();
        for (const [collection, value] of found) this.set({ collection }, value);
      },
    });
  };
  byCollection('svc_vector_embeddings_total', 'Vectors stored.',
    async () => (await counts()).map(({ name, chunks }) => [name, chunks] as const));
  byCollection('svc_vector_encoded_total', 'Passages that have a vector of the encoder, which reorders searches.',
    encoded);
  const gauge = (name: string, help: string, value: () => number): void => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  };
  const counter = (name: string, help: string, value: () => number): void => {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(value());
      },
    });
  };
  gauge('svc_embedding_provider_configured', 'Whether an embedding provider is configured.',
    () => Number(isConfigured()));
  gauge('svc_embedding_queue_size', 'Documents that wait for their embedding.', () => gate.depth);
  counter('svc_embedding_queue_dropped_total', 'Documents stored without a vector because the queue was full.',
    () => gate.dropped);
  counter('svc_embedding_cache_hits_total', 'Queries whose vector was cached.', () => cache().hits);
  counter('svc_embedding_cache_misses_total', 'Queries whose vector had to be made.', () => cache().misses);
  gauge('svc_embedding_cache_size', 'Vectors of queries in the cache.', () => cache().size);
  gauge('svc_embedding_token_bytes',
    'Bytes of the cached tokens of documents, with which searches compare them token by token.', tokenBytes);
}
