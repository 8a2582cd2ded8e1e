// The sparse vectors of a collection's documents: the documents with the greatest inner products with a vector. One
// memory holds one collection; `sparse/layout.ts` draws the layout of its bytes.

import { H_TOP } from './columns/layout.ts';
import { openPlaces } from './geo/places.ts';
import { H_DOCUMENTS, H_ORD_END, H_WORK, HEAP } from './sparse/layout.ts';

// (The compiler finds re-exported files only without their extension.)
export { drop, reserve } from './geo/buffers';
export { blockAt, blockCount, holdBlocks } from './sparse/blocks';
export { adoptBlock, spaceForBlock } from './sparse/checkpoint';
export { putVector, removeVector } from './sparse/documents';
export { advance, closeEntries, closeSearch, openSearch } from './sparse/searches';

/** Makes an empty index in a memory that is all zero. */
export function initialize(): void {
  assert(__heap_base <= 0x8000, 'static data reaches into the header');
  store<u32>(H_TOP, <u32>HEAP);
  openPlaces();
}

export function documents(): u32 {
  return load<u32>(H_DOCUMENTS);
}

/** Ordinals are below it. */
export function ordinalEnd(): u32 {
  return load<u32>(H_ORD_END);
}

/** Values and lists that changes have gone through since the last call. */
export function takeWork(): u32 {
  const work = load<u32>(H_WORK);
  store<u32>(H_WORK, 0);
  return work;
}
