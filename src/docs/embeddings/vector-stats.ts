import type { GetVectorStatsResponse, VectorCollectionStats } from '../../../generated/docs/sdk/types.gen.ts';
import type { EmbeddingProvider } from '../../embedding/index.ts';
import { formatDuration } from '../../lib/duration.ts';
import type { Identity } from '../../operations/index.ts';
import type { Collections } from '../collections/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { countEmbeddings, type EmbeddingCounts, readFailures } from './embedding-counts.ts';
import type { Encoder } from './encoder/encoder.ts';
import type { QueueGate } from './queue/gate.ts';
import { chunkSizeOf, type EmbeddingSettings } from './settings.ts';

export interface StatsDeps extends Pick<DocsEnvironment, 'sql' | 'clock'> {
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
      ...(lastError !== undefined && { last_error: lastError }),
    },
    ...(encoder && { encoder }),
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
