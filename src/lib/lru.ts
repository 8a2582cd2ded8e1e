/**
 * A bounded map that removes the least recently used entry. Relies on `Map` keeping insertion order: a hit is moved to
 * the end, so the first key is always the oldest. The bound is a number of entries, or a sum of sizes.
 */
export class Lru<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #capacity: number;
  readonly #onForget: (value: V) => void;
  readonly #sizeOf: (value: V) => number;
  #total = 0;
  /** The newest entry, which need not be moved. */
  #newest: { readonly key: K; readonly value: V } | undefined;

  /**
   * `capacity`: at least 1. `onForget` is called with each value that leaves the map, for whatever reason. `sizeOf`:
   * what a value counts towards the capacity, always the same for one value; by default 1. A value that alone exceeds
   * the capacity leaves at once.
   */
  constructor(capacity: number, onForget: (value: V) => void = () => {}, sizeOf: (value: V) => number = () => 1) {
    if (!(capacity >= 1)) throw new RangeError(`capacity must be at least 1, got ${capacity}`);
    this.#capacity = capacity;
    this.#onForget = onForget;
    this.#sizeOf = sizeOf;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Sum of the sizes of all values. */
  get total(): number {
    return this.#total;
  }

  /** Returns the value and makes it the most recently used; undefined if it is absent or was removed. */
  get(key: K): V | undefined {
    if (this.#newest?.key === key) return this.#newest.value;
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    this.#newest = { key, value };
    return value;
  }

  set(key: K, value: V): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#newest = { key, value };
    this.#total += this.#sizeOf(value);
    while (this.#total > this.#capacity) {
      const [oldest] = this.#entries.keys();
      this.delete(oldest!);
    }
  }

  /** Returns true if the key was present. */
  delete(key: K): boolean {
    const value = this.#entries.get(key);
    if (!this.#entries.delete(key)) return false;
    if (this.#newest?.key === key) this.#newest = undefined;
    this.#total -= this.#sizeOf(value!);
    this.#onForget(value!);
    return true;
  }

  clear(): void {
    for (const key of [...this.#entries.keys()]) this.delete(key);
  }
}
