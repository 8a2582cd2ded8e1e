// Where an evaluation leaves its result, and what it may leave to the selection.

/**
 * A cached list (asm/inverted/lists/list.ts) by its address, with the factor of its impacts; valid until the query
 * ends.
 */
export interface WeightedList {
  readonly list: number;
  readonly weight: number;
}

/** A list that is restricted to some classes. */
export interface ListInClasses extends WeightedList {
  readonly classes: number;
}

/**
 * Lists for a search with a filter: a document matches if it passes the filter and is in any, or in all, of the lists.
 */
export interface FewOf {
  readonly lists: readonly ListInClasses[];
  readonly all: boolean;
}

/** Lists for pruning: a document matches if any of them contains it, and only the best matches are wanted. */
export interface BestOf {
  readonly bestOf: readonly ListInClasses[];
  /** Lower bound of the number of matches. */
  readonly least: number;
}

/**
 * Terms whose frequencies are tallied (asm/inverted/tallying.ts): their number, and whether all of them have to match.
 */
export interface Tallied {
  readonly terms: number;
  readonly all: boolean;
}

/** The matches of an exact phrase of some words, which have no scores yet (asm/inverted/phrase-matches.ts). */
export interface Matched {
  readonly words: number;
}

/**
 * Where the result of a query is: only in the scores of level 0, in its bits and scores, in one list, still in several
 * lists, in tallies, or in the matches of a phrase.
 */
export type ResultPlace = 'scores' | 'bits' | WeightedList | FewOf | BestOf | Tallied | Matched;

/** The work that an evaluation may leave to the selection. */
export interface Leave {
  /**
   * Whether no scores are multiplied or looked up: the documents of a single term may stay in their list, and those
   * with any of several in tallies.
   */
  readonly lone: boolean;
  /** Whether only the best hits and the number of matches are wanted, over all documents. */
  readonly plain: boolean;
  /** Number of documents that pass the filter; if they are few, lists are searched only for these. */
  readonly passing?: number | undefined;
  /**
   * Present if only the best are wanted: returns a lower bound of the matches, or undefined if the lists are too short
   * for one.
   */
  readonly bound?: ((lists: readonly ListInClasses[]) => number | undefined) | undefined;
}
