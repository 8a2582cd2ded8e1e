/** One record may have this share of the cache: a few large ones would drive everything else away. */
const LARGEST_SHARE = 1 / 8;

/** The compression records that were put or fetched lately, by the names of their objects: at most so many bytes. */
export class RecordCache {
  readonly #maxBytes: number;
  readonly #records = new Map<string, Uint8Array>();
  #bytes = 0;
  hits = 0;
  misses = 0;

  /** 0 keeps nothing. */
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
    // Moved to the end: the first entry is the one used longest ago.
    this.#records.delete(name);
    this.#records.set(name, record);
    return record;
  }

  set(name: string, record: Uint8Array): void {
    this.#forget(name);
    if (record.length > this.#maxBytes * LARGEST_SHARE) return;
    // A copy: the given bytes may be a part of something larger.
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
