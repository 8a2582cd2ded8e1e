import type { StoredType } from '../../kernels/vectors.ts';
import { type AnnAlgorithm, DimensionError, type Metric } from './ann-index.ts';
import { dimensionsOf, type HeldRows, type Run } from './held-rows.ts';
import { type Portion, portionsOf } from './parts.ts';
import { bestOf, type Hit, type Rescoring, scoreHits } from './ranking.ts';
import { type RowHit, searchSegment, type SegmentResult } from './segment-search.ts';
import type { Segment } from './segment.ts';
import type { Algorithm, VectorQuery, VectorResult } from './vector-reader.ts';

/** Additional rows of int8 and int4 that are scored in full, because their scan rounds the query. */
const SPARE = 16;

/** Live rows of one dimension and stored type. */
export interface RowKind {
  readonly dims: number;
  readonly type: StoredType;
}

/** What a search looks for in rows: candidates, the best of which become its results. Plain data. */
export interface RowsQuery extends Omit<VectorQuery, 'threshold' | 'fullVectors'> {
  readonly metric: Metric;
  readonly enough: number;
  readonly perDocument: boolean;
}

/** How a search is done that knows what kinds of rows there are. */
export interface Plan {
  readonly wanted: RowsQuery;
  /** Kinds of the query's dimension. */
  readonly kinds: readonly RowKind[];
  /** How candidates are scored by their full vectors; undefined if they are scored as they are stored. */
  readonly rescoring: Rescoring | undefined;
}

/** What was found in rows. */
export interface FoundRows {
  /** The `k` best, each document once if required. */
  readonly rows: readonly RowHit[];
  /** Number of rows compared. */
  readonly scanned: number;
  /** By segment; see `SegmentResult`. */
  readonly usedStructure: readonly (boolean | undefined)[];
}

/**
 * Searches the rows of one index, or of several with different documents as if they were in one: all segments at the
 * same time. See `VectorReader.search`.
 */
export async function searchRows(held: readonly HeldRows[], query: VectorQuery): Promise<VectorResult> {
  for (const rows of held) rows.mustBeOpen();
  const plan = planOf(query, held.flatMap(({ kinds }) => kinds));
  const found = await findRows(held, plan.wanted);
  const hits = await scoreHits(found.rows, query.vector, plan.wanted.metric, plan.rescoring);
  return resultOf(query, plan, hits, [found]);
}

/** Throws a RangeError, and a DimensionError if there are rows, but none of the query's dimension. */
export function planOf(query: VectorQuery, all: readonly RowKind[]): Plan {
  mustBeFinite(query.vector);
  const dims = query.vector.length;
  const kinds = all.filter((kind) => kind.dims === dims);
  if (kinds.length === 0 && all.length > 0)
    throw new DimensionError(dims, dimensionsOf(all));
  const { vector, metric = 'cosine', perDocument = false, algorithm, filter, oversample, options, fullVectors } = query;
  const isRounded = kinds.some(({ type }) => type !== 'float32');
  const rescoring = isRounded ? fullVectors : undefined;
  const k = rescoring === undefined ? query.k + (isRounded ? SPARE : 0) : Math.ceil(query.k * (oversample ?? 1));
  const enough = Math.min(k, (query.enough ?? query.k) + k - query.k);
  const wanted = { vector, metric, algorithm, k, enough, perDocument, filter, oversample, options };
  return { wanted, kinds, rescoring };
}

/** The best rows of some indexes. Throws a VectorIndexClosedError. */
export async function findRows(held: readonly HeldRows[], wanted: RowsQuery): Promise<FoundRows> {
  for (const rows of held) rows.mustBeOpen();
  const { k, perDocument } = wanted;
  const found = await searchFurther(await searchSegments(held, wanted), k, perDocument);
  // After compaction has replaced segments, only the new ones know about changes of documents.
  if (found.some(({ hits }) => hits.some(({ segment }) => segment.isRetired))) return findRows(held, wanted);
  return {
    rows: bestRows(found, k, perDocument),
    scanned: found.reduce((sum, { scanned }) => sum + scanned, 0),
    usedStructure: found.map(({ usedStructure }) => usedStructure),
  };
}

