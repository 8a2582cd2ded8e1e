import type { PartName } from '../../kernels/inverted.ts';
import type { KernelBuild } from '../../kernels/load.ts';
import type { ScoringAlgorithm } from './algorithm.ts';
import type { Reranking } from './rerank.ts';
import type { Statistics } from './statistics.ts';

/** Largest ordinal of a document: the index has an array by ordinal. */
export const MAX_ORDINAL = 0x0fff_ffff;
/** Largest number of results of a search. */
export const MAX_RESULTS = 10_000;

export interface IndexOptions {
  /** Selects the debug build, which checks bounds and invariants; for tests. */
  readonly build?: KernelBuild;
  /** Postings that a step of compaction processes before it checks the clock; default 8,000. */
  readonly compactionStep?: number;
  /** Units of text, or tokens, that a step of adding a document processes; default 32,768. */
  readonly additionStep?: number;
  /** Bytes that the index may use, with its buffers; default 4 GiB. */
  readonly maxBytes?: number;
  /**
   * Bytes of these that may be used to remember data between queries; default half the size of the index, at most 128
   * MiB.
   */
  readonly cacheBytes?: number;
  /** Additional bytes for the filters of recent searches; default `roomForFilters`. */
  readonly filterBytes?: number;
  /**
   * Documents from which on an index that is loaded makes the buffers of searches at once, and not at the first search;
   * default 100,000.
   */
  readonly rehearsedFrom?: number;
}

/**
 * `exact`: every match is counted. `bounded`: the total is at least the number of matches or `BOUND`, whichever is
 * smaller. `none`: matches are not counted. With the latter two, a search may skip documents that cannot be among the
 * best.
 */
type Totals = 'exact' | 'bounded' | 'none';

/** Up to this number, a bounded total is at least the number of matches. */
export const BOUND = 1000;

export interface SearchOptions {
  readonly algorithm: ScoringAlgorithm;
  /** Maximum number of hits, 0 to 10,000. */
  readonly limit: number;
  /**
   * A bit for each ordinal that may match (bit o % 32 of word o / 32); ordinals beyond the bitmap may not match. It
   * must not change afterwards: the index recognises it by its identity, and a search with a known bitmap is faster.
   */
  readonly filter?: Uint32Array | undefined;
  /** A factor for the score of each ordinal, not negative; ordinals beyond the array have 1. */
  readonly multipliers?: Float32Array | undefined;
  /** How exactly matches are counted; default `exact`. Other values still count exactly where that costs nothing. */
  readonly totals?: Totals | undefined;
  /** Selects `matches`. */
  readonly collect?: boolean | undefined;
  /** The `matches` of an earlier search, which nobody needs any more: used again if it has the right length. */
  readonly spare?: Uint32Array | undefined;
  /** Reranks the best hits, which raises their scores; each entry names the classes of documents that it applies to. */
  readonly rerank?: readonly Reranking[] | undefined;
  /**
   * Ordinals whose scores are requested, whether they match the filter or not; multipliers and reranking are not
   * applied.
   */
  readonly scoresOf?: ArrayLike<number> | undefined;
  /**
   * What all indexes of a collection together count, if this is one of several: then the terms of the query have their
   * `documents`. Default: what this index counts.
   */
  readonly statistics?: Statistics | undefined;
}

export interface Hit {
  readonly ord: number;
  readonly score: number;
}

export interface SearchResult {
  /**
   * The hits with the best scores; equal scores are in ascending order of ordinals. Scores are computed in 32-bit
   * floating point.
   */
  readonly hits: readonly Hit[];
  /** Number of documents that match the query and the filter. */
  readonly total: number;
  /** Whether there may be more matches than `total`; only if `totals` is not `exact`. */
  readonly isLowerBound?: boolean;
  /** A bit for each ordinal that matches, if selected. */
  readonly matches?: Uint32Array;
  /** For each of `scoresOf`: its score, or -1 if it does not match the query. */
  readonly scores?: Float32Array;
}

export interface IndexStats {
  readonly documents: number;
  /** Deleted documents that still have postings. */
  readonly deleted: number;
  readonly forms: number;
  /** Tokens of live documents. */
  readonly tokens: number;
  /** Bytes of the index itself, by part and in total; and of the memory with all buffers and free pages. */
  readonly bytes: Readonly<Record<PartName, number>> & { readonly total: number; readonly memory: number };
}

/** A document that is added in steps. */
export interface Addition {
  /**
   * Continues for about this many milliseconds; returns whether there is more to do. Searches do not see the document
   * until it is complete.
   */
  step(milliseconds: number, now?: () => number): boolean;
}

/** Throws a RangeError on a limit of a search that is out of range. */
export function checkLimit(limit: number): void {
  if (!(Number.isInteger(limit) && limit >= 0 && limit <= MAX_RESULTS))
    throw new RangeError(`a limit is an integer from 0 to ${MAX_RESULTS}, got ${limit}`);
}

/** Reports that an index has no memory for another document. */
export class IndexFullError extends Error {}
