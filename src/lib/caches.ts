import type { Clock } from './clock.ts';

/**
 * A function whose result is kept for some milliseconds. Calls made while it loads share one load. A load that fails is
 * not kept; every caller that waited for it receives the error.
 */
export function cached<T>(load: () => Promise<T>, milliseconds: number, clock: Clock): () => Promise<T> {
  let entry: { readonly value: Promise<T>; readonly until: number } | undefined;
  return () => {
    if (entry !== undefined && clock.now() < entry.until) return entry.value;
    const fresh = { value: load(), until: clock.now() + milliseconds };
    fresh.value.catch(() => {
      if (entry === fresh) entry = undefined;
    });
    entry = fresh;
    return fresh.value;
  };
}

interface LruOptions<V> {
  /** What a value counts towards the capacity, always the same for one value; by default 1. */
  readonly sizeOf?: (value: V) => number;
  /** Maximum number of entries, whatever their sizes; by default without limit. */
  readonly maxEntries?: number;
  /** Called with each value that leaves the map, for whatever reason. */
  readonly onForget?: (value: V) => void;
}

/**
 * A bounded map that removes the least recently used entry. Relies on `Map` keeping insertion order: a hit is moved to
 * the end, so the first key is always the oldest. The bound is a number of entries, or a sum of sizes.
 */
export class Lru<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #options: LruOptions<V>;
  #capacity = 0;
  #total = 0;
  /** The newest entry, which need not be moved. */
  #newest: { readonly key: K; readonly value: V } | undefined;

  /**
   * A map with a capacity of 0 keeps nothing. A value that alone exceeds the capacity leaves at once, after all others.
   */
  constructor(capacity: number, options: LruOptions<V> = {}) {
    this.#options = options;
    this.capacity = capacity;
  }

  get capacity(): number {
    return this.#capacity;
  }

  /** A smaller capacity takes effect at the next `set`. */
  set capacity(capacity: number) {
    if (!(capacity >= 0)) throw new RangeError(`capacity must be at least 0, got ${capacity}`);
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Sum of the sizes of all values. */
  get total(): number {
    return this.#total;
  }

  /** The key that would leave next; undefined if there is none. */
  get oldest(): K | undefined {
    const [oldest] = this.#entries.keys();
    return oldest;
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

  /** Whether the key is present, without using it. */
  has(key: K): boolean {
    return this.#entries.has(key);
  }

  /** All values, the least recently used first. */
  values(): Iterable<V> {
    return this.#entries.values();
  }

  set(key: K, value: V): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#newest = { key, value };
    this.#total += this.#sizeOf(value);
    const { maxEntries = Infinity } = this.#options;
    while (this.#total > this.#capacity || this.#entries.size > maxEntries) this.delete(this.oldest!);
  }

  /** Returns true if the key was present. */
  delete(key: K): boolean {
    const value = this.#entries.get(key);
    if (!this.#entries.delete(key)) return false;
    if (this.#newest?.key === key) this.#newest = undefined;
    this.#total -= this.#sizeOf(value!);
    this.#options.onForget?.(value!);
    return true;
  }

  clear(): void {
    for (const key of [...this.#entries.keys()]) this.delete(key);
  }

  #sizeOf(value: V): number {
    return this.#options.sizeOf?.(value) ?? 1;
  }
}

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
