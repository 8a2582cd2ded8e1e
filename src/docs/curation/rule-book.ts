import type { CurationRule } from './curation-rule.ts';

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
