import { Lru } from '../../lib/lru.ts';

/**
 * Bytes of memory for decoded bodies, without their stored forms. V8 keeps ASCII text at one byte per character, and
 * most other text at two.
 */
const BUDGET_BYTES = 32 * 2 ** 20;

/** Larger bodies are not cached: a few of them would evict everything else. */
const LARGEST_STORED = 64 * 1024;

/** A body in the forms that were requested so far, at least one. */
export interface DecodedBody {
  readonly text?: string | undefined;
  readonly utf8?: Buffer | undefined;
}

interface Entry extends DecodedBody {
  readonly stored: Uint8Array;
  readonly bytes: number;
}

/**
 * The recently read compressed bodies. Decompression is the larger part of reading a small document, while comparing
 * two stored forms takes very little time. Entries are found by the checksum of the body, which zstd writes at the end,
 * and confirmed byte by byte: a hit is never wrong, and writes need not invalidate anything.
 */
export class DecodedBodies {
  readonly #entries = new Lru<number, Entry>(BUDGET_BYTES, { sizeOf: ({ bytes }) => bytes });

  /** Bytes of all entries. */
  get bytes(): number {
    return this.#entries.total;
  }

  get(stored: Uint8Array): DecodedBody | undefined {
    if (stored.length > LARGEST_STORED) return undefined;
    const entry = this.#entries.get(checksumOf(stored));
    return entry === undefined || Buffer.compare(entry.stored, stored) !== 0 ? undefined : entry;
  }

  /**
   * Replaces what was cached for the same stored form. The bytes, of which there are `length`, must not be written to
   * afterwards.
   */
  set(stored: Uint8Array, { text, utf8 }: DecodedBody, length: number): void {
    if (stored.length > LARGEST_STORED) return;
    // A copy, because the given bytes may be a part of a larger buffer.
    const bytes = stored.length + (utf8?.length ?? 0) + (text === undefined ? 0 : sizeOf(text, length));
    this.#entries.set(checksumOf(stored), { stored: Uint8Array.from(stored), text, utf8, bytes });
  }
}

/** The last four bytes, which are the checksum. */
function checksumOf(stored: Uint8Array): number {
  const end = stored.length;
  return (stored[end - 1]! << 24) | (stored[end - 2]! << 16) | (stored[end - 3]! << 8) | stored[end - 4]!;
}

/** Bytes of a text in memory, which has `length` bytes as UTF-8. */
function sizeOf(text: string, length: number): number {
  return length === text.length ? text.length : 2 * text.length;
}
