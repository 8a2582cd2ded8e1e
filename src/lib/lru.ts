/**
 * A bounded map that removes the least recently used entry. Relies on `Map` keeping insertion order:
 * a hit is moved to the end, so the first key is always the oldest.
 */
export class Lru<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #capacity: number;
  readonly #onForget: (value: V) => void;
  /** The newest entry, which need not be moved. */
  #newest: { readonly key: K; readonly value: V } | undefined;

  /** `capacity`: at least 1. `onForget` is called with each value that leaves the map, for whatever reason. */
  constructor(capacity: number, onForget: (value: V) => void = () => {}) {
    if (!(capacity >= 1)) throw new RangeError(`capacity must be at least 1, got ${capacity}`);
    this.#capacity = capacity;
    this.#onForget = onForget;
  }

  get size(): number {
    return this.#entries.size;
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
    if (this.#entries.size <= this.#capacity) return;
    const [oldest] = this.#entries.keys();
    this.delete(oldest!);
  }

  /** Returns true if the key was present. */
  delete(key: K): boolean {
    const value = this.#entries.get(key);
    if (!this.#entries.delete(key)) return false;
    if (this.#newest?.key === key) this.#newest = undefined;
    this.#onForget(value!);
    return true;
  }

  clear(): void {
    for (const key of [...this.#entries.keys()]) this.delete(key);
  }
}
