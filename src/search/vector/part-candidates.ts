import { SegmentMemory } from '../../kernels/vectors.ts';
import { type Metric, METRIC_CODES } from './ann-index.ts';
import type { HeldRows } from './held-rows.ts';
import { type Hit, type Rescoring, scoreRows, Scratch } from './ranking.ts';
import { findRows, type FoundRows, type RowsQuery } from './search-rows.ts';

/** A chunk that was found in some rows, with what decides whether it is among the best of all rows. */
export interface Candidate extends Hit {
  /** See `RowHit`. */
  readonly rank: number;
  /** Whether it is stored as int8 or int4. */
  readonly isCoded: boolean;
}

/** What a part has found; plain data. */
export interface PartCandidates extends Pick<FoundRows, 'scanned' | 'usedStructure'> {
  readonly ords: Uint32Array;
  readonly chunks: Uint32Array;
  readonly scores: Float32Array;
  readonly ranks: Float64Array;
  readonly coded: Uint8Array;
}

/** The best rows of some indexes, scored as they are stored. Throws a VectorIndexClosedError. */
export async function candidatesOf(held: readonly HeldRows[], wanted: RowsQuery): Promise<PartCandidates> {
  const { rows, scanned, usedStructure } = await findRows(held, wanted);
  const found = await scoreRows(rows, wanted.vector, wanted.metric, undefined, (hit, { rank, segment: { type } }) => ({
    ...hit,
    rank,
    isCoded: type !== 'float32',
  }));
  return {
    ords: Uint32Array.from(found, ({ ord }) => ord),
    chunks: Uint32Array.from(found, ({ chunk }) => chunk),
    scores: Float32Array.from(found, ({ score }) => score),
    ranks: Float64Array.from(found, ({ rank }) => rank),
    coded: Uint8Array.from(found, ({ isCoded }) => Number(isCoded)),
    scanned,
    usedStructure: [...new Set(usedStructure)],
  };
}

/** The `k` best candidates of parts with different documents, by rank, as those of the rows of one index. */
export function bestCandidates(found: readonly PartCandidates[], k: number): Candidate[] {
  const all = found.flatMap(({ ords, chunks, scores, ranks, coded }) =>
    Array.from(ords, (ord, i): Candidate => ({
      ord,
      chunk: chunks[i]!,
      score: scores[i]!,
      rank: ranks[i]!,
      isCoded: coded[i] === 1,
    }))
  );
  return all.sort((a, b) => b.rank - a.rank || a.ord - b.ord || a.chunk - b.chunk).slice(0, k);
}

/** Candidates as hits, best first; scored by their full vectors where these are stored as codes and can be loaded. */
export async function hitsOfCandidates(candidates: readonly Candidate[], vector: Float32Array, metric: Metric,
  rescoring: Rescoring | undefined): Promise<Hit[]>
{
  const coded = rescoring === undefined ? [] : candidates.filter(({ isCoded }) => isCoded);
  const vectors = coded.length === 0 ? [] : await rescoring!(coded.map(({ ord, chunk }) => ({ ord, chunk })));
  const full = new Map(coded.map((candidate, i) => [candidate, vectors[i]]));
  const rescored = [...full].filter(([, each]) => each?.length === vector.length) as [Candidate, Float32Array][];
  const scores = new Map(
    exactScores(rescored.map(([, each]) => each), vector, metric).map((score, i) => [rescored[i]![0], score] as const),
  );
  return candidates.map((candidate): Hit => {
    const { ord, chunk, score } = candidate;
    return { ord, chunk, score: scores.get(candidate) ?? score };
  }).sort((a, b) => b.score - a.score || a.ord - b.ord || a.chunk - b.chunk);
}

/** By dimension; they store no vectors permanently. */
const memories = new Map<number, SegmentMemory>();

/** Scores of vectors that are in no segment, as `scoreHits` computes them. */
function exactScores(vectors: readonly Float32Array[], query: Float32Array, metric: Metric): number[] {
  if (vectors.length === 0) return [];
  let memory = memories.get(query.length);
  if (memory === undefined) memories.set(query.length, memory = new SegmentMemory(query.length, 'float32'));
  const scratch = new Scratch(memory);
  try {
    const [at, other] = [scratch.allocate(query.byteLength), scratch.allocate(query.byteLength)];
    memory.f32(at, query.length).set(query);
    return vectors.map((vector) => {
      memory.f32(other, vector.length).set(vector);
      return Math.fround(memory.call.exactScoreOf(at, METRIC_CODES[metric], other));
    });
  } finally {
    scratch.release();
  }
}
