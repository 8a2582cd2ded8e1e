import { isChosen } from './job.ts';

/** A bitmap of the rows that a filter keeps. */
export function filterOf(count: number, share: number): Uint32Array {
  const words = new Uint32Array(Math.ceil(count / 32));
  for (let row = 0; row < count; row++) if (isChosen(row, share)) words[row >>> 5]! |= 1 << (row & 31);
  return words;
}
