import type { OrdSet } from '../../lib/ord-set.ts';
import type { Circle } from '../../search/geo/index.ts';

/** Maximum bytes of remembered sets of a collection: those of 160 circles among 200,000 documents. */
const MOST_BYTES = 4 * 2 ** 20;
/** Bytes of an entry besides its set. */
const OVERHEAD = 256;

interface Entry {
  /** The documents that were searched; undefined for all. */
  readonly among: OrdSet | undefined;
  readonly set: OrdSet;
  readonly bytes: number;
}

/**
 * The documents in the most recently requested circles, as long as no place changes: a repeated search then uses the
 * same bitmap, which the full-text index recognizes by its identity. Callers must not change a set.
 */
export class CircleCache {
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * The documents in a circle among some documents, which are the same only if their set is the same object; undefined
   * if they are not remembered.
   */
  find(circle: Circle, among: OrdSet | undefined): OrdSet | undefined {
    const name = nameOf(circle);
    const known = this.#entries.get(name);
    if (known === undefined || known.among !== among) return undefined;
    this.#entries.delete(name);
    this.#entries.set(name, known);
    return known.set;
  }

  /** Remembers them, instead of those among other documents. */
  keep(circle: Circle, among: OrdSet | undefined, set: OrdSet): void {
    const name = nameOf(circle);
    const former = this.#entries.get(name);
    if (former !== undefined) this.#forget(name, former);
    const bytes = set.words.byteLength + OVERHEAD;
    if (bytes > MOST_BYTES) return;
    this.#entries.set(name, { among, set, bytes });
    this.#bytes += bytes;
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= MOST_BYTES) break;
      this.#forget(oldest, entry);
    }
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

function nameOf({ middle, radiusMeters }: Circle): string {
  return `${middle.lat} ${middle.lng} ${radiusMeters}`;
}
