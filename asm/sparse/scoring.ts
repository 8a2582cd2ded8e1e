// Scores of the documents of one block, term at a time: each list of a dimension that the query has is added to the
// scores of its documents. The sum of a document is always in the order of dimensions, so its score does not depend on
// the block that it is in.

import { buffer, reserve } from '../geo/buffers.ts';
import { dataOf, directoryOf, listsOf } from './blocks.ts';
import { B_SCORES, E_START, ENTRY, MAX_DOCS, VALUE } from './layout.ts';

/**
 * The score of a document that has no dimension of the query: -0. No sum is -0, because 0 is added to every product.
 */
export const UNTOUCHED: u32 = 0x8000_0000;

/** Makes the scores UNTOUCHED. They are so again when `takeScores` has read them. */
export function openScores(): void {
  const scores = reserve(B_SCORES, MAX_DOCS * 4);
  for (let at: usize = 0; at < <usize>MAX_DOCS << 2; at += 16) v128.store(scores + at, i32x4.splat(UNTOUCHED));
}

/** Adds the products of a block's documents with the query to the scores. Returns the number of products. */
export function addProducts(block: usize, queryDims: usize, queryValues: usize, count: u32): u32 {
  const data = dataOf(block);
  let products: u32 = 0;
  for (let i: usize = 0; i < count; i++) {
    const entry = entryOf(block, load<u32>(queryDims + (i << 2)));
    if (entry === 0) continue;
    const start = load<u32>(entry, E_START);
    const length = load<u32>(entry, ENTRY + E_START) - start;
    addList(data + start * VALUE, length, load<f32>(queryValues + (i << 2)));
    products += length;
  }
  return products;
}

/**
 * The list of a dimension; 0 if there is none. Where it would be if dimensions were equally far from each other is
 * looked at first (interpolation search; Perl, Itai and Avni, CACM 21, 1978): dimensions of a vocabulary nearly are.
 */
function entryOf(block: usize, dim: u32): usize {
  const directory = directoryOf(block);
  let low: u32 = 0;
  let high = listsOf(block);
  if (high === 0) return 0;
  const first = load<u32>(directory);
  const last = load<u32>(directory + (high - 1) * ENTRY);
  if (dim < first || dim > last) return 0;
  let place = last === first ? 0 : <u32>(<f64>(dim - first) / <f64>(last - first) * <f64>(high - 1));
  for (let step: u32 = 1; low < high; step <<= 1) {
    const entry = directory + place * ENTRY;
    const found = load<u32>(entry);
    if (found === dim) return entry;
    // Steps away from the first place are doubled until the dimension is passed.
    if (found < dim) {
      low = place + 1;
      place = high - low > step << 1 ? place + step : (low + high) >> 1;
    } else {
      high = place;
      place = high - low > step << 1 ? place - step : (low + high) >> 1;
    }
  }
  return 0;
}

/** Adds the products of the values of a list, which begins at an address, with a value of the query. */
function addList(values: usize, length: u32, weight: f32): void {
  const scores = buffer(B_SCORES);
  const end = values + (<usize>length << 2);
  let weights = values;
  let slots = end;
  const factor = f32x4.splat(weight);
  const zero = f32x4.splat(0);
  for (; weights + 16 <= end; weights += 16, slots += 8) {
    const four = load<u64>(slots);
    const products = f32x4.add(f32x4.mul(v128.load(weights), factor), zero);
    add(scores + (<usize>(four & 0xffff) << 2), f32x4.extract_lane(products, 0));
    add(scores + (<usize>(four >> 16 & 0xffff) << 2), f32x4.extract_lane(products, 1));
    add(scores + (<usize>(four >> 32 & 0xffff) << 2), f32x4.extract_lane(products, 2));
    add(scores + (<usize>(four >> 48) << 2), f32x4.extract_lane(products, 3));
  }
  for (; weights < end; weights += 4, slots += 2)
    add(scores + (<usize>load<u16>(slots) << 2), load<f32>(weights) * weight + <f32>0);
}

function add(score: usize, product: f32): void {
  store<f32>(score, load<f32>(score) + product);
}
