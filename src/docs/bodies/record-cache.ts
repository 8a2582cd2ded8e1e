/** Maximum share of the cache for one record: otherwise a few large records would displace all others. */
const LARGEST_SHARE = 1 / 8;

/** Compression records that were stored or read recently, by the names of their objects, up to a number of bytes. */
export class RecordCache {
  readonly #maxBytes: number;
  readonly #records = new Map<string, Uint8Array>();
  #bytes = 0;
  hits = 0;
  misses = 0;

  /** 0 disables the cache. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(name: string): Uint8Array | undefined {
    const record = this.#records.get(name);
    if (record === undefined) {
      this.misses++;
      return undefined;
    }
    this.hits++;
    // Moved to the end, so that the first entry is the least recently used one.
    this.#records.delete(name);
    this.#records.set(name, record);
    return record;
  }

  set(name: string, record: Uint8Array): void {
    this.#forget(name);
    if (record.length > this.#maxBytes * LARGEST_SHARE) return;
    // A copy, because the given bytes may be part of a larger buffer.
    this.#records.set(name, Uint8Array.from(record));
    this.#bytes += record.length;
    for (const oldest of this.#records.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#forget(oldest);
    }
  }

  #forget(name: string): void {
    this.#bytes -= this.#records.get(name)?.length ?? 0;
    this.#records.delete(name);
  }
}
