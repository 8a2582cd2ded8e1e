/**
 * A bounded map for values that are looked up often: it forgets those that were not used for a while, but unlike `Lru`
 * it moves nothing when a value is found that was used recently. At least half of the capacity is kept.
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
