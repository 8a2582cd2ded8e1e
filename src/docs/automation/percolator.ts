import { Pace } from '../../lib/pace.ts';
import { tokenizeCodeInPieces } from '../../text/code/index.ts';
import type { QueryNode } from '../../text/query/index.ts';
import { formsOf } from '../../text/tokenize.ts';
import { classOfDocument, CODE_CLASS, isAmong, PLAIN, toIndexed, type Reading } from '../fulltext/index.ts';

/** What decides which queries may match a document. */
export interface PercolatedDocument {
  readonly key: string;
  readonly lang: string;
  readonly meta: Readonly<Record<string, readonly string[]>>;
  readonly contentMd: string;
}

export interface QueryToAdd {
  /** The query as it is read for each kind of documents. */
  readonly readings: readonly Reading[];
  /** Whether it matches more words than its own. */
  readonly hasExpansions?: boolean;
}

/** Characters of a text that are cut into words at once. */
const WINDOW = 32_768;
/** Characters that neighbouring windows share: more than any word has, so that each is whole in one of them. */
const OVERLAP = 512;

/**
 * An index of queries (percolation): each is found by words of which a document must have one to match. Of words that are all
 * required that is the rarest, of alternatives each. A document is compared with the queries of its own words only, so the cost
 * does not grow with the number of queries. Queries without such a word (patterns, edits, expansions) are candidates for every document.
 */
export class Percolator<T> {
  /** By analyzer and term. */
  readonly #byTerm = new Map<string, T[]>();
  readonly #analyzers = new Map<string, Reading['analyzer']>();
  readonly #always = new Set<T>();
  readonly #documentsWith: (form: string) => number;

  /** `documentsWith` returns how many documents have a form. */
  constructor(documentsWith: (form: string) => number = () => 0) {
    this.#documentsWith = documentsWith;
  }

  add(value: T, { readings, hasExpansions = false }: QueryToAdd): void {
    const terms = new Set<string>();
    for (const { root, classes, analyzer } of readings) {
      if (classes === 0 || root === undefined) continue;
      const forms = hasExpansions ? undefined : this.#requiredForms(root);
      if (forms === undefined) return void this.#always.add(value);
      const isCode = isAmong(CODE_CLASS, classes);
      if (!isCode) this.#analyzers.set(analyzer.name, analyzer);
      for (const form of forms) terms.add(isCode ? codeTerm(form) : proseTerm(analyzer, form));
    }
    for (const term of terms) {
      const known = this.#byTerm.get(term);
      if (known === undefined) this.#byTerm.set(term, [value]);
      else known.push(value);
    }
  }

  /** The queries that may match a document: all that do, and some that do not. */
  async candidates(document: PercolatedDocument): Promise<Set<T>> {
    const found = new Set(this.#always);
    if (this.#byTerm.size === 0) return found;
    const isCode = classOfDocument(document) === CODE_CLASS;
    const { fields, named } = toIndexed({ ord: 0, ...document }, PLAIN);
    const seen = new Set<string>();
    const pace = new Pace();
    for (const texts of [...fields, ...named.values()]) {
      for (const text of texts) {
        for (const forms of isCode ? codeForms(text) : proseForms(text)) {
          for (const form of forms) if (seen.size < seen.add(form).size) this.#collect(form, isCode, found);
          await pace.rest();
        }
      }
    }
    return found;
  }

  #collect(form: string, isCode: boolean, found: Set<T>): void {
    if (isCode) return this.#take(codeTerm(form), found);
    for (const analyzer of this.#analyzers.values()) this.#take(proseTerm(analyzer, form), found);
  }

  #take(term: string, found: Set<T>): void {
    for (const value of this.#byTerm.get(term) ?? []) found.add(value);
  }

  /** Forms of which every match has at least one; undefined where there are none such. */
  #requiredForms(node: QueryNode): readonly string[] | undefined {
    switch (node.kind) {
      case 'term': return node.fuzzy ? undefined : [node.form, ...(node.parts ?? [])];
      case 'phrase': case 'proximity': return this.#cheapest(node.forms.map((form) => [form]));
      case 'wildcard': return undefined;
      case 'group': return this.#requiredOfGroup(node);
    }
  }

  #requiredOfGroup({ required, optional }: Extract<QueryNode, { kind: 'group' }>): readonly string[] | undefined {
    if (required.length > 0) return this.#cheapest(required.map((node) => this.#requiredForms(node)).filter((forms) => forms !== undefined));
    const alternatives = optional.map((node) => this.#requiredForms(node));
    return alternatives.includes(undefined) ? undefined : alternatives.flatMap((forms) => forms!);
  }

  /** Those that the fewest documents have; where none has them the longest, which are rare as a rule. Any choice is right. */
  #cheapest(choices: readonly (readonly string[])[]): readonly string[] | undefined {
    const cost = (forms: readonly string[]): number => forms.reduce((sum, form) => sum + this.#documentsWith(form) + 1 / form.length, 0);
    return choices.length === 0 ? undefined : choices.reduce((best, forms) => (cost(forms) < cost(best) ? forms : best));
  }
}

/** Terms are compared without diacritics, as the index of documents does where it does not stem. */
function proseTerm({ name, term }: Reading['analyzer'], form: string): string {
  return `${name} ${PLAIN.term(term(form))}`;
}

function codeTerm(form: string): string {
  return `code ${PLAIN.term(form)}`;
}

/** Some words more than the text has, where a window cuts one. */
function* proseForms(text: string): Generator<Iterable<string>> {
  for (let start = 0; start < text.length; start += WINDOW - OVERLAP) yield formsOf(text.slice(start, start + WINDOW));
}

function* codeForms(text: string): Generator<Iterable<string>> {
  for (const tokens of tokenizeCodeInPieces(text)) yield tokens.map(({ form }) => form);
}
