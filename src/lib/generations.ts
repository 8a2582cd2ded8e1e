/**
 * A bounded map that forgets what was not used for a while, and keeps at least half of its capacity. Not an `Lru`:
 * every word of every document is looked up here, and moving an entry at each hit takes longer than the lookup.
 */
export class Generations<K, V> {
  readonly #half: number;
  #recent = new Map<K, V>();
  #older = new Map<K, V>();

  constructor(capacity: number) {
    this.#half = capacity / 2;
  }

  /** 0 exactly if there is no value. */
  get size(): number {
    return this.#recent.size + this.#older.size;
  }

  get(key: K): V | undefined {
    const value = this.#recent.get(key);
    if (value !== undefined) return value;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: K, value: V): void {
    this.#recent.set(key, value);
    if (this.#recent.size > this.#half) [this.#recent, this.#older] = [new Map(), this.#recent];
  }

  clear(): void {
    this.#recent.clear();
    this.#older.clear();
  }
}
