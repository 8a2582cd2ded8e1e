import { Gauge, type Registry } from 'prom-client';
import type { Operations } from '../../../generated/docs/operations.ts';
import type { FindSimilarResponse, GetVectorStatsResponse,
  VectorFieldStats } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Timer } from '../../lib/clock.ts';
import type { OrdSet } from '../../lib/ord-set.ts';
import type { AnswerBounds, Handlers, InputOf } from '../../operations/index.ts';
import { gathered, readBoth, readEach } from '../../search/parts/index.ts';
import type { VectorIndexOptions } from '../../search/vector/index.ts';
import { type Collections, isSupplied } from '../collections/index.ts';
import type { Embeddings, FieldStates, SpaceEmbeddings } from '../embeddings/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import type { SearchGate } from '../search-gate.ts';
import type { StoredVectors } from '../search/index.ts';
import type { FieldQuery, VectorFieldSearch, VectorWorkers } from '../vector-fields/index.ts';
import { type ServedView, viewOptions } from '../view/index.ts';
import { findFieldSource, findSourceByKey, type SourceDeps } from './cross-search/source-document.ts';
import { resolveRequest, type SearchRequest } from './search/request.ts';
import { searchByVector } from './search/search-by-vector.ts';
import { findNearest, type SearchDeps, searchVectors } from './search/search-vectors.ts';
import { readPassages } from './search/vectors-retriever.ts';
import type { VectorSearch } from './vector-search.ts';
import type { SpaceReader } from './view/space-vectors.ts';
import { CHECKPOINT_MAGIC, VectorView } from './view/vector-view.ts';

type VectorHandlers = Required<Pick<Handlers<Operations>, 'searchVectors' | 'findSimilar' | 'getVectorStats'>>;

/** Vector search, and the indexes that it needs. As stored vectors, those of the default fields of collections. */
export interface Vectors extends StoredVectors {
  readonly handlers: VectorHandlers;
  /**
   * Searches of a collection in the space of a field, otherwise of its default one. Throws `invalid_argument` for a
   * field that is not declared.
   */
  of(collection: string, field?: string): VectorSearch;
  readonly view: ServedView;
  readonly views: readonly Pick<VectorView, 'start' | 'restart'>[];
  /** Writes checkpoints; harmless before the start and when repeated. */
  stop(): Promise<void>;
  registerMetrics(registers: Registry[]): void;
}

