import type { OrdSet } from '../../lib/ord-set.ts';
import type { Filter } from '../filter/index.ts';

/** What a filter and its place in the table take besides the set. */
const OVERHEAD = 256;

/** Sets that filters have selected, those that were asked for last; `undefined` is remembered as well. */
export class RememberedSets {
  readonly #sets = new Map<string, { readonly set: OrdSet | undefined; readonly bytes: number }>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The set of a filter, or what `make` returns for it. */
  find(filter: Filter | undefined, make: () => OrdSet | undefined): OrdSet | undefined {
    const key = filter === undefined ? '' : JSON.stringify(filter, withInfinite);
    const known = this.#sets.get(key);
    if (known !== undefined) {
      this.#sets.delete(key);
      this.#sets.set(key, known);
      return known.set;
    }
    const set = make();
    const bytes = (set?.words.byteLength ?? 0) + key.length * 2 + OVERHEAD;
    if (bytes <= this.#maxBytes) {
      this.#sets.set(key, { set, bytes });
      this.#bytes += bytes;
      this.#shrink();
    }
    return set;
  }

  clear(): void {
    this.#sets.clear();
    this.#bytes = 0;
  }

  #shrink(): void {
    for (const [key, { bytes }] of this.#sets) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#sets.delete(key);
      this.#bytes -= bytes;
    }
  }
}

/** JSON has no infinite numbers; as texts they would be mistaken for such. */
function withInfinite(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? { infinite: String(value) } : value;
}
