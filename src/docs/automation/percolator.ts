import { Pace } from '../../lib/pace.ts';
import { lettersInCompounds } from '../../search/inverted/index.ts';
import { readEach } from '../../search/parts/index.ts';
import { tokenizeCodeInPieces } from '../../text/code/index.ts';
import { isLoose, type QueryNode } from '../../text/query/index.ts';
import { formsOf } from '../../text/tokenize.ts';
import { classOfDocument, CODE_CLASS, isAmong, PLAIN, type Reading, toIndexed } from '../fulltext/index.ts';

/** The parts of a document that decide which queries may match it. */
export interface PercolatedDocument {
  readonly key: string;
  readonly lang: string;
  readonly meta: Readonly<Record<string, readonly string[]>>;
  readonly contentMd: string;
}

interface QueryToAdd {
  /** The parsed query for each kind of document. */
  readonly readings: readonly Reading[];
  /** Whether it matches more words than those it contains. */
  readonly hasExpansions?: boolean;
}

/** Number of characters of a text that are tokenized at once. */
const WINDOW = 32_768;
/**
 * Number of characters that neighbouring windows share: more than the longest word has, so that each word is whole in
 * one of them.
 */
const OVERLAP = 512;

/** Letters in a row by which a pattern is indexed. */
const LONG_LITERAL = /[^*?]{8}/;

/** Terms of which a document must have at least one. */
type Clause = readonly string[];

/** A query as parsed for some documents, found by one of its clauses. */
interface Entry<T> {
  readonly value: T;
  /** The other clauses, all of which must match as well. */
  readonly rest: readonly Clause[];
}

/**
 * An index of queries (percolation). Each query is indexed by words of which a document must have at least one to
 * match: of required words by the rarest, of alternatives by each. The other words are checked when the query is found.
 * A document is compared only with the queries of its own words, so the cost does not grow with the number of queries.
 * A pattern is indexed by some letters that it has in a row, and so is a word by which compounds are found. Queries
 * without such a word (shorter patterns, edits, expansions) are candidates for every document.
 */
export class Percolator<T> {
  /** By analyzer and term. */
  readonly #byTerm = new Map<string, Entry<T>[]>();
  readonly #analyzers = new Map<string, Reading['analyzer']>();
  /** The letters of patterns. */
  readonly #literals = new Set<string>();
  /** How many letters these have. */
  readonly #lengths = new Set<number>();
  readonly #always = new Set<T>();
  readonly #documentsWith: (form: string) => number;

  /** `documentsWith` returns how many documents contain a form. */
  constructor(documentsWith: (form: string) => number = () => 0) {
    this.#documentsWith = documentsWith;
  }

