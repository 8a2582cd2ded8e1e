import { toForm } from './words.ts';

interface Entry {
  readonly synonyms: readonly string[];
  /** Kept beside the words, so that a change of one entry tokenises no other. */
  readonly form: string;
  readonly synonymForms: readonly string[];
}

/** The synonyms of one collection, in memory. */
export class Thesaurus {
  readonly #entries = new Map<string, Entry>();
  /** By form, in both directions; undefined until a query asks after a change. */
  #neighbours: Map<string, Set<string>> | undefined;
  #lookup: ((term: string) => string[]) | undefined;

  /** Undefined removes. Both are normalised. */
  set(term: string, synonyms: readonly string[] | undefined): void {
    if (synonyms === undefined) this.#entries.delete(term);
    else this.#entries.set(term, { synonyms, form: toForm(term), synonymForms: synonyms.map(toForm) });
    this.#neighbours = undefined;
    this.#lookup = undefined;
  }

  /** `neighbours` as a function, which is another one after each change. */
  get lookup(): (term: string) => string[] {
    return this.#lookup ??= (term) => this.neighbours(term);
  }

  /** Terms with their synonyms as they were added. */
  entries(): [term: string, synonyms: string[]][] {
    return [...this.#entries].map(([term, { synonyms }]) => [term, [...synonyms]]);
  }

  /**
   * What else a query term may be called, as forms: its synonyms and the terms that it is a synonym
   * of, and no synonyms of those (decision D-86: both directions, one step).
   */
  neighbours(term: string): string[] {
    this.#neighbours ??= bothWays(this.#entries.values());
    return [...(this.#neighbours.get(toForm(term)) ?? [])];
  }
}

function bothWays(entries: Iterable<Entry>): Map<string, Set<string>> {
  const neighbours = new Map<string, Set<string>>();
  const link = (from: string, to: string): void => {
    const known = neighbours.get(from);
    if (known === undefined) neighbours.set(from, new Set([to]));
    else known.add(to);
  };
  for (const { form, synonymForms } of entries) {
    for (const other of synonymForms.filter((synonym) => synonym !== form)) {
      link(form, other);
      link(other, form);
    }
  }
  return neighbours;
}
