import { ServiceError } from '../../../errors/index.ts';
import { unixSeconds } from '../../../lib/clock.ts';
import type { OrdSet } from '../../../lib/ord-set.ts';
import { gathered } from '../../../search/parts/index.ts';
import { type Algorithm, DimensionError, type Rescoring, type VectorQuery,
  type VectorResult } from '../../../search/vector/index.ts';
import type { Collections } from '../../collections/index.ts';
import { fromBlob, type SpaceEmbeddings } from '../../embeddings/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { inPresentIndex, type NearestHit, type NearestResult, NOTHING_NEAR, usableHits } from '../../search/index.ts';
import { COLLECTION_ID } from '../../stored-collections.ts';
import type { VectorFieldSearch, VectorSettings } from '../../vector-fields/index.ts';
import type { NearestQuery, QueryVector } from '../vector-search.ts';
import type { SpaceReader } from '../view/space-vectors.ts';

export interface NearestDeps extends Pick<DocsEnvironment, 'sql' | 'clock'> {
  /** The space in which is searched. */
  readonly space: string;
  /** Undefined for a collection without vectors in the space. Throws `index_loading`. */
  readonly indexOf: (collection: string) => SpaceReader | undefined;
  readonly collections: Pick<Collections, 'configOf'>;
  readonly settings: Pick<VectorSettings, 'defaultAlgorithm'>;
  /**
   * Weight of the first passage in the score of a document, for queries of a model; 0 if only the best passage counts.
   */
  readonly leadWeightOf: (model: QueryVector['model']) => number;
  readonly matching: SpaceEmbeddings['matching'];
  readonly bodies: SpaceEmbeddings['bodies'];
  /** Absent: there are no vectors that clients supply. */
  readonly fields?: VectorFieldSearch | undefined;
}

/**
 * Number of candidates for each result that are scored by their full vectors, if memory holds only codes (decisions
 * section 4.3).
 */
const RESCORED = 3;
const RESCORED_BY_COARSE_CODES = 10;
/** Rows of more bytes are selected by signs: a scan would occupy other threads. */
const SCANNED_BYTES = 16 * 2 ** 20;
const COARSE: ReadonlySet<Algorithm> = new Set<Algorithm>(['sq4', 'bq', 'pq', 'opq']);

/** Maximum number of vectors that one statement reads. */
const STEP = 128;

/** See `VectorSearch.searchByVector`. */
export async function searchByVector(deps: NearestDeps, query: NearestQuery,
  signal?: AbortSignal): Promise<NearestResult>
{
  const { text, model, k, threshold = -Infinity, collection } = query;
  // Bodies in a bucket would have to be fetched.
  const isLocal = deps.collections.configOf(collection)?.storageBackend !== 's3';
  if (text === undefined || model === undefined || !isLocal || leadWeightOf(deps, query) === 0)
    return searchVectors(deps, query, signal);
  const found = await searchVectors(deps, { ...query, k: Math.max(k, MATCHED), threshold: undefined }, signal);
  const hits = await matchTokens(found.hits, (ords) => deps.matching.similarities(text, model, ords));
  return { ...found, hits: hits.filter(({ score }) => score >= threshold).slice(0, k) };
}

/** Finds the nearest by their vectors alone. */
function searchVectors(deps: NearestDeps, query: NearestQuery, signal?: AbortSignal): Promise<NearestResult> {
  const { collection, k, quotable = false } = query;
  return usableHits({
    k,
    search: async (excluded) =>
      await inPresentIndex(() => deps.indexOf(collection), (index) => searchIndex(deps, index, query, excluded)) ??
        NOTHING_NEAR,
    unusable: (ords) => unusableOrds(deps, ords, quotable),
    others: quotable ? () => outdatedOrds(deps, collection) : undefined,
  }, signal);
}