/** The result of a search, of its hits in order and of what was found in all rows. */
export function resultOf({ algorithm = 'flat', threshold = -Infinity, k }: VectorQuery, { kinds }: Plan,
  hits: readonly Hit[], found: readonly Pick<FoundRows, 'scanned' | 'usedStructure'>[]): VectorResult
{
  return {
    hits: hits.filter(({ score }) => score >= threshold).slice(0, k),
    algorithm: usedAlgorithm(algorithm, kinds, found.flatMap(({ usedStructure }) => usedStructure)),
    scanned: found.reduce((sum, { scanned }) => sum + scanned, 0),
  };
}

/** Throws a RangeError. */
export function mustBeFinite(vector: Float32Array): void {
  for (let i = 0; i < vector.length; i++) {
    if (!Number.isFinite(vector[i]))
      throw new RangeError(`the components of a vector are finite, got ${vector[i]} at ${i}`);
  }
}

/** A segment's result, and the search for more than the share of the results that was expected there. */
interface Found extends SegmentResult {
  further(): Promise<Found>;
}

/** The k best; the hits of a single segment are already in order, and contain each document once if required. */
function bestRows(found: readonly Found[], k: number, perDocument: boolean): readonly RowHit[] {
  return found.length === 1 ? found[0]!.hits : bestOf(found.flatMap(({ hits }) => hits), k, perDocument);
}

/** Searches segments again whose structures looked for fewer than `k`, if all that they found is among the best. */
async function searchFurther(found: readonly Found[], k: number, perDocument: boolean): Promise<readonly Found[]> {
  if (!found.some(({ isCut }) => isCut)) return found;
  const best = Map.groupBy(bestRows(found, k, perDocument), ({ segment }) => segment);
  return Promise.all(
    found.map((each) =>
      each.isCut && best.get(each.hits[0]!.segment)?.length === each.hits.length ? each.further() : each
    ),
  );
}

/** Searches all segments, the greatest first, so that workers begin before this thread reads the small ones. */
function searchSegments(held: readonly HeldRows[],
  { vector, metric, algorithm, k, enough, perDocument, filter, oversample, options = {} }: RowsQuery): Promise<Found[]>
{
  const sets = held.flatMap((rows) => rows.sets).filter((set) => set.dims === vector.length && set.liveCount > 0);
  const runs = filter && runsOf(held, filter);
  const structure: AnnAlgorithm | undefined = algorithm === 'flat' || algorithm === 'quantized' ? undefined : algorithm;
  const search = async (segment: Segment, portion: Portion): Promise<Found> => {
    const result = await searchSegment(segment, {
      vector,
      metric,
      algorithm: structure,
      k,
      enough,
      perDocument,
      filter,
      runs: runs?.filter((run) => run.segment === segment),
      oversample,
      options,
      portion,
    });
    return { ...result, further: () => search(segment, { ...portion, expected: 1 }) };
  };
  const portions = portionsOf(sets.flatMap(({ segments }) => segments));
  return Promise.all(portions.map(({ segment, portion }) => search(segment, portion)));
}

/** The rows of the documents of a filter; undefined if it has many. */
function runsOf(held: readonly HeldRows[], filter: Uint32Array): Run[] | undefined {
  const ords = fewOrdsOf(filter, Math.max(...held.map(({ fewDocuments }) => fewDocuments)));
  return ords && held.flatMap((rows) => {
    const segments = rows.segmentsById();
    return ords.map((ord) => rows.runOf(ord, segments)).filter((run) => run !== undefined);
  });
}

/** The documents of a filter; undefined if there are more than `most`. */
function fewOrdsOf(filter: Uint32Array, most: number): number[] | undefined {
  const ords: number[] = [];
  for (let at = 0; at < filter.length; at++) {
    for (let left = filter[at]!; left !== 0; left &= left - 1) {
      if (ords.length === most) return undefined;
      ords.push(at * 32 + 31 - Math.clz32(left & -left));
    }
  }
  return ords;
}

/**
 * The algorithm to report: the requested one if any segment used its structure, `flat` if rows were scanned instead.
 */
function usedAlgorithm(asked: Algorithm, kinds: readonly RowKind[],
  usedStructure: readonly (boolean | undefined)[]): Algorithm
{
  if (kinds.length > 0 && kinds.every(({ type }) => type !== 'float32'))
    return usedStructure.includes(true) ? asked : 'quantized';
  return asked === 'quantized' || (usedStructure.includes(false) && !usedStructure.includes(true)) ? 'flat' : asked;
}
