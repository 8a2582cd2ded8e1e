/**
 * A bounded map that forgets what was used longest ago. Relies on `Map` keeping insertion order:
 * a hit is moved to the end, so the first key is always the oldest.
 */
export class Lru<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #capacity: number;
  readonly #onForget: (value: V) => void;
  /** The last entry, which need not be moved. */
  #newest: { readonly key: K; readonly value: V } | undefined;

  /** `capacity`: at least 1. `onForget` is told each value that leaves, whatever the way. */
  constructor(capacity: number, onForget: (value: V) => void = () => {}) {
    if (!(capacity >= 1)) throw new RangeError(`capacity must be at least 1, got ${capacity}`);
    this.#capacity = capacity;
    this.#onForget = onForget;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The value, now the most recently used; undefined when it is absent or was forgotten. */
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

  /** True when the key was there. */
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
