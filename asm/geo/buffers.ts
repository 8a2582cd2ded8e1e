// Buffers that grow, and that keep their address between calls of the host: address and bytes, 8 bytes each.

import { allocate, release, roomFor } from '../columns/memory.ts';
import { H_BUFFERS, PART_BUFFERS } from './layout.ts';

/** Points to store: (u32 ord, u32 -, f64 lat, f64 lng) each. */
export const B_INPUT: u32 = 0;
/** Bitmap of ordinals that a query may find. */
export const B_FILTER: u32 = 1;
/** Results of a query: 16 bytes each. */
export const B_FOUND: u32 = 2;
/** Working memory of splits, of walks, and of counts by cell. */
export const B_SPLIT: u32 = 3;
export const B_ORDER: u32 = 4;
export const B_CELLS: u32 = 5;
export const BUFFERS: u32 = 6;

export function buffer(number: u32): usize {
  return load<u32>(H_BUFFERS + (<usize>number << 3));
}

export function bufferBytes(number: u32): u32 {
  return load<u32>(H_BUFFERS + (<usize>number << 3), 4);
}

/** Makes space for `bytes` bytes. The content of the buffer is lost if it has to move. Returns its address. */
export function reserve(number: u32, bytes: u32): usize {
  const entry = H_BUFFERS + (<usize>number << 3);
  if (load<u32>(entry, 4) >= bytes) return load<u32>(entry);
  drop(number);
  const room = roomFor(bytes);
  store<u32>(entry, <u32>allocate(room, PART_BUFFERS));
  store<u32>(entry, room, 4);
  return load<u32>(entry);
}

/** The same, and keeps the first `used` bytes. */
export function extend(number: u32, bytes: u32, used: u32): usize {
  const entry = H_BUFFERS + (<usize>number << 3);
  const at = <usize>load<u32>(entry);
  const had = load<u32>(entry, 4);
  if (had >= bytes) return at;
  const room = roomFor(max(bytes, had + (had >> 1)));
  const moved = allocate(room, PART_BUFFERS);
  memory.copy(moved, at, used);
  release(at, had, PART_BUFFERS);
  store<u32>(entry, <u32>moved);
  store<u32>(entry, room, 4);
  return moved;
}

/** Frees the memory of a buffer. */
export function drop(number: u32): void {
  const entry = H_BUFFERS + (<usize>number << 3);
  release(load<u32>(entry), load<u32>(entry, 4), PART_BUFFERS);
  store<u64>(entry, 0);
}
