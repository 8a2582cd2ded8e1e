import { Gauge, type Registry } from 'prom-client';
import type { Operations } from '../../../generated/docs/operations.ts';
import type { FindSimilarResponse, GetVectorStatsResponse } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Timer } from '../../lib/clock.ts';
import { OrdSet } from '../../lib/ord-set.ts';
import type { AnswerBounds, Handlers, InputOf } from '../../operations/index.ts';
import type { VectorIndexOptions } from '../../search/vector/index.ts';
import type { Collections } from '../collections/index.ts';
import type { Embeddings } from '../embeddings/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import type { SearchGate } from '../search-gate.ts';
import type { StoredVectors } from '../search/index.ts';
import type { VectorFieldSearch, VectorWorkers } from '../vector-fields/index.ts';
import { CheckpointFiles } from '../view/index.ts';
import { findFieldSource, findSourceByKey, type SourceDeps } from './cross-search/source-document.ts';
import { resolveRequest } from './search/request.ts';
import { searchByVector } from './search/search-by-vector.ts';
import { findNearest, type SearchDeps, searchVectors } from './search/search-vectors.ts';
import { readPassages } from './search/vectors-retriever.ts';
import type { VectorSearch } from './vector-search.ts';
import { CHECKPOINT_MAGIC, VectorView } from './view/vector-view.ts';

type VectorHandlers = Required<Pick<Handlers<Operations>, 'searchVectors' | 'findSimilar' | 'getVectorStats'>>;

/** Vector search, and the indexes that it needs. */
export interface Vectors extends VectorSearch {
  readonly handlers: VectorHandlers;
  readonly view: Pick<VectorView,
    'start' | 'restart' | 'isCaughtUp' | 'caughtUp' | 'reached' | 'settled' | 'name' | 'isReady' | 'changed'
      | 'position' | 'bytesOf'>;
  readonly views: readonly Pick<VectorView, 'start' | 'restart'>[];
  /** Writes checkpoints; harmless before the start and when repeated. */
  stop(): Promise<void>;
  registerMetrics(registers: Registry[]): void;
}

export interface VectorsAreas {
  /** Called at each search, so it must return from memory. */
  readonly collections: Pick<Collections, 'configOf'>;
  readonly embeddings: Pick<Embeddings,
    'describe' | 'readStats' | 'encoder' | 'embedQuery' | 'embedTexts' | 'chunksOf' | 'leadWeightOf' | 'matching'
      | 'bodies' | 'freshVectorsOf' | 'vectorsOfCollection' | 'vectorsOfDocuments'>;
  readonly gate: Pick<SearchGate, 'run'>;
  readonly columns: SearchDeps['columns'];
  readonly geo: SearchDeps['geo'];
  /** Searches of supplied vectors; absent: collections declare no fields. */
  readonly vectorFields?: VectorFieldSearch;
  readonly vectorWorkers: Pick<VectorWorkers, 'settings' | 'options'>;
  readonly timer?: Timer;
  /** For tests. */
  readonly index?: Partial<VectorIndexOptions>;
}

