import { type AnnAlgorithm, DimensionError, type Metric } from './ann-index.ts';
import type { HeldRows, Run } from './held-rows.ts';
import { type Portion, portionsOf } from './parts.ts';
import { bestOf, scoreHits } from './ranking.ts';
import { type RowHit, searchSegment, type SegmentResult } from './segment-search.ts';
import type { Segment } from './segment.ts';
import type { Algorithm, VectorQuery, VectorResult } from './vector-reader.ts';
import type { VectorSet } from './vector-set.ts';

/** Additional rows of int8 and int4 that are scored in full, because their scan rounds the query. */
const SPARE = 16;

/**
 * Searches the rows of one index, or of several with different documents as if they were in one: all segments at the
 * same time. See `VectorReader.search`.
 */
export async function searchRows(held: readonly HeldRows[], query: VectorQuery): Promise<VectorResult> {
  for (const rows of held) rows.mustBeOpen();
  mustBeFinite(query.vector);
  const sets = setsOf(held, query.vector.length);
  const asked = query.algorithm ?? 'flat';
  const { metric = 'cosine', perDocument = false, oversample } = query;
  const isRounded = sets.some(({ type }) => type !== 'float32');
  const rescoring = isRounded ? query.fullVectors : undefined;
  const k = rescoring === undefined ? query.k + (isRounded ? SPARE : 0) : Math.ceil(query.k * (oversample ?? 1));
  const enough = Math.min(k, (query.enough ?? query.k) + k - query.k);
  const found = await searchFurther(await searchSegments(held, sets, { ...query, metric, k, enough, perDocument }), k,
    perDocument);
  // After compaction has replaced segments, only the new ones know about changes of documents.
  if (found.some(({ hits }) => hits.some(({ segment }) => segment.isRetired))) return searchRows(held, query);
  const best = bestRows(found, k, perDocument);
  const hits = await scoreHits(best, query.vector, metric, rescoring);
  return {
    hits: hits.filter(({ score }) => score >= (query.threshold ?? -Infinity)).slice(0, query.k),
    algorithm: usedAlgorithm(asked, sets, found.map(({ usedStructure }) => usedStructure)),
    scanned: found.reduce((sum, { scanned }) => sum + scanned, 0),
  };
}

/** Scores of the first chunks of documents; see `VectorReader.firstScores`. */
export async function firstScoresOf(held: readonly HeldRows[], ords: readonly number[], vector: Float32Array,
  metric: Metric): Promise<(number | undefined)[]>
{
  for (const rows of held) rows.mustBeOpen();
  const found = held.flatMap((rows) => {
    const segments = rows.segmentsById();
    return ords.flatMap((ord): RowHit[] => {
      const first = rows.firstRowOf(ord, segments);
      return first?.segment.dims === vector.length ? [{ ...first, ord, rank: 0 }] : [];
    });
  });
  const scores = new Map((await scoreHits(found, vector, metric, undefined)).map(({ ord, score }) => [ord, score]));
  return ords.map((ord) => scores.get(ord));
}

/** Throws a RangeError. */
export function mustBeFinite(vector: Float32Array): void {
  for (let i = 0; i < vector.length; i++) {
    if (!Number.isFinite(vector[i]))
      throw new RangeError(`the components of a vector are finite, got ${vector[i]} at ${i}`);
  }
}

/** The sets of a dimension that have live rows. Throws a DimensionError if only others have. */
function setsOf(held: readonly HeldRows[], dims: number): VectorSet[] {
  const sets = held.flatMap((rows) => rows.sets).filter((set) => set.dims === dims && set.liveCount > 0);
  const known = sets.length > 0 ? [] : [...new Set(held.flatMap((rows) => rows.dims))].toSorted((a, b) => a - b);
  if (known.length > 0) throw new DimensionError(dims, known);
  return sets;
}

type SegmentsQuery = VectorQuery & Required<Pick<VectorQuery, 'metric' | 'enough' | 'perDocument'>>;

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
function searchSegments(held: readonly HeldRows[], sets: readonly VectorSet[],
  { vector, metric, algorithm, k, enough, perDocument, filter, oversample, options = {} }: SegmentsQuery
): Promise<Found[]> {
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
function usedAlgorithm(asked: Algorithm, sets: readonly VectorSet[],
  usedStructure: readonly (boolean | undefined)[]): Algorithm
{
  if (sets.length > 0 && sets.every(({ type }) => type !== 'float32'))
    return usedStructure.includes(true) ? asked : 'quantized';
  return asked === 'quantized' || (usedStructure.includes(false) && !usedStructure.includes(true)) ? 'flat' : asked;
}
