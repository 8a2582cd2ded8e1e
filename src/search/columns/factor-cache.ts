import { Lru } from '../../lib/lru.ts';

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
