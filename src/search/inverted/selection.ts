import { Buffers, type InvertedKernel, Select } from '../../kernels/inverted.ts';
import type { SearchOptions, SearchResult } from './contract.ts';
import type { ResultPlace } from './evaluation.ts';

/** Whether the best are all that is wanted, of all documents. */
export function isPlain({ filter, multipliers, collect, scoresOf }: SearchOptions): boolean {
  return filter === undefined && multipliers === undefined && collect !== true && scoresOf === undefined;
}

/** Selects the best of what a query left on level 0, which is empty afterwards; or of a list, if that is all of a plain query. */
export function select(kernel: InvertedKernel, place: ResultPlace, options: SearchOptions): SearchResult {
  const { limit, filter, multipliers, collect } = options;
  if (typeof place === 'object') {
    const total = ('list' in place ? kernel.call.selectFromList(place.list, limit, place.weight) : kernel.call.selectTallied(place.terms, limit, place.all ? 1 : 0)) >>> 0;
    return { hits: kernel.hits(kernel.call.selectedCount()), total };
  }
  const scores = options.scoresOf && lookUp(kernel, options.scoresOf, place);
  const flags = bringInputs(kernel, options);
  const run = place === 'bits' ? kernel.call.selectByBits : kernel.call.selectByScore;
  const total = run(limit, flags, (filter?.length ?? 0) * 32, multipliers?.length ?? 0) >>> 0;
  return { hits: kernel.hits(kernel.call.selectedCount()), total, ...(scores && { scores }), ...(collect === true && { matches: matches(kernel) }) };
}

function lookUp(kernel: InvertedKernel, ordinals: ArrayLike<number>, place: ResultPlace): Float32Array {
  kernel.inputNumbers(ordinals);
  kernel.call.lookUpScores(ordinals.length, place === 'bits' ? 1 : 0);
  return kernel.outputFloats(ordinals.length);
}

function bringInputs(kernel: InvertedKernel, { filter, multipliers, collect }: SearchOptions): number {
  if (filter !== undefined) kernel.write(Buffers.filter, filter);
  if (multipliers !== undefined) kernel.write(Buffers.multipliers, multipliers);
  if (collect === true) kernel.write(Buffers.matches, new Uint32Array(wordsOf(kernel)));
  return (filter ? Select.filtered : 0) | (multipliers ? Select.multiplied : 0) | (collect === true ? Select.collected : 0);
}

function matches(kernel: InvertedKernel): Uint32Array {
  return kernel.numbers(kernel.call.buffer(Buffers.matches), wordsOf(kernel));
}

/** Words of a bitmap of ordinals. */
function wordsOf(kernel: InvertedKernel): number {
  return Math.ceil(kernel.ordinalEnd() / 32);
}
