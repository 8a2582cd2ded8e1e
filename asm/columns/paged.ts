// Arrays that grow without being moved: a directory of pages. The first page grows by doubling until it is as large as
// the others, so that short arrays stay small.
//
//     struct: u32 directory   u32 its capacity in pages   u32 capacity of the first page in entries

import { allocateZeroed, resize } from './memory.ts';

export const PAGED_BYTES: usize = 12;
const FIRST_ENTRIES: u32 = 4;

/** Address of an entry; a page has 1 << shift entries. */
export function entryAt(array: usize, index: u32, shift: u32, size: u32): usize {
  return <usize>load<u32>(<usize>load<u32>(array) + (<usize>(index >> shift) << 2)) +
    (index & ((1 << shift) - 1)) * size;
}

/** Makes space for an entry behind all others; new entries are zero. */
export function makeRoom(array: usize, index: u32, shift: u32, size: u32, part: u32): void {
  const page = index >> shift;
  if (page >= load<u32>(array, 4)) growDirectory(array, part);
  const place = <usize>load<u32>(array) + (<usize>page << 2);
  if (page > 0) {
    if (load<u32>(place) === 0) store<u32>(place, <u32>allocateZeroed(size << shift, part));
    return;
  }
  const room = load<u32>(array, 8);
  if (index < room) return;
  const wider = room === 0 ? FIRST_ENTRIES : room * 2;
  store<u32>(place, <u32>resize(load<u32>(place), room * size, wider * size, part));
  store<u32>(array, wider, 8);
}

function growDirectory(array: usize, part: u32): void {
  const room = load<u32>(array, 4);
  const wider = room === 0 ? 2 : room * 2;
  store<u32>(array, <u32>resize(load<u32>(array), room << 2, wider << 2, part));
  store<u32>(array, wider, 4);
}
