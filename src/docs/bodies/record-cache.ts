import { Lru } from '../../lib/caches.ts';

/** Maximum share of the cache for one record: otherwise a few large records would displace all others. */
const LARGEST_SHARE = 1 / 8;

/** Compression records that were stored or read recently, by the names of their objects, up to a number of bytes. */
export class RecordCache {
  readonly #records: Lru<string, Uint8Array>;
  hits = 0;
  misses = 0;

  /** 0 disables the cache. */
  constructor(maxBytes: number) {
    this.#records = new Lru(maxBytes, { sizeOf: ({ length }) => length });
  }

  get bytes(): number {
    return this.#records.total;
  }

  get(name: string): Uint8Array | undefined {
    const record = this.#records.get(name);
    if (record === undefined) this.misses++;
    else this.hits++;
    return record;
  }

  set(name: string, record: Uint8Array): void {
    this.#records.delete(name);
    if (record.length > this.#records.capacity * LARGEST_SHARE) return;
    // A copy, because the given bytes may be part of a larger buffer.
    this.#records.set(name, Uint8Array.from(record));
  }
}
