import type { EmbeddedBody } from './encoder/passage-rows.ts';

/** What a document's tokens were read from. */
export type Version = Pick<EmbeddedBody, 'crc' | 'bytes' | 'chunking'>;

/** The tokens of a document's beginning, and the number of those of its first passage, with which they begin. */
export interface DocumentTokens {
  readonly all: Uint16Array;
  readonly lead: number;
}

interface Entry extends Version {
  /** Index of the first token, and the numbers of tokens. */
  readonly at: number;
  readonly length: number;
  readonly lead: number;
}

export interface TokenStoreOptions {
  /** Maximum number of tokens, two bytes each. */
  readonly capacity: number;
}

const TOKEN_BYTES = 2;
/** Number of tokens for which there is memory in the beginning. */
const FIRST_TOKENS = 4096;
/** Approximate bytes of an entry without its tokens. */
const ENTRY_BYTES = 200;

/** Whether two documents have the same tokens. */
export function isSameVersion(a: Version, b: Version): boolean {
  return a.crc === b.crc && a.bytes === b.bytes && a.chunking === b.chunking;
}

/**
 * Tokens of documents in one array, which grows in place up to its capacity: copying it would block for long. Then the oldest documents are replaced: the array is written as a ring,
 * in which documents follow each other in the order of `#entries`. A typed array for each document would take three times the memory.
 */
export class TokenStore {
  readonly #capacity: number;
  readonly #entries = new Map<number, Entry>();
  readonly #tokens: Uint16Array<ArrayBuffer>;
  #next = 0;
  #isFull = false;

  constructor({ capacity }: TokenStoreOptions) {
    this.#capacity = capacity;
    this.#tokens = new Uint16Array(new ArrayBuffer(TOKEN_BYTES * Math.min(FIRST_TOKENS, capacity), { maxByteLength: TOKEN_BYTES * capacity }));
  }

  /** Whether further documents replace others. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Approximate bytes of memory. */
  get bytes(): number {
    return this.#tokens.byteLength + this.#entries.size * ENTRY_BYTES;
  }

  /** The tokens of a version of a document, if they are stored; valid until the next `set`. */
  get(ord: number, version: Version): DocumentTokens | undefined {
    const entry = this.#entries.get(ord);
    if (entry === undefined || !isSameVersion(entry, version)) return undefined;
    const { at, length, lead } = entry;
    return { all: this.#tokens.subarray(at, at + length), lead };
  }

  /** Stores the tokens of a document, unless they exceed the capacity. */
  set(ord: number, { crc, bytes, chunking }: Version, { all, lead }: DocumentTokens): void {
    this.#entries.delete(ord);
    if (all.length > this.#capacity) return;
    // Two documents never begin at the same place, even if one has no tokens.
    const room = Math.max(1, all.length);
    this.#makeRoom(room);
    this.#tokens.set(all, this.#next);
    this.#entries.set(ord, { crc, bytes, chunking, at: this.#next, length: all.length, lead });
    this.#next += room;
  }

  /** Makes `count` tokens from `#next` on available. */
  #makeRoom(count: number): void {
    this.#grow(this.#next + count);
    if (this.#next + count > this.#tokens.length) {
      this.#isFull = true;
      this.#forget(this.#next, this.#tokens.length);
      this.#next = 0;
    }
    if (this.#isFull) this.#forget(this.#next, this.#next + count);
  }

  #grow(count: number): void {
    if (count <= this.#tokens.length || this.#tokens.length === this.#capacity) return;
    this.#tokens.buffer.resize(TOKEN_BYTES * Math.min(this.#capacity, Math.max(count, this.#tokens.length * 2)));
  }

  /** Removes the oldest documents, as long as they begin in a range behind the newest one. */
  #forget(from: number, to: number): void {
    for (const [ord, { at }] of this.#entries) {
      if (at < from || at >= to) return;
      this.#entries.delete(ord);
    }
  }
}
