import { Counter, Gauge, type Registry } from 'prom-client';
import type { QueryCacheCounters } from '../../embedding/index.ts';
import { cached } from '../../lib/cached.ts';
import type { DocsEnvironment } from '../environment.ts';
import type { Encoder } from './encoder/encoder.ts';
import type { QueueGate } from './queue/gate.ts';
import { countEmbeddings } from './vector-stats.ts';

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
