import { ServiceError } from '../../../errors/index.ts';
import { ALL, type InvertedIndex, NONE, type Query, type WeightedForm,
  within } from '../../../search/inverted/index.ts';
import { readEach } from '../../../search/parts/index.ts';
import { type GroupNode, isLoose, type PhraseNode, type QueryNode, type TermNode } from '../../../text/query/index.ts';
import { isSpaceless } from '../../../text/spaceless.ts';
import { COMPLETION_CANDIDATES, COMPLETION_WEIGHT, COMPLETIONS, exactForms, type Forms, formsByEdits,
  type KnownSpellings } from './edits.ts';
import { compoundOf, type Letters, lettersOf, lettersOfPhrase, usualWay, type Way, waysOf } from './letters.ts';
import type { TermAnalyzer, TextReading } from './text-index.ts';

type Patterns = Forms & Pick<InvertedIndex, 'compounds' | 'wildcard'>;
type Index = Patterns & Pick<InvertedIndex, 'classes'>;

/**
 * With `keepsFirst`, factor of the score of what is only spelled like a word that documents have: so low that it ranks
 * behind the word itself, whatever the frequencies, fields and lengths.
 */
const BEHIND = 0.01;

/** Maximum number of forms that all patterns of a query may match, and maximum milliseconds of searching for them. */
const PATTERN_FORMS = 50_000;
const EXPANSION_MS = 400;

/** Weight of the letters of a word within other words and across them, by which the word itself comes first. */
const WITHIN_WEIGHT = 0.5;

/** Maximum number of ways in which all words of a query are written that are found by their letters. */
const MOST_WAYS = 512;
/** Maximum number of ways in which a phrase with words of scripts without spaces is written. */
const MOST_PHRASES = 64;

/** Longer lists of forms are not compared form by form. */
const LISTED_FORMS = 64;

/** Weight of a part of an identifier: low, because the whole was searched for. */
const PART_WEIGHT = 0.1;

/**
 * Converts a text query to a query of the index: words are looked up in its dictionary. Valid until the index changes.
 * Readings for classes without documents are left out. `spellings` takes what is found by edits.
 */
export function toIndexQuery(index: Index, readings: readonly TextReading[],
  spellings: KnownSpellings = new Map()): Query
{
  const present = index.classes;
  const budget = new Budget(index);
  const names = new QueryNames();
  const queries = new Map<string, { query: Query; classes: number }>();
  const wanted = readings.filter(({ root, classes }) => root !== undefined && (classes & present) !== 0);
  const translated = readEach(wanted,
    ({ root, ...reading }) => new Translation(index, reading, budget, spellings).query(root!));
  for (const [i, query] of translated.entries()) {
    const { classes } = wanted[i]!;
    const name = names.of(query);
    // Readings of several languages often result in the same words, which are searched for only once.
    queries.set(name, { query, classes: classes | (queries.get(name)?.classes ?? 0) });
  }
  return queries.size === 0
    ? NONE
    : { kind: 'or', of: [...queries.values()].map(({ query, classes }) => within(query, classes)) };
}

/**
 * A text for each query; equal queries have equal texts. Long lists of forms, such as those of patterns, are equal only
 * if they are the same array.
 */
class QueryNames {
  readonly #lists = new Map<readonly WeightedForm[], number>();

  of(query: Query): string {
    switch (query.kind) {
      case 'term':
        return `${this.#forms(query.forms)}^${query.weight ?? 1}`;
      case 'phrase':
        return `"${query.words.map(({ forms, offset }) => `${offset}:${this.#forms(forms)}`).join(' ')}"~${
          query.slop ?? ''
        }^${query.weight ?? 1}`;
      case 'and':
      case 'or':
      case 'best':
        return `${query.kind}(${query.of.map((operand) => this.of(operand)).join(' ')})`;
      case 'some':
        return `some${query.least}(${query.of.map((operand) => this.of(operand)).join(' ')})`;
      case 'not':
        return `not(${this.of(query.of)})`;
      case 'all':
      case 'none':
        return query.kind;
    }
  }

  #forms(forms: readonly WeightedForm[]): string {
    if (forms.length <= LISTED_FORMS) return forms.map(({ id, weight = 1 }) => `${id}:${weight}`).join();
    if (!this.#lists.has(forms)) this.#lists.set(forms, this.#lists.size);
    return `#${this.#lists.get(forms)}`;
  }
}

/** The remaining forms and time for a query, shared by all of its readings. */
class Budget {
  readonly #index: Patterns;
  readonly #patterns = new Map<string, readonly WeightedForm[]>();
  readonly #end = performance.now() + EXPANSION_MS;
  #patternForms = 0;
  readonly #ways = new Map<string, readonly Way[]>();
  #waysLeft = MOST_WAYS;

