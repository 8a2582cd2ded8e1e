// Rows in four bits for each number: the number + 8, that of an even dimension in the low half of a byte.

import { dimensions, pieceCount, tokenCount, vectorsAt } from './layout.ts';

/**
 * Writes the rows of pieces, of which the host has written the packed ones into the second half of their place, from
 * its beginning on: what is read is always ahead of what is written.
 */
export function unpackRows(): void {
  const rows = vectorsAt() + <usize>tokenCount() * dimensions();
  const bytes = <usize>pieceCount() * dimensions();
  const end = rows + bytes;
  const low = i8x16.splat(0x0f);
  const eight = i8x16.splat(8);
  let to = rows;
  for (let from = rows + (bytes >> 1); from < end; from += 16, to += 32) {
    const packed = v128.load(from);
    const even = i8x16.sub(v128.and(packed, low), eight);
    const odd = i8x16.sub(i8x16.shr_u(packed, 4), eight);
    v128.store(to, v128.shuffle<i8>(even, odd, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
    v128.store(to, v128.shuffle<i8>(even, odd, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31), 16);
  }
}
