/** A document and its position in the results of a query. */
export interface Pin {
  readonly key: string;
  /** Absent means any language of the key. */
  readonly lang?: string;
  /** Counted from 1; 0 or less puts the document after all other results. */
  readonly position: number;
}

/** What the results of a matching query show and hide (contract section 2, "Curation rule"). */
export interface CurationRule {
  readonly id: string;
  /** As written; its letter case does not matter. */
  readonly collection: string;
  /** Without leading and trailing spaces, and with single spaces. */
  readonly query: string;
  readonly matchMode: 'exact' | 'contains';
  readonly pins: readonly Pin[];
  /** Keys of documents; they apply in every language. */
  readonly hides: readonly string[];
  readonly enabled: boolean;
  /** Whether pinned documents are shown even if they do not pass the filters of a search. */
  readonly ignoreFilters: boolean;
  /** Unix seconds. */
  readonly createdAt: number;
  /** Unix seconds. */
  readonly updatedAt: number;
}

/** Leading, trailing and repeated spaces do not matter in a query (decisions section 4.5). */
export function collapseSpace(query: string): string {
  return query.trim().replace(/\s+/gu, ' ');
}

/** All rules in memory, because every search needs those of its collection. */
export class RuleBook {
  /** By id, in the order of creation: replacing a rule keeps its position. */
  #rules = new Map<string, CurationRule>();
  /** By lowercased name of the collection; undefined after a change, until it is needed. */
  #byCollection: Map<string, readonly CurationRule[]> | undefined;

  get(id: string): CurationRule | undefined {
    return this.#rules.get(id);
  }

  set(rule: CurationRule): void {
    this.#rules.set(rule.id, rule);
    this.#byCollection = undefined;
  }

  delete(id: string): void {
    this.#rules.delete(id);
    this.#byCollection = undefined;
  }

  replace(rules: readonly CurationRule[]): void {
    this.#rules = new Map(rules.map((rule) => [rule.id, rule]));
    this.#byCollection = undefined;
  }

  /** In the order of `createdAt`; rules of the same second are in the order of creation. */
  list(): CurationRule[] {
    return [...this.#rules.values()].sort((a, b) => a.createdAt - b.createdAt);
  }

  /** The rules of a collection, in the order of `list`. */
  of(collection: string): readonly CurationRule[] {
    this.#byCollection ??= Map.groupBy(this.list(), (rule) => rule.collection.toLowerCase());
    return this.#byCollection.get(collection.toLowerCase()) ?? [];
  }
}