  constructor(index: Patterns) {
    this.#index = index;
  }

  get #isLate(): boolean {
    return performance.now() > this.#end;
  }

  checkTime(): void {
    if (this.#isLate) throw tooMuch('looking for words by patterns and edits takes too long');
  }

  formsOf(pattern: string): readonly WeightedForm[] {
    const known = this.#patterns.get(pattern);
    if (known !== undefined) return known;
    this.checkTime();
    const forms = this.#index.wildcard(pattern, PATTERN_FORMS + 1).map((id) => ({ id }));
    this.#patternForms += forms.length;
    if (this.#patternForms > PATTERN_FORMS) throw tooMuch(`the patterns stand for more than ${PATTERN_FORMS} words`);
    this.#patterns.set(pattern, forms);
    return forms;
  }

  /** The compounds with a word; none when time has run out, because the query asks for the word. */
  compoundsOf(analyzer: TermAnalyzer, form: string): readonly number[] {
    return this.#isLate ? [] : this.#index.compounds(analyzer, form);
  }

  /** The ways of some letters; when time or ways run out, only the first, or that of the tokeniser. */
  waysOf(letters: Letters): readonly Way[] {
    const key = `${letters.text} ${letters.openStart} ${letters.openEnd}`;
    const known = this.#ways.get(key);
    if (known !== undefined) return known;
    const ways = (this.#isLate ? usualWay : waysOf)(this.#index, letters).slice(0, Math.max(1, this.#waysLeft));
    this.#waysLeft -= ways.length;
    this.#ways.set(key, ways);
    return ways;
  }
}

class Translation {
  readonly #index: Patterns;
  readonly #reading: Pick<TextReading, 'analyzer' | 'expansions'>;
  readonly #budget: Budget;
  readonly #spellings: KnownSpellings;

  constructor(index: Patterns, reading: Pick<TextReading, 'analyzer' | 'expansions'>, budget: Budget,
    spellings: KnownSpellings)
  {
    this.#index = index;
    this.#reading = reading;
    this.#budget = budget;
    this.#spellings = spellings;
  }

  query(node: QueryNode): Query {
    switch (node.kind) {
      case 'term':
        return node.inCompounds === true ? this.#inCompounds(node) : this.#expanded(node);
      case 'wildcard':
        return { kind: 'term', forms: node.completes ? this.#completions(node.pattern) : this.#pattern(node.pattern) };
      case 'phrase':
        return this.#phrase(node);
      case 'proximity':
        return { kind: 'phrase', words: this.#words(node.forms), slop: node.distance, weight: node.weight };
      case 'group':
        return this.#group(node);
    }
  }

  /** The word counts among its compounds, so that it is not found to be more frequent than these. */
  #inCompounds({ form, weight }: TermNode): Query {
    const compounds = this.#budget.compoundsOf(this.#reading.analyzer, form);
    return compounds.length === 0
      ? NONE
      : { kind: 'term', forms: [...this.#formsOf(form), ...compounds.map((id) => ({ id }))], weight };
  }

  #expanded(node: TermNode): Query {
    const { weight: own = 1, parts = [] } = node;
    // The whole identifier counts as much as its parts would as words of prose.
    const weight = own * Math.max(1, parts.length);
    const terms = [...this.#term(node, weight), ...this.#anywhere(node.form, weight)];
    const more = [...this.#reading.expansions?.get(node) ?? [],
      ...parts.map((form) => ({ form, weight: PART_WEIGHT }))];
    if (more.length === 0 && terms.length === 1) return terms[0]!;
    return {
      kind: 'or',
      of: [...terms,
        ...more.map(({ form, weight }): Query => ({ kind: 'term', forms: this.#formsOf(form), weight: own * weight }))],
    };
  }

  /** Where the letters of a word stand within other words or across several. */
  #anywhere(form: string, weight: number): Query[] {
    return lettersOf(form, this.#reading.analyzer).flatMap((each) => this.#budget.waysOf(each)).map((way): Query => ({
      kind: 'phrase',
      words: inOrder(way),
      weight: weight * WITHIN_WEIGHT,
    }));
  }

  /**
   * Words of scripts without spaces that follow each other are found by their letters, as a word is, and words of
   * Korean also in a compound of them all.
   */
  #phrase({ forms, weight = 1 }: PhraseNode): Query {
    let ways: readonly Way[] = [[]];
    const runs = runsOf(forms);
    for (const [i, run] of runs.entries()) {
      const next = isSpaceless(run[0]!)
        ? this.#budget.waysOf(lettersOfPhrase(run, i === 0, i === runs.length - 1))
        : [run.map((form) => this.#formsOf(form)), ...this.#compounds(run)];
      ways = ways.flatMap((way) => next.map((more) => [...way, ...more])).slice(0, MOST_PHRASES);
    }
    return { kind: 'or', of: ways.map((way): Query => ({ kind: 'phrase', words: inOrder(way), weight })) };
  }

  #compounds(forms: readonly string[]): Way[] {
    const within = forms.length > 1 ? this.#within(compoundOf(forms, this.#reading.analyzer)) : [];
    return within.length > 0 ? [[within]] : [];
  }

  /**
   * If something is required, the optional part adds to the score of every match: `all` keeps the matches without it.
   */
  #group({ required, optional, least = 1, excluded }: GroupNode): Query {
    const [additions = [], others = [], requirements = []] = readEach([optional, excluded, required],
      (nodes) => readEach(nodes, (node) => this.query(node)));
    const exclusions = others.map((of): Query => ({ kind: 'not', of }));
    if (required.length + optional.length === 0) return NONE;
    if (required.length === 0) {
      const matches: Query = least === 1 ? { kind: 'or', of: additions } : { kind: 'some', of: additions, least };
      return exclusions.length === 0 ? matches : { kind: 'and', of: [matches, ...exclusions] };
    }
    const extra: Query[] = additions.length === 0 ? [] : [{ kind: 'or', of: [ALL, ...additions] }];
    return { kind: 'and', of: [...requirements, ...extra, ...exclusions] };
  }

  #words(forms: readonly string[]): { forms: WeightedForm[]; offset: number }[] {
    return inOrder(forms.map((form) => [...this.#formsOf(form), ...this.#within(form)]));
  }

  /** The forms that contain a word that is found by its letters. */
  #within(form: string): readonly WeightedForm[] {
    const [own] = lettersOf(form, this.#reading.analyzer);
    return own === undefined ? [] : this.#budget.waysOf(own).find(({ length }) => length === 1)?.[0] ?? [];
  }

  #term(node: TermNode, weight: number): Query[] {
    if (!isLoose(node)) return [{ kind: 'term', forms: this.#formsOf(node.form), weight }];
    this.#budget.checkTime();
    const spellings = formsByEdits(this.#index, this.#reading.analyzer, node);
    this.#spellings.set(node, spellings);
    const { exact, near, isMisspelt } = spellings;
    const forms = exact.map((id) => ({ id }));
    if (!node.keepsFirst || exact.length === 0 || near.length === 0)
      return [{ kind: 'term', forms: [...forms, ...near], weight }];
    return [{ kind: 'term', forms, weight }, {
      kind: 'term',
      forms: near,
      weight: isMisspelt ? weight : weight * BEHIND,
    }];
  }

  /** A pattern that is a word except for its end also finds what the word finds: `cats?` is `cats`. */
  #pattern(pattern: string): WeightedForm[] {
    const word = wordOf(pattern);
    return [...this.#budget.formsOf(pattern), ...word === undefined ? [] : this.#formsOf(word)];
  }

  #completions(pattern: string): WeightedForm[] {
    this.#budget.checkTime();
    const found = this.#index.wildcard(pattern, COMPLETION_CANDIDATES);
    const documents = this.#index.countForms(found);
    const forms = found.map((id, i) => ({ id, documents: documents[i]! })).sort((a, b) => b.documents - a.documents);
    return forms.slice(0, COMPLETIONS).map(({ id }) => ({ id, weight: COMPLETION_WEIGHT }));
  }

  #formsOf(form: string): WeightedForm[] {
    return exactForms(this.#index, this.#reading.analyzer, form).map((id) => ({ id }));
  }
}

/** Words that are written without a space between them, in runs, and each other word. */
function runsOf(forms: readonly string[]): string[][] {
  const runs: string[][] = [];
  for (const [i, form] of forms.entries()) {
    if (i > 0 && isSpaceless(form) === isSpaceless(forms[i - 1]!)) runs.at(-1)!.push(form);
    else runs.push([form]);
  }
  return runs;
}

function inOrder<F extends readonly WeightedForm[]>(words: readonly F[]): { forms: F; offset: number }[] {
  return words.map((forms, offset) => ({ forms, offset }));
}

/** The word of a pattern whose only wildcards are at its end, for one character or none; undefined for others. */
export function wordOf(pattern: string): string | undefined {
  return /^([^*?]+)[?]+$/.exec(pattern)?.[1];
}

function tooMuch(reason: string): ServiceError {
  return new ServiceError('invalid_argument', `query: ${reason}; use fewer or longer ones`);
}
