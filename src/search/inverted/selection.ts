import { Buffers, type InvertedKernel, ListInput, Select } from '../../kernels/inverted.ts';
import { BOUND, type SearchOptions, type SearchResult } from './contract.ts';
import type { KnownFilter } from './filters.ts';
import { rerank, RERANKED } from './rerank.ts';

// Where an evaluation leaves its result, and what it may leave to the selection.

/**
 * A cached list (asm/inverted/lists/list.ts) by its address, with the factor of its impacts; valid until the query
 * ends.
 */
export interface WeightedList {
  readonly list: number;
  readonly weight: number;
}

/** The list of a term, with its number of documents, in all indexes of the collection if that is given. */
export interface TermList extends WeightedList {
  readonly documents: number;
}

/** A list that is restricted to some classes. */
export interface ListInClasses extends TermList {
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
interface Matched {
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

/**
 * Selects the best of the result of a query, on level 0, which is empty afterwards, or in lists. For reranking, it
 * selects at least as many as are reranked.
 */
export function select(kernel: InvertedKernel, place: ResultPlace, options: SearchOptions,
  filter: KnownFilter | undefined): SearchResult
{
  const { multipliers, collect = false, limit } = options;
  const rerankings = limit > 0 ? options.rerank : undefined;
  const scores = options.scoresOf && lookUp(kernel, options.scoresOf, place);
  if (multipliers !== undefined) kernel.write(Buffers.multipliers, multipliers);
  const flags = (filter ? Select.filtered : 0) | (multipliers ? Select.multiplied : 0) |
    (collect ? Select.collected : 0);
  const counted = run(kernel, place, {
    limit: rerankings ? Math.max(limit, RERANKED) : limit,
    flags,
    slot: filter?.slot ?? 0,
    multipliers: multipliers?.length ?? 0,
  }) >>> 0;
  const total = Math.max(counted, kernel.call.selectedCount());
  if (!rerankings || limit > RERANKED) kernel.call.orderSelected(limit);
  if (rerankings) rerank(kernel, rerankings, limit);
  return {
    hits: kernel.hits(Math.min(limit, kernel.call.selectedCount())),
    total,
    ...(isBound(place) && { isLowerBound: true }),
    ...(scores && { scores }),
    ...(collect && { matches: matches(kernel, options.spare) }),
  };
}

function isBound(place: ResultPlace): boolean {
  return typeof place === 'object' && 'bestOf' in place;
}

/**
 * If a search may skip documents, a function that returns a lower bound of the matches, by counting the documents of a
 * single list that pass the filter; the function returns undefined if every list has too few.
 */
export function boundOf(kernel: InvertedKernel,
  { totals = 'exact', collect = false, multipliers, scoresOf }: SearchOptions,
  filter: KnownFilter | undefined): Leave['bound']
{
  if (totals === 'exact' || collect || multipliers !== undefined || scoresOf !== undefined) return undefined;
  if (totals === 'none') return () => 0;
  return (lists) => {
    for (const { list, classes } of lists) {
      if (kernel.call.countPassing(list, filter ? Select.filtered : 0, filter?.slot ?? 0, classes, BOUND) >= BOUND)
        return BOUND;
    }
    return undefined;
  };
}

interface Selection {
  readonly limit: number;
  readonly flags: number;
  readonly slot: number;
  readonly multipliers: number;
}

/** Runs the selection; returns the number of matches. */
function run(kernel: InvertedKernel, place: ResultPlace, { limit, flags, slot, multipliers }: Selection): number {
  const { call } = kernel;
  if (place === 'bits') return call.selectByBits(limit, flags, slot, multipliers);
  if (place === 'scores') return call.selectByScore(limit, flags, slot, multipliers);
  if ('terms' in place) return call.selectTallied(place.terms, limit, place.all ? 1 : 0, flags, slot);
  if ('words' in place) return call.selectPhrase(place.words, limit);
  if ('list' in place) return call.selectFromList(place.list, limit, place.weight, flags, slot);
  if ('bestOf' in place) {
    kernel.inputLists(place.bestOf, ListInput.pruned);
    call.selectPruned(place.bestOf.length, limit, flags, slot);
    return place.least;
  }
  kernel.inputLists(place.lists, ListInput.few);
  return call.selectFew(place.lists.length, limit, flags, slot, multipliers, place.all ? 1 : 0);
}

function lookUp(kernel: InvertedKernel, ordinals: ArrayLike<number>, place: ResultPlace): Float32Array {
  kernel.inputNumbers(ordinals);
  kernel.call.lookUpScores(ordinals.length, place === 'bits' ? 1 : 0);
  return kernel.outputFloats(ordinals.length);
}

/** A bitmap of ordinals. */
function matches(kernel: InvertedKernel, spare: Uint32Array | undefined): Uint32Array {
  return kernel.numbers(kernel.call.buffer(Buffers.matches), Math.ceil(kernel.ordinalEnd() / 32), spare);
}
