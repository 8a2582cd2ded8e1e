import { OrdSet } from '../../lib/ord-set.ts';

/** Words of a block: 1,024 ordinals, which belong to one part. */
const BLOCK = 32;
const BITS = 32;

/** A set of ordinals as it is sent: only its blocks that are not empty, because most blocks belong to other parts. */
export interface PackedSet {
  /** Numbers of the blocks, ascending. */
  readonly blocks: Uint32Array;
  /** The 32 words of each. */
  readonly words: Uint32Array;
}

/** Whether a document belongs to a part; the same for all ordinals of a block. */
export type Holds = (ord: number) => boolean;

/** Packs those documents of a set that belong to a part. */
export function packSet({ words }: OrdSet, holds: Holds = () => true): PackedSet {
  const blocks: number[] = [];
  for (let at = 0; at < words.length; at += BLOCK)
    if (isFilled(words, at) && holds(at * BITS)) blocks.push(at / BLOCK);
  const packed = new Uint32Array(blocks.length * BLOCK);
  for (const [i, block] of blocks.entries()) packed.set(words.subarray(block * BLOCK, (block + 1) * BLOCK), i * BLOCK);
  return { blocks: Uint32Array.from(blocks), words: packed };
}

export function unpackSet({ blocks, words }: PackedSet): OrdSet {
  const all = new Uint32Array(((blocks.at(-1) ?? -1) + 1) * BLOCK);
  for (const [i, block] of blocks.entries()) all.set(words.subarray(i * BLOCK, (i + 1) * BLOCK), block * BLOCK);
  return OrdSet.fromWords(all);
}

function isFilled(words: Uint32Array, from: number): boolean {
  const end = Math.min(from + BLOCK, words.length);
  for (let i = from; i < end; i++) if (words[i] !== 0) return true;
  return false;
}
