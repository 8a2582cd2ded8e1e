import type { SparseHit, SparseVector } from '../../kernels/sparse.ts';
import { OrdSet } from '../../lib/ord-set.ts';
import type { SparseIndex, SparseQuery, SparseReader } from './sparse-index.ts';

/** What a joined index reads of each part, wherever it is. */
export type SparsePart = SparseIndex | SparseStandIn;

export type SparseStats = ReturnType<SparseReader['stats']>;

/** Reads an index in another process; both throw `Unanswered`, and a VectorIndexClosedError. */
export interface SparseLink {
  summary(): SparseStats;
  /** What `answerSparse` returned there. */
  known<T>(method: 'search' | 'ords', ...args: readonly unknown[]): T;
}

/** A query as plain data. */
interface PlainQuery {
  readonly vector: SparseVector;
  readonly k: number;
  /** Words of the `OrdSet`. */
  readonly eligible: Uint32Array | undefined;
  readonly threshold: number | undefined;
}

interface PlainHits {
  readonly ords: Uint32Array;
  readonly scores: Float64Array;
}

/** Takes the place of an index in another process. Everything throws `Unanswered`, and a VectorIndexClosedError. */
export class SparseStandIn {
  readonly #link: SparseLink;

  constructor(link: SparseLink) {
    this.#link = link;
  }

  stats(): SparseStats {
    return this.#link.summary();
  }

  ords(): OrdSet {
    return OrdSet.fromWords(this.#link.known('ords'));
  }

  search({ vector: { indices, values }, k, eligible, threshold }: SparseQuery): readonly SparseHit[] {
    const query: PlainQuery = { vector: { indices, values }, k, eligible: eligible?.words, threshold };
    const { ords, scores } = this.#link.known<PlainHits>('search', query);
    return Array.from(ords, (ord, i) => ({ ord, score: scores[i]! }));
  }
}

/**
 * Answers a stand-in's question about an index; undefined is one without documents. Rejects with a
 * VectorIndexClosedError (see `orClosed`), or with a RangeError for a method that there is not.
 */
export async function answerSparse(index: SparseIndex | undefined, method: string,
  args: readonly unknown[]): Promise<unknown>
{
  if (method === 'ords') return OrdSet.of(index?.ords() ?? []).words;
  if (method !== 'search') throw new RangeError(`an index of sparse vectors has no method ${method}`);
  const { eligible, ...query } = args[0] as PlainQuery;
  const hits = await index?.search({ ...query, eligible: eligible && OrdSet.fromWords(eligible) }) ?? [];
  return {
    ords: Uint32Array.from(hits, ({ ord }) => ord),
    scores: Float64Array.from(hits, ({ score }) => score),
  } satisfies PlainHits;
}
