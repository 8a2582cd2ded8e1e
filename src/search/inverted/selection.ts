import { Buffers, type InvertedKernel, ListInput, Select } from '../../kernels/inverted.ts';
import { BOUND, type SearchOptions, type SearchResult } from './contract.ts';
import type { KnownFilter } from './filters.ts';
import { rerank, RERANKED } from './rerank.ts';
import type { Leave, ResultPlace } from './result-place.ts';

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
