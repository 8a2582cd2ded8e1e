// Where an evaluation leaves its result, and what it may leave to the selection: what the two agree on.

/** A remembered list (asm/inverted/lists/list.ts) by its address, with the factor of its impacts; good until the query ends. */
export interface WeightedList {
  readonly list: number;
  readonly weight: number;
}

/** A list that counts in some classes. */
export interface ListInClasses extends WeightedList {
  readonly classes: number;
}

/** Lists whose documents match if they pass the filter, in any of them or in all. */
export interface FewOf {
  readonly lists: readonly ListInClasses[];
  readonly all: boolean;
}

/** Lists of any of whose documents the best alone are wanted. */
export interface BestOf {
  readonly bestOf: readonly ListInClasses[];
  /** Matches, at least. */
  readonly least: number;
}

/** Terms whose frequencies are tallied (asm/inverted/tallies.ts): their number, and whether all of them have to match. */
export interface Tallied {
  readonly terms: number;
  readonly all: boolean;
}

/** Where a query's result lies: in the scores of level 0 alone, in its bits and scores, in a list, still in several, or in tallies. */
export type ResultPlace = 'scores' | 'bits' | WeightedList | FewOf | BestOf | Tallied;

/** What a search lets an evaluation leave to the selection. */
export interface Leave {
  /** The documents of a lone term may stay where they are. */
  readonly lone: boolean;
  /** Whether nothing but the best and their number is wanted, of all documents. */
  readonly plain: boolean;
  /** Documents that pass the filter; when they are few, lists are searched for them alone. */
  readonly passing?: number | undefined;
  /** Given when the best alone are wanted: counts a list's matches up to a bound, and returns undefined where that is too few for the lists. */
  readonly bound?: ((lists: readonly ListInClasses[]) => number | undefined) | undefined;
}
