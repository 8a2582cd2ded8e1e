/** Lists of factors that are remembered: four bytes for each document, each. */
const REMEMBERED = 4;

/** The factors that were asked for last; `undefined` is remembered as well. Nobody may change them. */
export class RememberedFactors {
  readonly #lists = new Map<string, Float32Array | undefined>();

  get bytes(): number {
    return [...this.#lists.values()].reduce((sum, list) => sum + (list?.byteLength ?? 0), 0);
  }

  /** Those of a name, or what `make` returns for it. */
  find(name: string, make: () => Float32Array | undefined): Float32Array | undefined {
    const list = this.#lists.has(name) ? this.#lists.get(name) : make();
    this.#lists.delete(name);
    this.#lists.set(name, list);
    const [oldest] = this.#lists.keys();
    if (this.#lists.size > REMEMBERED) this.#lists.delete(oldest!);
    return list;
  }

  clear(): void {
    this.#lists.clear();
  }
}