  add(value: T, { readings, hasExpansions = false }: QueryToAdd): void {
    const wanted = readings.filter(({ root, classes }) => classes !== 0 && root !== undefined);
    // Nothing is added before all documents are counted: this may be repeated when other processes have answered.
    const clausesOfEach = readEach(wanted,
      ({ root, analyzer }) => (hasExpansions ? [] : this.#clausesOf(root!, analyzer)));
    const cheapest = readEach(clausesOfEach, (clauses) => this.#cheapest(clauses));
    for (const [i, { classes, analyzer }] of wanted.entries()) {
      const isCode = isAmong(CODE_CLASS, classes);
      if (!isCode) this.#analyzers.set(analyzer.name, analyzer);
      const clauses = clausesOfEach[i]!;
      const best = cheapest[i];
      if (best === undefined) this.#always.add(value);
      else this.#addClauses(value, [best, ...clauses.filter((clause) => clause !== best)], (form) =>
          form.startsWith(literalTerm('')) ? [form] : isCode ? [codeTerm(form)] : termsSearched(analyzer, form));
    }
  }

  /** The queries that may match a document: all that match, and some that do not. */
  async candidates(document: PercolatedDocument): Promise<Set<T>> {
    const found = new Set(this.#always);
    if (this.#byTerm.size === 0) return found;
    const terms = await this.#termsOf(document);
    for (const term of terms) {
      for (const { value, rest } of this.#byTerm.get(term) ?? []) {
        if (rest.every((clause) => clause.some((other) => terms.has(other)))) found.add(value);
      }
    }
    return found;
  }

  /** The first clause is the one by which the query is found. */
  #addClauses(value: T, [cheapest, ...others]: readonly [Clause, ...Clause[]],
    termsOf: (form: string) => readonly string[]): void
  {
    const rest = others.map((clause) => clause.flatMap(termsOf));
    const entry = { value, rest };
    for (const term of new Set(cheapest.flatMap(termsOf))) {
      const known = this.#byTerm.get(term);
      if (known === undefined) this.#byTerm.set(term, [entry]);
      else known.push(entry);
    }
  }

  async #termsOf(document: PercolatedDocument): Promise<Set<string>> {
    const isCode = classOfDocument(document) === CODE_CLASS;
    const { fields, named } = toIndexed({ ord: 0, ...document }, PLAIN);
    const seen = new Set<string>();
    const terms = new Set<string>();
    const pace = new Pace();
    for (const texts of [...fields, ...named.values()]) {
      for (const text of texts) {
        for (const forms of isCode ? codeForms(text) : proseForms(text)) {
          for (const form of forms) {
            if (seen.size === seen.add(form).size) continue;
            for (const literal of this.#literalsIn(form)) terms.add(literal);
            if (isCode) { terms.add(codeTerm(form)); }
            else {
              for (const analyzer of this.#analyzers.values()) {
                terms.add(proseTerm(analyzer, form));
                if (analyzer.spellings !== undefined) terms.add(spelledTerm(analyzer, form));
              }
            }
          }
          await pace.rest();
        }
      }
    }
    return terms;
  }

  /** The letters of patterns that a form has, as terms. */
  *#literalsIn(form: string): Generator<string> {
    if (this.#literals.size === 0) return;
    const letters = PLAIN.term(form);
    for (const length of this.#lengths) {
      for (let i = 0; i + length <= letters.length; i++) {
        const literal = literalTerm(letters.slice(i, i + length));
        if (this.#literals.has(literal)) yield literal;
      }
    }
  }

  /** Clauses of forms, and of letters of patterns, all of which hold for every match; none if nothing is known. */
  #clausesOf(node: QueryNode, analyzer: Reading['analyzer']): readonly Clause[] {
    switch (node.kind) {
      case 'term':
        if (node.inCompounds === true)
          return [lettersInCompounds(node.form, analyzer).map((one) => this.#literal(one))];
        return isLoose(node) ? [] : [[node.form, ...(node.parts ?? [])]];
      case 'phrase':
      case 'proximity':
        return node.forms.map((form) => [form]);
      case 'wildcard':
        return this.#clausesOfPattern(node.pattern);
      case 'group':
        return this.#clausesOfGroup(node, analyzer);
    }
  }

  #clausesOfPattern(pattern: string): readonly Clause[] {
    const letters = LONG_LITERAL.exec(PLAIN.term(pattern))?.[0];
    if (letters === undefined) return [];
    return [[this.#literal(letters)]];
  }

  #literal(letters: string): string {
    const literal = literalTerm(letters);
    this.#literals.add(literal);
    this.#lengths.add(letters.length);
    return literal;
  }

  #clausesOfGroup({ required, optional }: Extract<QueryNode, { kind: 'group' }>,
    analyzer: Reading['analyzer']): readonly Clause[]
  {
    if (required.length > 0) return required.flatMap((node) => this.#clausesOf(node, analyzer));
    const alternatives = optional.map((node) => this.#clausesOf(node, analyzer));
    return alternatives.some((clauses) => clauses.length === 0)
      ? []
      : [readEach(alternatives, (clauses) => this.#cheapest(clauses)!).flat()];
  }

  /**
   * The clause that the fewest documents satisfy; if no document satisfies any, the one with the longest words, which
   * are usually rare. Every choice is correct. Undefined without clauses.
   */
  #cheapest(clauses: readonly Clause[]): Clause | undefined {
    const costs = readEach(clauses,
      (forms) =>
        readEach(forms, (form) => this.#documentsWith(form) + 1 / form.length).reduce((sum, cost) => sum + cost, 0));
    return clauses[costs.indexOf(Math.min(...costs))];
  }
}

/** Terms are compared without diacritics, like in the index of documents, if the analyzer does not stem. */
function proseTerm({ name, term }: Reading['analyzer'], form: string): string {
  return `${name} ${PLAIN.term(term(form))}`;
}

/** The form itself as a term, which the index has if the stemmer takes other spellings or words for it. */
function spelledTerm({ name }: Reading['analyzer'], form: string): string {
  return `${name} ${PLAIN.term(form)}`;
}

/** The terms by which the index finds a form: see `Spellings`. */
function termsSearched(analyzer: Reading['analyzer'], form: string): string[] {
  const { spellings } = analyzer;
  if (spellings === undefined) return [proseTerm(analyzer, form)];
  const written = [form, ...spellings.customary(form), ...spellings.accented(form)];
  return [...new Set([spelledTerm(analyzer, form), ...written.map((spelling) => proseTerm(analyzer, spelling))])];
}

/** No form begins like that. */
function literalTerm(letters: string): string {
  return `*${letters}`;
}

function codeTerm(form: string): string {
  return `code ${PLAIN.term(form)}`;
}

/** May return a few words that the text does not contain, if a window cuts a word. */
function* proseForms(text: string): Generator<Iterable<string>> {
  for (let start = 0; start < text.length; start += WINDOW - OVERLAP) yield formsOf(text.slice(start, start + WINDOW));
}

function* codeForms(text: string): Generator<Iterable<string>> {
  for (const tokens of tokenizeCodeInPieces(text)) yield tokens.map(({ form }) => form);
}
