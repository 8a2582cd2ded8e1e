import { ServiceError } from '../../../errors/index.ts';
import { ALL, type FuzzyForm, NONE, type InvertedIndex, type Query, type WeightedForm } from '../../../search/inverted/index.ts';
import type { GroupNode, QueryNode, TermNode } from '../../../text/query/index.ts';
import type { Expansions, TermAnalyzer } from './text-index.ts';

type Forms = Pick<InvertedIndex, 'group' | 'unstemmed' | 'fuzzy' | 'wildcard' | 'documents'>;

/** Forms that a fuzzy term stands for at most, and how many of the dictionary they are chosen from (decision D-85). */
const FUZZY_FORMS = 50;
const FUZZY_CANDIDATES = 5000;
/** What an edit leaves of a form's weight. */
const EDIT_WEIGHT = 0.8;

/** Forms that the patterns of one query may stand for together, and milliseconds that looking for them may take. */
const PATTERN_FORMS = 50_000;
const EXPANSION_MS = 400;

/** A query of text as the index takes it: words are looked up in its dictionary. Good until the index changes. */
export function toIndexQuery(index: Forms, analyzer: TermAnalyzer, root: QueryNode | undefined, expansions?: Expansions): Query {
  if (root === undefined) return NONE;
  return new Translation(index, analyzer, expansions).query(root);
}

class Translation {
  readonly #index: Forms;
  readonly #analyzer: TermAnalyzer;
  readonly #expansions: Expansions | undefined;
  readonly #patterns = new Map<string, readonly WeightedForm[]>();
  readonly #end = performance.now() + EXPANSION_MS;
  #patternForms = 0;

  constructor(index: Forms, analyzer: TermAnalyzer, expansions: Expansions | undefined) {
    this.#index = index;
    this.#analyzer = analyzer;
    this.#expansions = expansions;
  }

  query(node: QueryNode): Query {
    switch (node.kind) {
      case 'term': return this.#expanded(node);
      case 'wildcard': return { kind: 'term', forms: this.#pattern(node.pattern) };
      case 'phrase': return { kind: 'phrase', words: this.#words(node.forms) };
      case 'proximity': return { kind: 'phrase', words: this.#words(node.forms), slop: node.distance };
      case 'group': return this.#group(node);
    }
  }

  #expanded(node: TermNode): Query {
    const term: Query = { kind: 'term', forms: this.#term(node) };
    const more = this.#expansions?.get(node) ?? [];
    if (more.length === 0) return term;
    return { kind: 'or', of: [term, ...more.map(({ form, weight }): Query => ({ kind: 'term', forms: this.#formsOf(form), weight }))] };
  }

  /** Where something is required, what is optional adds to the score of every match: `all` keeps those that lack it. */
  #group({ required, optional, excluded }: GroupNode): Query {
    const additions = optional.map((node) => this.query(node));
    const exclusions = excluded.map((node): Query => ({ kind: 'not', of: this.query(node) }));
    if (required.length + optional.length === 0) return NONE;
    if (required.length === 0) return exclusions.length === 0 ? { kind: 'or', of: additions } : { kind: 'and', of: [{ kind: 'or', of: additions }, ...exclusions] };
    const extra: Query[] = additions.length === 0 ? [] : [{ kind: 'or', of: [ALL, ...additions] }];
    return { kind: 'and', of: [...required.map((node) => this.query(node)), ...extra, ...exclusions] };
  }

  #words(forms: readonly string[]): { forms: WeightedForm[]; offset: number }[] {
    return forms.map((form, offset) => ({ forms: this.#formsOf(form), offset }));
  }

  #term({ form, fuzzy = 0 }: TermNode): WeightedForm[] {
    if (fuzzy === 0) return this.#formsOf(form);
    this.#checkTime();
    const { exact, near } = formsByEdits(this.#index, this.#analyzer, { form, fuzzy });
    return [...exact.map((id) => ({ id })), ...near.map(({ id, distance }) => ({ id, weight: EDIT_WEIGHT ** distance }))];
  }

  #formsOf(form: string): WeightedForm[] {
    return exactForms(this.#index, this.#analyzer, form).map((id) => ({ id }));
  }

  #pattern(pattern: string): readonly WeightedForm[] {
    const known = this.#patterns.get(pattern);
    if (known !== undefined) return known;
    this.#checkTime();
    const forms = this.#index.wildcard(pattern, PATTERN_FORMS + 1).map((id) => ({ id }));
    this.#patternForms += forms.length;
    if (this.#patternForms > PATTERN_FORMS) throw tooMuch(`the patterns stand for more than ${PATTERN_FORMS} words`);
    this.#patterns.set(pattern, forms);
    return forms;
  }

  #checkTime(): void {
    if (performance.now() > this.#end) throw tooMuch('looking for words by patterns and edits takes too long');
  }
}

/** The forms of a term, and those that edits make of others: the nearest, and of these the most frequent (decision D-85). */
export function formsByEdits(index: Omit<Forms, 'wildcard'>, analyzer: TermAnalyzer, { form, fuzzy = 0 }: Pick<TermNode, 'form' | 'fuzzy'>): { exact: readonly number[]; near: readonly FuzzyForm[] } {
  const exact = exactForms(index, analyzer, form);
  const known = new Set(exact);
  const near = index.fuzzy(form, fuzzy, FUZZY_CANDIDATES).filter(({ id }) => !known.has(id));
  const best = near.map(({ id, distance }) => ({ id, distance, documents: index.documents(id) }))
    .sort((a, b) => a.distance - b.distance || b.documents - a.documents || a.id - b.id).slice(0, FUZZY_FORMS);
  return { exact, near: best };
}

function exactForms(index: Pick<Forms, 'group' | 'unstemmed'>, analyzer: TermAnalyzer, form: string): readonly number[] {
  return analyzer.stemming ? index.group(analyzer, form) : index.unstemmed(form);
}

function tooMuch(reason: string): ServiceError {
  return new ServiceError('invalid_argument', `query: ${reason}; use fewer or longer ones`);
}