export function createVectors(environment: DocsEnvironment, areas: VectorsAreas): Vectors {
  const { sql, codec, clock } = environment;
  const { collections, embeddings, gate, columns, geo, vectorFields: fields, timer } = areas;
  const { settings, options } = areas.vectorWorkers;
  const view = new VectorView(environment, {
    embeddings,
    index: { ...options, ...areas.index },
    isSecret: (collection) => collections.configOf(collection)?.encrypted === true,
    keys: environment.keys,
    checkpoints: CheckpointFiles.beside(sql, 'vectors', CHECKPOINT_MAGIC),
    timer,
  });
  const requireProvider = (): void => {
    if (!embeddings.describe().vectors.enabled)
      throw new ServiceError('invalid_argument', 'embedding provider not configured');
  };
  const embedQuery: VectorSearch['embedQuery'] = async (text, signal, collection) => {
    const present = collection === undefined ? [] : view.indexOf(collection)?.models() ?? [];
    const { vector, isUnknown, ...model } = await embeddings.embedQuery(text, signal, present);
    return { vector, model, text, isUnknown };
  };
  const stored: StoredVectors = {
    modelOf: (collection, ord) => view.indexOf(collection)?.modelOf(ord),
    vectorsOf: (collection, ord) => view.indexOf(collection)?.vectorsOf(ord) ?? [],
    meanOf: (collection, ord, unit = false) => view.indexOf(collection)?.meanOf(ord, unit),
  };
  const deps: SearchDeps = {
    sql,
    codec,
    clock,
    view,
    columns,
    geo,
    collections,
    settings,
    gate,
    leadWeightOf: (model) => embeddings.leadWeightOf(model),
    matching: embeddings.matching,
    bodies: embeddings.bodies,
    fields,
    encoder: embeddings.encoder,
    vectors: stored,
    embed: { embedQuery, requireProvider, describe: () => embeddings.describe().vectors },
  };
  return {
    handlers: {
      searchVectors: (input, context) => searchVectors(deps, input, context),
      findSimilar: (input, context) => findSimilar({ ...deps, embeddings }, input, context),
      getVectorStats: async (_input, { identity }) =>
        withFields(await embeddings.readStats(identity, view.isReady), fields),
    },
    view,
    views: [view],
    fields,
    isConfigured: () => embeddings.describe().vectors.enabled,
    embedQuery,
    encoder: embeddings.encoder,
    embedTexts: embeddings.embedTexts,
    searchByVector: (query, signal) => searchByVector(deps, query, signal),
    passagesOf: (queries) => readPassages(sql, queries),
    chunkCount: (collection, ord) => view.indexOf(collection)?.chunkCount(ord) ?? 0,
    modelsOf: (collection) => view.indexOf(collection)?.models() ?? [],
    ...stored,
    ordsOf: (collection, model) => view.indexOf(collection)?.ordsOf(model) ?? new OrdSet(),
    async stop() {
      await view.stop();
      await view.closed();
    },
    registerMetrics(registers) {
      new Gauge({
        name: 'svc_vector_index_ready',
        help: 'Whether the vectors of all collections are loaded for searching.',
        registers,
        collect() {
          this.set(Number(view.isReady));
        },
      });
    },
  };
}

/** Adds what the fields of supplied vectors hold. */
function withFields(stats: GetVectorStatsResponse, search: VectorFieldSearch | undefined): GetVectorStatsResponse {
  const collections = Object.entries(stats.collections).map(([name, counts]) => {
    const fields = search?.statsOf(name) ?? {};
    return [name, Object.keys(fields).length === 0 ? counts : { ...counts, fields }] as const;
  });
  return { ...stats, collections: Object.fromEntries(collections) };
}

type SimilarInput = InputOf<Operations, 'findSimilar'>;

/** Options of vector search that are fixed here: results are documents, and no text is requested. */
const DECIDED = {
  retrievalMode: 'parent',
  windowSize: 1,
  rerank: 'none',
} as const;

/**
 * `POST /v1/similar`: documents by the similarity of their vectors to the mean of those of a stored document, which is
 * left out. Only the scoring occupies a place in the search gate.
 */
async function findSimilar(deps: SearchDeps & SourceDeps, input: SimilarInput,
  bounds: AnswerBounds): Promise<FindSimilarResponse>
{
  const started = performance.now();
  const { key, lang, vectorField, ...wishes } = input;
  const name = { collection: input.collection, key, lang };
  const config = deps.collections.configOf(input.collection);
  const source = vectorField === undefined
    ? await findSourceByKey(deps, name, bounds.signal)
    : await findFieldSource(deps, name, vectorField, config?.vectors);
  const { fields } = source.query;
  const resolved = resolveRequest({
    ...wishes,
    ...DECIDED,
    query: JSON.stringify(['similar', key.toLowerCase(), lang?.toLowerCase(), ...[vectorField ?? []].flat()]),
  }, config);
  const request = fields === undefined ? resolved : { ...resolved, fields, metric: fields[0]!.field.metric };
  const answer = await findNearest(deps, input, request, source.query, bounds, [source.ord]);
  return { ...answer, searchStats: { durationMs: Math.round(performance.now() - started) } };
}
