/**
 * Sets of terms that many documents share: a set is made once for the terms that were added in the same order.
 * Documents of an answer have few different sets, so most of them cost no memory of their own.
 */
export class TermSets {
  readonly none: ReadonlySet<string> = new Set();
  /** By set and further term. */
  readonly #larger = new Map<ReadonlySet<string>, Map<string, ReadonlySet<string>>>();

  /** The set that has these terms, too. */
  with(terms: ReadonlySet<string>, more: readonly string[]): ReadonlySet<string> {
    let all = terms;
    for (const term of more) if (!all.has(term)) all = this.#withOne(all, term);
    return all;
  }

  #withOne(terms: ReadonlySet<string>, term: string): ReadonlySet<string> {
    let larger = this.#larger.get(terms);
    if (larger === undefined) this.#larger.set(terms, larger = new Map());
    let all = larger.get(term);
    if (all === undefined) larger.set(term, all = new Set(terms).add(term));
    return all;
  }
}
