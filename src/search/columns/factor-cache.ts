/** Maximum number of cached lists of factors; each takes 4 bytes per document. */
const MAX_LISTS = 4;

/** The factors that were requested last; `undefined` is remembered as well. Callers must not change them. */
export class FactorCache {
  readonly #lists = new Map<string, Float32Array | undefined>();

  get bytes(): number {
    return [...this.#lists.values()].reduce((sum, list) => sum + (list?.byteLength ?? 0), 0);
  }

  /** Returns the factors of a name, or computes them with `make`. */
  find(name: string, make: () => Float32Array | undefined): Float32Array | undefined {
    const list = this.#lists.has(name) ? this.#lists.get(name) : make();
    this.#lists.delete(name);
    this.#lists.set(name, list);
    const [oldest] = this.#lists.keys();
    if (this.#lists.size > MAX_LISTS) this.#lists.delete(oldest!);
    return list;
  }

  clear(): void {
    this.#lists.clear();
  }
}