async function searchIndex(deps: NearestDeps, index: SpaceReader, query: NearestQuery,
  excluded: ReadonlySet<number>): Promise<NearestResult>
{
  const comparable = comparableCount(index, query);
  const incomparable = index.documents - comparable;
  if (comparable === 0 && query.model !== undefined) return { hits: [], algorithm: 'flat', incomparable };
  const config = deps.collections.configOf(query.collection);
  const isCoded = config?.quantization === 'int8' || config?.quantization === 'int4';
  const leadWeight = leadWeightOf(deps, query);
  const fromDisk = config?.diskOnlyVectors === true;
  const algorithm = query.algorithm ??
    (isCoded ? 'quantized' : usualAlgorithm(deps, index, leadWeight > 0 && !fromDisk));
  const oversample = query.oversample ??
    (fromDisk ? (COARSE.has(algorithm) ? RESCORED_BY_COARSE_CODES : RESCORED) : undefined);
  const filter = await gathered(() => filterOf(index, query, excluded));
  const wanted: VectorQuery = {
    vector: query.vector,
    k: query.k,
    algorithm,
    metric: query.metric ?? 'cosine',
    perDocument: query.perDocument ?? false,
    threshold: query.threshold,
    oversample,
    filter: filter?.words,
    fullVectors: fromDisk ? fullVectors(deps, query.vector.length) : undefined,
  };
  const { hits, algorithm: used } = await inRange(
    () => (leadWeight > 0 ? searchWithLeads(index, wanted, leadWeight) : index.search(wanted))
  );
  // A model may use int8 by default; then the rows were scanned as they are stored, which is what was requested.
  return {
    hits,
    algorithm: used === 'quantized' && !isCoded && query.algorithm !== 'quantized' ? 'flat' : used,
    incomparable,
  };
}

/**
 * The algorithm if neither the request nor the collection decides. Without a setting, vectors are scanned, which is
 * exact; those of a model whose scores are only a preselection are selected by signs where a scan would take long.
 */
function usualAlgorithm({ settings: { defaultAlgorithm } }: NearestDeps, index: SpaceReader,
  isPreselection: boolean): Algorithm
{
  if (defaultAlgorithm !== 'auto') return defaultAlgorithm;
  return isPreselection && index.rowBytes > SCANNED_BYTES ? 'bq' : 'flat';
}

/** Weight of the first passage; 0 where documents are not scored by several passages. */
function leadWeightOf(deps: NearestDeps, { perDocument, metric = 'cosine', model }: NearestQuery): number {
  return perDocument === true && metric === 'cosine' ? deps.leadWeightOf(model) : 0;
}

function comparableCount(index: SpaceReader, { model, vector }: NearestQuery): number {
  const comparable = index.models().filter((each) =>
    each.dimensions === vector.length
    && (model === undefined || (each.model === model.model && each.variant === model.variant))
  );
  return comparable.reduce((sum, { documents }) => sum + documents, 0);
}

/** Undefined when every document counts. The index itself leaves out vectors of other dimensions. */
function filterOf(index: SpaceReader, { eligible, model, vector }: NearestQuery, excluded: ReadonlySet<number>): OrdSet
  | undefined
{
  const isMixed = model !== undefined &&
    index.models().filter(({ dimensions }) => dimensions === vector.length).length > 1;
  if (!isMixed && excluded.size === 0) return eligible;
  const counting = index.ordsOf(isMixed ? model : undefined);
  if (eligible !== undefined) counting.intersect(eligible);
  for (const ord of excluded) counting.delete(ord);
  return counting;
}

async function inRange(search: () => Promise<VectorResult>): Promise<VectorResult> {
  try {
    return await search();
  } catch (error) {
    if (!(error instanceof DimensionError)) throw error;
    const { known, dims } = error;
    throw new ServiceError('invalid_argument',
      `queryVector must have ${known.join(' or ')} numbers, as the collection's vectors, got ${dims}`, {
      cause: error,
    });
  }
}

/** Reads vectors of a given dimension from the tables, for collections that keep only codes in memory. */
function fullVectors({ sql: { background: queries }, space }: NearestDeps, dimensions: number): Rescoring {
  return async (chunks) => {
    const vectors = new Map<string, Float32Array>();
    for (let i = 0; i < chunks.length; i += STEP) {
      const some = chunks.slice(i, i + STEP);
      const rows = await queries.all<{ ord: number; chunk: number; vector: Uint8Array }>(
        `SELECT ord, chunk, vector FROM vectors WHERE (ord, space, chunk) IN (VALUES ${
          some.map(() => '(?, ?, ?)').join(', ')
        })`,
        some.flatMap(({ ord, chunk }) => [ord, space, chunk]),
      );
      for (const { ord, chunk, vector } of rows) vectors.set(`${ord} ${chunk}`, fromBlob(vector, dimensions));
    }
    return chunks.map(({ ord, chunk }) => vectors.get(`${ord} ${chunk}`));
  };
}

