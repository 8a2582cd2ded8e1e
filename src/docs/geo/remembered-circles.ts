import { OrdSet } from '../../lib/ord-set.ts';
import type { Circle } from '../../search/geo/index.ts';

/** Bytes of the sets that a collection remembers: those of 160 circles among 200,000 documents. */
const MOST_BYTES = 4 * 2 ** 20;
/** What an entry takes besides its set. */
const OVERHEAD = 256;

interface Entry {
  /** Which documents were looked at; undefined for all. */
  readonly among: OrdSet | undefined;
  readonly set: OrdSet;
  readonly bytes: number;
}

/**
 * The documents in the circles that were asked for last, for as long as no place changes: a search then takes the same bitmap again, which
 * the index of words knows by its identity. Nobody may change a set.
 */
export class RememberedCircles {
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** The documents in a circle among some documents, which are the same while their set is the same object; or what `make` returns for them. */
  find({ middle, radiusMeters }: Circle, among: OrdSet | undefined, make: () => Iterable<number>): OrdSet {
    const name = `${middle.lat} ${middle.lng} ${radiusMeters}`;
    const known = this.#entries.get(name);
    if (known !== undefined) this.#forget(name, known);
    const set = known !== undefined && known.among === among ? known.set : OrdSet.of(make());
    const bytes = set.words.byteLength + OVERHEAD;
    if (bytes > MOST_BYTES) return set;
    this.#entries.set(name, { among, set, bytes });
    this.#bytes += bytes;
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= MOST_BYTES) break;
      this.#forget(oldest, entry);
    }
    return set;
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  #forget(name: string, { bytes }: Entry): void {
    this.#entries.delete(name);
    this.#bytes -= bytes;
  }
}
