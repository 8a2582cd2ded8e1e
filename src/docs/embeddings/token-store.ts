import { crc32 } from 'node:zlib';
import type { EmbeddedBody } from './encoder/passage-rows.ts';

/** What a document's tokens were read from. */
type Version = Pick<EmbeddedBody, 'crc' | 'bytes' | 'chunking'>;

/** The tokens of a document's beginning, and the number of those of its first passage, with which they begin. */
export interface DocumentTokens {
  readonly all: Uint16Array;
  readonly lead: number;
}

interface TokenStoreOptions {
  /** Maximum number of bytes, of tokens and everything beside them. */
  readonly limit: number;
}

const TOKEN_BYTES = 2;
/**
 * Before a document's tokens, in places of the array, two for each: its version (CRC-32 of the body, length, CRC-32 of
 * the chunking), and the numbers of its tokens.
 */
const HEAD = { crc: 0, bytes: 2, chunking: 4, length: 6, lead: 8 } as const;
const HEAD_LENGTH = 10;
/** Approximate bytes of a document in the map, whose table has room for up to twice as many. */
const ENTRY_BYTES = 48;
/** Places by which the array grows at most, so that little of the limit is taken by places without tokens. */
const MOST_GROWTH = 65_536;

/** Whether two documents have the same tokens. */
export function isSameVersion(a: Version, b: Version): boolean {
  return a.crc === b.crc && a.bytes === b.bytes && a.chunking === b.chunking;
}

/**
 * Tokens of documents in one array, which grows in place: copying it would block for long. When it and the map reach
 * the limit, the oldest documents are replaced: the array is written as a ring, in which documents follow each other in
 * the order of `#entries`. An object or a typed array for each document would take three times the memory.
 */
export class TokenStore {
  readonly #limit: number;
  /** Where documents begin. */
  readonly #entries = new Map<number, number>();
  readonly #tokens: Uint16Array<ArrayBuffer>;
  /** The last chunking and its CRC-32: mostly, all documents of a collection have the same. */
  #chunking = { name: '', crc: 0 };
  #next = 0;
  #isFull = false;

  constructor({ limit }: TokenStoreOptions) {
    this.#limit = limit;
    this.#tokens = new Uint16Array(new ArrayBuffer(0, { maxByteLength: limit }));
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
  get(ord: number, { crc, bytes, chunking }: Version): DocumentTokens | undefined {
    const at = this.#entries.get(ord);
    if (at === undefined || this.#read(at + HEAD.crc) !== crc || this.#read(at + HEAD.bytes) !== bytes ||
      this.#read(at + HEAD.chunking) !== this.#crcOf(chunking)) return undefined;
    const first = at + HEAD_LENGTH;
    return {
      all: this.#tokens.subarray(first, first + this.#read(at + HEAD.length)),
      lead: this.#read(at + HEAD.lead),
    };
  }

  /** Stores the tokens of a document, unless they exceed the limit. */
  set(ord: number, { crc, bytes, chunking }: Version, { all, lead }: DocumentTokens): void {
    this.#entries.delete(ord);
    const length = HEAD_LENGTH + all.length;
    if (length * TOKEN_BYTES + ENTRY_BYTES > this.#limit) return;
    this.#makeRoom(length);
    const at = this.#next;
    this.#write(at + HEAD.crc, crc);
    this.#write(at + HEAD.bytes, bytes);
    this.#write(at + HEAD.chunking, this.#crcOf(chunking));
    this.#write(at + HEAD.length, all.length);
    this.#write(at + HEAD.lead, lead);
    this.#tokens.set(all, at + HEAD_LENGTH);
    this.#entries.set(ord, at);
    this.#next += length;
  }

  #crcOf(chunking: string): number {
    if (this.#chunking.name !== chunking) this.#chunking = { name: chunking, crc: crc32(chunking) };
    return this.#chunking.crc;
  }

  #read(at: number): number {
    return (this.#tokens[at]! | (this.#tokens[at + 1]! << 16)) >>> 0;
  }

  #write(at: number, value: number): void {
    this.#tokens[at] = value & 0xffff;
    this.#tokens[at + 1] = value >>> 16;
  }

  /** Makes `count` places from `#next` on available, and an entry. */
  #makeRoom(count: number): void {
    this.#grow(this.#next + count);
    if (this.#next + count > this.#tokens.length) {
      this.#isFull = true;
      this.#forget(this.#next, this.#tokens.length);
      this.#next = 0;
    }
    if (count > this.#tokens.length) {
      this.#entries.clear();
      this.#grow(count);
    }
    if (this.#isFull) this.#forget(this.#next, this.#next + count);
    for (const [ord] of this.#entries) {
      if (this.bytes + ENTRY_BYTES <= this.#limit) return;
      this.#isFull = true;
      this.#entries.delete(ord);
    }
  }

  /** Does nothing if there would be no bytes left for the entries. */
  #grow(count: number): void {
    const length = this.#tokens.length;
    const most = Math.floor((this.#limit - (this.#entries.size + 1) * ENTRY_BYTES) / TOKEN_BYTES);
    if (count <= length || count > most) return;
    this.#tokens.buffer.resize(TOKEN_BYTES * Math.min(most, Math.max(count, length + Math.min(length, MOST_GROWTH))));
  }

  /** Removes the oldest documents, as long as they begin in a range behind the newest one. */
  #forget(from: number, to: number): void {
    for (const [ord, at] of this.#entries) {
      if (at < from || at >= to) return;
      this.#entries.delete(ord);
    }
  }
}
