import { crc32 } from 'node:zlib';

/** Memory for decoded bodies beside their stored forms: the engine keeps a text of ASCII in a byte a character, most others in two. */
const BUDGET_BYTES = 32 * 2 ** 20;

/** Larger bodies are left out: a few would drive everything else away. */
const LARGEST_STORED = 64 * 1024;

interface Entry {
  readonly stored: Uint8Array;
  readonly text: string;
  readonly bytes: number;
}

/**
 * The texts of compressed bodies that were read lately. Decompressing is the larger part of reading a
 * small document, while comparing two stored forms takes next to nothing: entries are found by their
 * checksum and confirmed byte by byte, so that a hit is never wrong and no write has to tell.
 */
export class DecodedBodies {
  readonly #entries = new Map<number, Entry>();
  #bytes = 0;

  get(stored: Uint8Array): string | undefined {
    if (stored.length > LARGEST_STORED) return undefined;
    const checksum = crc32(stored);
    const entry = this.#entries.get(checksum);
    if (entry === undefined || Buffer.compare(entry.stored, stored) !== 0) return undefined;
    // Moved to the end: the first entry is the one used longest ago.
    this.#entries.delete(checksum);
    this.#entries.set(checksum, entry);
    return entry.text;
  }

  set(stored: Uint8Array, text: string): void {
    if (stored.length > LARGEST_STORED) return;
    const checksum = crc32(stored);
    this.#forget(checksum);
    // A copy: the given bytes may be a part of something larger.
    const bytes = stored.length + (Buffer.byteLength(text) === text.length ? text.length : 2 * text.length);
    this.#entries.set(checksum, { stored: Uint8Array.from(stored), text, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= BUDGET_BYTES) break;
      this.#forget(oldest);
    }
  }

  #forget(checksum: number): void {
    const entry = this.#entries.get(checksum);
    if (entry === undefined) return;
    this.#entries.delete(checksum);
    this.#bytes -= entry.bytes;
  }
}
