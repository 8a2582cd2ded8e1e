import { OrdSet } from '../../lib/ord-set.ts';
import type { Metric } from './ann-index.ts';
import { dimensionsOf } from './held-rows.ts';
import { candidatesOf, type PartCandidates } from './part-candidates.ts';
import type { RowKind, RowsQuery } from './search-rows.ts';
import type { VectorIndex } from './vector-index.ts';
import type { StoredPassage, VectorReader, VectorStats } from './vector-reader.ts';

/** What a joined index reads of each part, wherever it is. */
export type VectorPart = VectorIndex | VectorStandIn;

/** What is asked of an index at first; plain data. */
export interface VectorSummary {
  /** Those of live rows. */
  readonly kinds: readonly RowKind[];
  readonly rowBytes: number;
  readonly stats: VectorStats;
}

/** Reads an index in another process; both throw `Unanswered`, and a VectorIndexClosedError. */
export interface VectorLink {
  summary(): VectorSummary;
  /** What `answerVectors` returned there. */
  known<T>(method: VectorMethod, ...args: readonly unknown[]): T;
}

/** Takes the place of an index in another process. Everything throws `Unanswered`, and a VectorIndexClosedError. */
export class VectorStandIn implements Omit<VectorReader, 'search' | 'firstScores' | 'bestScores' | 'settled'> {
  readonly #link: VectorLink;

  constructor(link: VectorLink) {
    this.#link = link;
  }

  get kinds(): readonly RowKind[] {
    return this.#link.summary().kinds;
  }

  get dims(): readonly number[] {
    return dimensionsOf(this.kinds);
  }

  get documentCount(): number {
    return this.stats().documents;
  }

  get rowBytes(): number {
    return this.#link.summary().rowBytes;
  }

  stats(): VectorStats {
    return this.#link.summary().stats;
  }

  ords(): OrdSet {
    return OrdSet.fromWords(this.#link.known('ords'));
  }

  candidates(wanted: RowsQuery): PartCandidates {
    return this.#link.known('candidates', wanted);
  }

  scores(method: 'firstScores' | 'bestScores', ords: readonly number[], vector: Float32Array,
    metric: Metric): (number | undefined)[]
  {
    return this.#link.known(method, ords, vector, metric);
  }

  chunkCounts(ords: readonly number[]): number[] {
    return this.#link.known('chunkCounts', ords);
  }

  passageVectors(passages: readonly StoredPassage[]): (Float32Array | undefined)[] {
    return this.#link.known('passageVectors', passages);
  }

  settled(): void {
    this.#link.known('settled');
  }
}

export type VectorMethod = keyof typeof ANSWERS;

/** What is done in the process of the index. */
const ANSWERS = {
  ords: (index: VectorIndex): unknown => OrdSet.of(index.ords()).words,
  candidates: (index: VectorIndex, wanted: unknown): unknown => candidatesOf([index.held], wanted as RowsQuery),
  firstScores: (index: VectorIndex, ...args: readonly unknown[]): unknown =>
    index.firstScores(...args as Parameters<VectorIndex['firstScores']>),
  bestScores: (index: VectorIndex, ...args: readonly unknown[]): unknown =>
    index.bestScores(...args as Parameters<VectorIndex['bestScores']>),
  chunkCounts: (index: VectorIndex, ords: unknown): unknown => index.chunkCounts(ords as number[]),
  passageVectors: (index: VectorIndex, passages: unknown): unknown => index.passageVectors(passages as StoredPassage[]),
  settled: (index: VectorIndex): unknown => index.settled(),
};

/**
 * Answers a stand-in's question, or rejects with a VectorIndexClosedError (see `orClosed`), or with a RangeError for a
 * method that there is not.
 */
export async function answerVectors(index: VectorIndex, method: string, args: readonly unknown[]): Promise<unknown> {
  if (!Object.hasOwn(ANSWERS, method)) throw new RangeError(`an index of vectors has no method ${method}`);
  return ANSWERS[method as VectorMethod](index, ...args as [unknown]);
}

/** Throws a VectorIndexClosedError: a closed index has no rows, but is not empty. */
export function summaryOfVectors(index: VectorIndex): VectorSummary {
  index.held.mustBeOpen();
  const stats = index.stats();
  return {
    kinds: index.held.kinds.map(({ dims, type }) => ({ dims, type })),
    rowBytes: index.rowBytes,
    stats: { ...stats, sets: stats.sets.map((set) => ({ ...set, structures: set.structures.map(withText) })) },
  };
}

/** Why a structure failed may be anything, also what cannot be passed. */
function withText({ failure, ...state }: VectorStats['sets'][number]['structures'][number]) {
  return failure === undefined ? state : { ...state, failure: String(failure) };
}
