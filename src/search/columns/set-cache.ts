import { Lru } from '../../lib/caches.ts';
import type { OrdSet } from '../../lib/ord-set.ts';
import type { Filter } from '../filter/index.ts';
import type { FactorBounds } from './contract.ts';

/** Bytes that a filter and its table entry take besides the set. */
const OVERHEAD = 256;

/** The sets of the filters that were used last; `undefined` is remembered as well. */
export class SetCache {
  readonly #sets = new Lru<string, { readonly set: OrdSet | undefined; readonly bytes: number }>(0, {
    sizeOf: ({ bytes }) => bytes,
  });

  get bytes(): number {
    return this.#sets.total;
  }

  /** Whether the set of a filter is remembered. */
  has(filter: Filter): boolean {
    return this.#sets.has(keyOf(filter));
  }

  /** Returns the set of a filter, or computes it with `make`. All sets together may then have `room` bytes. */
  find(filter: Filter | undefined, room: number, make: () => OrdSet | undefined): OrdSet | undefined {
    const key = filter === undefined ? '' : keyOf(filter);
    const known = this.#sets.get(key);
    if (known !== undefined) return known.set;
    const set = make();
    const bytes = (set?.words.byteLength ?? 0) + key.length * 2 + OVERHEAD;
    this.#sets.capacity = room;
    if (bytes <= room) this.#sets.set(key, { set, bytes });
    return set;
  }

  clear(): void {
    this.#sets.clear();
  }
}

function keyOf(filter: Filter): string {
  return JSON.stringify(filter, withInfinite);
}

/** JSON has no infinite numbers; written as texts they would be confused with real texts. */
function withInfinite(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? { infinite: String(value) } : value;
}

/** Maximum number of cached lists of factors; each takes 4 bytes per document. */
const MAX_LISTS = 4;

/** The factors that were requested last; `undefined` is remembered as well. Callers must not change them. */
export class FactorCache {
  readonly #lists = new Lru<string, { readonly list: Float32Array | undefined }>(MAX_LISTS);

  get bytes(): number {
    return [...this.#lists.values()].reduce((sum, { list }) => sum + (list?.byteLength ?? 0), 0);
  }

  /** Returns the factors of a name, or computes them with `make`. */
  find(name: string, make: () => Float32Array | undefined): Float32Array | undefined {
    const known = this.#lists.get(name);
    if (known !== undefined) return known.list;
    const list = make();
    this.#lists.set(name, { list });
    return list;
  }

  clear(): void {
    this.#lists.clear();
  }
}

/** Products of factors within bounds, in single precision. */
export function bounded(products: Float64Array, { least, most }: FactorBounds): Float32Array {
  const factors = new Float32Array(products.length);
  for (let ord = 0; ord < products.length; ord++) factors[ord] = Math.min(most, Math.max(least, products[ord]!));
  return factors;
}
