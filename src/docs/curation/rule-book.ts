import type { CurationRule } from './curation-rule.ts';

/** All rules in memory, because every search asks for those of its collection. */
export class RuleBook {
  /** By id, in the order of creation: replacing a rule keeps its place. */
  #rules = new Map<string, CurationRule>();
  /** By lowercased name of the collection; undefined until somebody asks after a change. */
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

  /** By `createdAt`; rules of the same second in the order of creation. */
  list(): CurationRule[] {
    return [...this.#rules.values()].sort((a, b) => a.createdAt - b.createdAt);
  }

  /** Those of a collection, in the order of `list`. */
  of(collection: string): readonly CurationRule[] {
    this.#byCollection ??= Map.groupBy(this.list(), (rule) => rule.collection.toLowerCase());
    return this.#byCollection.get(collection.toLowerCase()) ?? [];
  }
}
