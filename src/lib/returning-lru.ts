import { Lru } from './lru.ts';

export interface ReturningLruOptions<V> {
  /** Maximum number of values that were asked for once. */
  readonly recent: number;
  /** Maximum number of keys of such values that left. */
  readonly keys: number;
  /** Capacity for values that were asked for more often: a number, or with `sizeOf` the sum of their sizes. */
  readonly returned: number;
  /** What a value counts towards `returned`, always the same for one value; by default 1. */
  readonly sizeOf?: (value: V) => number;
}

/**
 * A bounded map that keeps what is used more than once (the 2Q of Johnson and Shasha, VLDB 1994): a value leaves soon
 * unless it is asked for again, so that values of which most are used only once, such as those of queries, do not fill
 * it and die young.
 */
export class ReturningLru<K, V> {
  readonly #recent = new Map<K, V>();
  readonly #options: ReturningLruOptions<V>;
  /** Keys of recent values that left: a value that is set for one of them again is kept. */
  readonly #left = new Set<K>();
  readonly #returned: Lru<K, V>;

  constructor(options: ReturningLruOptions<V>) {
    this.#options = options;
    this.#returned = new Lru(options.returned, () => {}, options.sizeOf);
  }

  get size(): number {
    return this.#recent.size + this.#returned.size;
  }

  /** Sum of the sizes of the values that were asked for more often. */
  get total(): number {
    return this.#returned.total;
  }

  /** Returns the value and makes it one that was asked for more often; undefined if it is absent or was removed. */
  get(key: K): V | undefined {
    const known = this.#returned.get(key);
    if (known !== undefined) return known;
    const value = this.#recent.get(key);
    if (value === undefined) return undefined;
    this.#recent.delete(key);
    this.#returned.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    if (this.#left.delete(key) || this.#returned.get(key) !== undefined) return this.#returned.set(key, value);
    this.#recent.set(key, value);
    if (this.#recent.size <= this.#options.recent) return;
    const oldest = firstOf(this.#recent);
    this.#recent.delete(oldest);
    this.#left.add(oldest);
    if (this.#left.size > this.#options.keys) this.#left.delete(firstOf(this.#left));
  }

  clear(): void {
    this.#recent.clear();
    this.#left.clear();
    this.#returned.clear();
  }
}

function firstOf<K>(keys: ReadonlyMap<K, unknown> | ReadonlySet<K>): K {
  const [first] = keys.keys();
  return first!;
}
