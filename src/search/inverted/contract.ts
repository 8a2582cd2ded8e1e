import type { PartName } from '../../kernels/inverted.ts';
import type { KernelBuild } from '../../kernels/load.ts';
import type { ScoringAlgorithm } from './algorithm.ts';
import type { Reranking } from './rerank.ts';

/** Largest ordinal of a document: the index has an array of them. */
export const MAX_ORDINAL = 0x0fff_ffff;
/** Most results of a search. */
export const MAX_RESULTS = 10_000;

export interface IndexOptions {
  /** The debug build checks bounds and invariants; for tests. */
  readonly build?: KernelBuild;
  /** Postings that a step of compaction looks at, between which it looks at the clock; 8,000 unless said. */
  readonly compactionStep?: number;
  /** Units of text, and tokens, that a step of adding a document takes; 32,768 unless said. */
  readonly additionStep?: number;
  /** Bytes that the index may take, with its buffers; 4 GiB unless said. */
  readonly maxBytes?: number;
  /** Bytes of them that what is remembered between queries may take: half of what the index has, and 128 MiB at most unless said. */
  readonly rememberedBytes?: number;
  /** Bytes that the filters of recent searches may take beside it; 8 MiB unless said. */
  readonly filterBytes?: number;
}

/**
 * `exact`: every match is counted. `bounded`: at least as many as there are, or `BOUND`, if that is less. `none`: not at all. The latter
 * two let a search leave out documents that cannot be among the best.
 */
export type Totals = 'exact' | 'bounded' | 'none';

/** Matches that a bounded total counts at least. */
export const BOUND = 1000;

export interface SearchOptions {
  readonly algorithm: ScoringAlgorithm;
  /** How many of the best to give, 0 to 10,000. */
  readonly limit: number;
  /**
   * A bit for each ordinal that may match (bit o % 32 of word o / 32); ordinals beyond it may not. It must not change afterwards: the
   * index knows it again by its identity, and a search with one that it has is quicker.
   */
  readonly filter?: Uint32Array | undefined;
  /** A factor for the score of each ordinal, not negative; ordinals beyond it have 1. */
  readonly multipliers?: Float32Array | undefined;
  /** How exactly matches are counted; exactly unless said, and wherever that costs nothing. */
  readonly totals?: Totals | undefined;
  /** Asks for `matches`. */
  readonly collect?: boolean | undefined;
  /** The best are put into a better order, which makes their scores larger: for documents of the classes that each names. */
  readonly rerank?: readonly Reranking[] | undefined;
  /** Ordinals whose scores are asked for, matching the filter or not; without multipliers, and not reranked. */
  readonly scoresOf?: ArrayLike<number> | undefined;
}

export interface Hit {
  readonly ord: number;
  readonly score: number;
}

export interface SearchResult {
  /** The best, by score and then by ordinal, ascending. Scores are computed in 32-bit floating point. */
  readonly hits: readonly Hit[];
  /** Documents that match the query and the filter. */
  readonly total: number;
  /** Whether there may be more than `total` says; with other `totals` than exact. */
  readonly isLowerBound?: boolean;
  /** A bit for each ordinal that matches; when asked for. */
  readonly matches?: Uint32Array;
  /** For each of `scoresOf`: its score, or -1 when it does not match the query; when asked for. */
  readonly scores?: Float32Array;
}

export interface IndexStats {
  readonly documents: number;
  /** Deleted documents that still have postings. */
  readonly deleted: number;
  readonly forms: number;
  /** Tokens of live documents. */
  readonly tokens: number;
  /** Bytes that the index itself takes, by part and in all; and the memory with all buffers and free pages. */
  readonly bytes: Readonly<Record<PartName, number>> & { readonly total: number; readonly memory: number };
}

/** A document that is being added, in steps. */
export interface Addition {
  /** Goes on for about so many milliseconds; gives whether there is more to do. Searches see nothing of the document before it is done. */
  step(milliseconds: number, now?: () => number): boolean;
}

/** Says that an index has no room for another document. */
export class IndexFullError extends Error {}