export interface VectorsAreas {
  /** Called at each search, so it must return from memory. */
  readonly collections: Pick<Collections, 'configOf'>;
  readonly embeddings: Pick<Embeddings,
    'of' | 'readStats' | 'countFieldStates' | 'freshVectorsOf' | 'vectorsOfCollection' | 'vectorsOfAllSpaces'>;
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
    ...viewOptions(environment, collections, 'vectors', CHECKPOINT_MAGIC),
    timer,
  });
  const shared = { sql, codec, clock, view, columns, geo, collections, settings, gate, fields };
  const searchIn = (own: SpaceEmbeddings): SpaceSearch => {
    const { space } = own;
    const indexOf = (collection: string) => view.indexOf(collection)?.of(space);
    const requireProvider = (): void => {
      if (!own.describe().enabled) throw new ServiceError('invalid_argument', 'embedding provider not configured');
    };
    const embedQuery: VectorSearch['embedQuery'] = async (text, signal, collection) => {
      const present = collection === undefined ? [] : await gathered(() => indexOf(collection)?.models() ?? []);
      const { vector, isUnknown, ...model } = await own.embedQuery(text, signal, present);
      return { vector, model, text, isUnknown };
    };
    const stored: StoredVectors = {
      documentModels: (collection, ords) => indexOf(collection)?.documentModels(ords) ?? ords.map(() => undefined),
      passageVectors: (collection, passages) =>
        indexOf(collection)?.passageVectors(passages) ?? passages.map(() => undefined),
    };
    const chunkCounts: VectorSearch['chunkCounts'] = (collection, ords) =>
      indexOf(collection)?.chunkCounts(ords) ?? ords.map(() => 0);
    const deps: SearchDeps & SourceDeps = {
      ...shared,
      chunkCounts,
      space,
      indexOf,
      leadWeightOf: (model) => own.leadWeightOf(model),
      matching: own.matching,
      bodies: own.bodies,
      encoder: own.encoder,
      vectors: stored,
      embeddings: own,
      embed: { embedQuery, embedFields, requireProvider, describe: () => own.describe() },
    };
    const search: VectorSearch = {
      space,
      view,
      fields,
      isConfigured: () => own.describe().enabled,
      embedQuery,
      encoder: own.encoder,
      embedTexts: (texts, role, signal) => own.embedTexts(texts, role, signal),
      searchByVector: (query, signal) => searchByVector(deps, query, signal),
      passagesOf: (queries) => readPassages(sql, space, queries),
      chunkCounts,
      modelsOf: (collection) => indexOf(collection)?.models() ?? [],
      ...stored,
    };
    return { deps, search };
  };
  async function embedFields(asked: readonly FieldQuery[],
    { collection, query }: Pick<SearchRequest, 'collection' | 'query'>, signal: AbortSignal): Promise<FieldQuery[]>
  {
    return Promise.all(asked.map(async (each, i) => {
      const { name, field: { embedding } } = each;
      if (embedding === undefined) return each;
      const index = (): SpaceReader | undefined => view.indexOf(collection)?.of(embedding);
      if (each.vectors.length > 0)
        return {
          ...each,
          embedded: { index: () => index()?.index, comparable: () => undefined },
        };
      if (query.trim() === '')
        throw new ServiceError('missing_fields', `missing fields: query, or vectorFields[${i}].vector for ${name}`);
      const { vector, model } = await of(collection, name).embedQuery(query, signal, collection);
      const comparable = (): OrdSet
        | undefined => ((index()?.models().length ?? 0) > 1 ? index()!.ordsOf(model) : undefined);
      return { ...each, vectors: [vector], embedded: { index: () => index()?.index, comparable } };
    }));
  }
  const searches = new WeakMap<SpaceEmbeddings, SpaceSearch>();
  const inSpace = (collection: string, field?: string): SpaceSearch => {
    const own = embeddings.of(collection, field);
    let found = searches.get(own);
    if (found === undefined) searches.set(own, found = searchIn(own));
    return found;
  };
  const providedStats = (states: FieldStates) => (collection: string): Readonly<Record<string, VectorFieldStats>> => {
    if (!view.isReady) return {};
    const declared = Object.entries(collections.configOf(collection)?.vectors ?? {});
    return Object.fromEntries(declared.flatMap(([name, { embedding }]) => {
      if (embedding === undefined) return [];
      const held = view.indexOf(collection)?.of(embedding);
      const { documents = 0, chunks: vectors = 0, bytes = 0 } = held?.index.stats() ?? {};
      const [most] = held?.models() ?? [];
      const waiting = states.get(embedding)?.get(collection) ?? { queued: 0, failed: 0 };
      return [[name, { documents, vectors, bytes, ...waiting, ...(most && { model: most.model }) }]];
    }));
  };
  const of = (collection: string, field?: string): VectorSearch => inSpace(collection, field).search;
  return {
    handlers: {
      searchVectors: (input, context) =>
        searchVectors(inSpace(input.collection, input.vectorField).deps, input, context),
      findSimilar: (input, context) => findSimilar(inSpace(input.collection, input.vectorField).deps, input, context),
      async getVectorStats(_input, { identity }) {
        const stats = await embeddings.readStats(identity, view.isReady);
        const providedOf = providedStats(await embeddings.countFieldStates());
        return gathered(() => withFields(stats, fields, providedOf));
      },
    },
    of,
    documentModels: (collection, ords) => of(collection).documentModels(collection, ords),
    passageVectors: (collection, passages) => of(collection).passageVectors(collection, passages),
    view,
    views: [view],
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

/** What searches in one space need, and what other areas can do with it. */
interface SpaceSearch {
  readonly deps: SearchDeps & SourceDeps;
  readonly search: VectorSearch;
}

/** Adds what the declared fields hold: `providedOf` says it of those of the source provider. */
function withFields(stats: GetVectorStatsResponse, search: VectorFieldSearch | undefined,
  providedOf: (collection: string) => Readonly<Record<string, VectorFieldStats>>): GetVectorStatsResponse
{
  const collections = readEach(Object.entries(stats.collections), ([name, counts]) => {
    const [supplied, provided] = readBoth(() => search?.statsOf(name), () => providedOf(name));
    const fields = { ...supplied, ...provided };
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
  const source = isSupplied(config?.vectors, vectorField)
    ? await findFieldSource(deps, name, vectorField, config?.vectors)
    : await findSourceByKey(deps, name, bounds.signal);
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