interface UsableDeps extends Pick<DocsEnvironment, 'clock'> {
  readonly bodies: SpaceEmbeddings['bodies'];
}

/**
 * The documents that a search must not return: those that were deleted or have expired, which the index learns a little
 * later, and with `quotable` those that were changed since they were embedded.
 */
async function unusableOrds({ bodies, clock }: UsableDeps, ords: readonly number[],
  quotable: boolean): Promise<ReadonlySet<number>>
{
  const unusable = new Set<number>();
  const now = unixSeconds(clock);
  await bodies.each(ords, (ord, state) => {
    const isUsable = state !== undefined && (state.expiresAt === null || state.expiresAt > now) &&
      (state.isFresh || !quotable);
    if (!isUsable) unusable.add(ord);
  });
  return unusable;
}

/**
 * Every document of a collection that was changed since it was embedded. Reads all of them, so call it only if there
 * are such documents.
 */
async function outdatedOrds({ sql, space }: Pick<NearestDeps, 'sql' | 'space'>, collection: string): Promise<number[]> {
  const rows = await sql.background.all<{ ord: number }>(
    `SELECT e.ord FROM embeddings e JOIN documents d ON d.ord = e.ord
     WHERE e.cid = ${COLLECTION_ID} AND e.space = ? AND NOT (d.crc = e.crc AND d.bytes = e.bytes)`,
    [collection.toLowerCase(), space],
  );
  return rows.map(({ ord }) => ord);
}

/**
 * Number of documents whose leads are scored for each requested one, and its minimum. With more, no set of
 * bench/meaning/ is ranked better.
 */
const OVERSAMPLE = 2;
const LEAST = 100;
/**
 * Number of documents for each requested one, and its minimum, with which an approximate search does not look further.
 */
const ENOUGH = 2;
const LEAST_ENOUGH = 50;

/**
 * The best documents by a weighted sum: their lead, which is the first passage, has the weight `weight`, and their best
 * passage the rest. Hits name the best passage. The sum is never above the score of the best passage, so documents are
 * preselected by that, and leads are scored only for those. A document may be missed if its best passage ranks far
 * behind, although its lead scores high.
 */
export async function searchWithLeads(index: Pick<SpaceReader, 'search' | 'firstScores'>, query: VectorQuery,
  weight: number): Promise<VectorResult>
{
  const { vector, metric = 'cosine', k, threshold = -Infinity } = query;
  const found = await index.search({
    ...query,
    k: Math.max(LEAST, k * OVERSAMPLE),
    enough: Math.max(LEAST_ENOUGH, k * ENOUGH),
  });
  const leads = await index.firstScores(found.hits.map(({ ord }) => ord), vector, metric);
  const blended = found.hits.map((hit, i) => ({
    ...hit,
    score: Math.fround((1 - weight) * hit.score + weight * (leads[i] ?? hit.score)),
  }));
  const hits = blended.filter(({ score }) => score >= threshold).sort((a, b) => b.score - a.score || a.ord - b.ord)
    .slice(0, k);
  return { ...found, hits };
}

/** Number of documents, best first, that are compared with the query token by token. */
export const MATCHED = 40;

/**
 * Reorders the best documents by the mean of their score and their similarity to the query token by token, where that
 * is known. A sum of many tokens is unspecific; the tokens themselves show whether each word of the query, or a similar
 * one, occurs. The further hits keep their order: none of their scores is greater than the least of the best.
 */
export async function matchTokens(hits: readonly NearestHit[],
  similarities: (ords: readonly number[]) => Promise<ReadonlyMap<number, number> | undefined>
): Promise<readonly NearestHit[]> {
  const known = await similarities(hits.slice(0, MATCHED).map(({ ord }) => ord));
  if (known === undefined || known.size === 0) return hits;
  const matched = hits.slice(0, MATCHED).map((hit) => ({
    ...hit,
    score: Math.fround((hit.score + (known.get(hit.ord) ?? hit.score)) / 2),
  })).sort((a, b) => b.score - a.score || a.ord - b.ord);
  const least = matched.at(-1)!.score;
  return [...matched, ...hits.slice(MATCHED).map((hit) => ({ ...hit, score: Math.min(hit.score, least) }))];
}
