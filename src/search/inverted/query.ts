/**
 * A query to the index: a tree of plain objects. It is independent of query syntax, languages and stop words; its
 * author looks up the forms first (see `InvertedIndex.group`, `prefix`, `fuzzy` ...).
 *
 * - `term`: documents that have any of the forms. They count as one term: their frequencies add up, and its
 *   document frequency is that of their union. A form may weigh less than 1.
 * - `phrase`: documents in which the words stand at their offsets from a common position, in one field; or,
 * with `slop`, in any order in a window that is longer than the phrase by at most `slop`. The score is the sum of the
 * words' terms,
 *   divided by 1 + that excess.
 * - `or`, `and`: scores add up. `best`: like `or`, but only the largest score counts.
 * - `some`: documents that match at least `least` of the operands; scores add up as in `or`. A `some` must not be
 *   nested in another.
 * - `not`: every document that does not match the operand; below `and`, removes the documents that match it. Never adds
 *   a score.
 * - `all`: every document, with a score of 0. `none`: no document.
 *
 * A term, a phrase or `all` can be restricted to documents of some classes (see `InvertedIndex.add`). The weight of a
 * term is still computed from all documents, so a term has the same weight in every class.
 */
export type Query = TermQuery | PhraseQuery | OperatorQuery | SomeQuery | NotQuery | AllQuery | {
  readonly kind: 'none';
};

/** Restricts a leaf of a query to classes. */
interface InClasses {
  /** A bit for each class; all when undefined. */
  readonly classes?: number | undefined;
}

interface AllQuery extends InClasses {
  readonly kind: 'all';
}

export interface TermQuery extends InClasses {
  readonly kind: 'term';
  readonly forms: readonly WeightedForm[];
  /** Factor of the score; positive, default 1. */
  readonly weight?: number;
  /**
   * The number of live documents with the term in all indexes of a collection, of which this index is one (see
   * `PartitionedIndex`). Default: those of this index, which are counted.
   */
  readonly documents?: number | undefined;
}

/**
 * A form by its number in the index, which is valid until the next compaction: use it within the same turn of the event
 * loop.
 */
export interface WeightedForm {
  readonly id: number;
  /** Factor of the form's frequency; positive, default 1. */
  readonly weight?: number;
}

export interface PhraseQuery extends InClasses {
  readonly kind: 'phrase';
  readonly words: readonly PhraseWord[];
  /** Undefined: the exact phrase. 0: any order, but no gap. */
  readonly slop?: number | undefined;
  readonly weight?: number;
}

interface PhraseWord {
  readonly forms: readonly WeightedForm[];
  /** Position in the phrase, not descending; omitted words leave a gap. */
  readonly offset: number;
  /**
   * Words with the same name are one word, which a phrase with slop must have as often; default `nameOfWord`. In one of
   * several indexes, different words may have the same forms.
   */
  readonly name?: string | undefined;
  /** See `TermQuery`. */
  readonly documents?: number | undefined;
}

export interface OperatorQuery {
  readonly kind: 'and' | 'or' | 'best';
  readonly of: readonly Query[];
}

export interface SomeQuery {
  readonly kind: 'some';
  readonly of: readonly Query[];
  /** Minimum number of operands that must match; positive. */
  readonly least: number;
}

interface NotQuery {
  readonly kind: 'not';
  readonly of: Query;
}

/** Largest slop, and largest offset in a phrase. */
const MAX_SPAN = 1_000_000;

export const ALL: Query = { kind: 'all' };
export const NONE: Query = { kind: 'none' };

/** Maximum nesting depth of operators. */
const MAX_DEPTH = 200;

/** Maximum number of operands of a `some`: they are counted in a byte. */
const MAX_COUNTED = 255;

/** Bits of all possible classes. */
export const EVERY_CLASS = ~0;

/**
 * Throws a RangeError on queries that the index cannot evaluate: with forms that do not exist (any more), weights that
 * are not positive, words of a phrase out of order, operators that nest too deeply, or a `some` within another.
 */
export function checkQuery(query: Query, formsExist: (forms: readonly WeightedForm[]) => boolean, depth = 0): void {
  if (depth > MAX_DEPTH) throw new RangeError(`operators stand at most ${MAX_DEPTH} deep in each other`);
  switch (query.kind) {
    case 'term':
      checkWeight(query.weight);
      return checkForms(query.forms, formsExist);
    case 'phrase':
      return checkPhrase(query, formsExist);
    case 'not':
      return checkQuery(query.of, formsExist, depth + 1);
    case 'some':
      return checkSome(query, formsExist, depth);
    case 'and':
    case 'or':
    case 'best':
      for (const operand of query.of) checkQuery(operand, formsExist, depth + 1);
  }
}

function checkSome({ of, least }: SomeQuery, formsExist: (forms: readonly WeightedForm[]) => boolean,
  depth: number): void
{
  if (!(Number.isInteger(least) && least > 0))
    throw new RangeError(`the least number of operands is a positive integer, got ${least}`);
  if (of.length > MAX_COUNTED) throw new RangeError(`at most ${MAX_COUNTED} operands are counted, got ${of.length}`);
  if (of.some(counts)) throw new RangeError('operands that are counted have none of that kind within');
  for (const operand of of) checkQuery(operand, formsExist, depth + 1);
}

function counts(query: Query): boolean {
  if (query.kind === 'some') return true;
  if (query.kind === 'not') return counts(query.of);
  return 'of' in query && query.of.some(counts);
}

function checkPhrase({ words, slop = 0, weight }: PhraseQuery,
  formsExist: (forms: readonly WeightedForm[]) => boolean): void
{
  checkWeight(weight);
  if (!(Number.isInteger(slop) && slop >= 0 && slop <= MAX_SPAN))
    throw new RangeError(`a slop is an integer from 0 to ${MAX_SPAN}, got ${slop}`);
  let last = words[0]?.offset ?? 0;
  for (const { forms, offset } of words) {
    checkForms(forms, formsExist);
    if (!(Number.isInteger(offset) && offset >= last && offset <= MAX_SPAN))
      throw new RangeError(
        `offsets in a phrase are integers that ascend or stay, up to ${MAX_SPAN}; got ${offset} behind ${last}`,
      );
    last = offset;
  }
}

function checkForms(forms: readonly WeightedForm[], formsExist: (forms: readonly WeightedForm[]) => boolean): void {
  for (const { id, weight } of forms) {
    checkWeight(weight);
    if (!(Number.isInteger(id) && id > 0 && id <= 0xffff_ffff)) throw new RangeError(`the index has no form ${id}`);
  }
  if (!formsExist(forms))
    throw new RangeError(`the index has not all of the forms ${forms.slice(0, 10).map(({ id }) => id).join(', ')}`);
}

/** Bounded so that 32-bit floating point can distinguish every score from zero and infinity. */
function checkWeight(weight = 1): void {
  if (!(weight >= 1e-6 && weight <= 1e6)) throw new RangeError(`a weight is a number from 1e-6 to 1e6, got ${weight}`);
}

/** Restricts a query to the documents of some classes. */
export function within(query: Query, classes: number): Query {
  switch (query.kind) {
    case 'term':
    case 'phrase':
    case 'all':
      return { ...query, classes: (query.classes ?? EVERY_CLASS) & classes };
    case 'or':
    case 'best':
      return { kind: query.kind, of: query.of.map((operand) => within(operand, classes)) };
    case 'some':
      return { ...query, of: query.of.map((operand) => within(operand, classes)) };
    case 'and':
      return { kind: 'and', of: allWithin(query.of, classes) };
    case 'not':
      return { kind: 'and', of: [{ kind: 'all', classes }, query] };
    case 'none':
      return query;
  }
}

/** A `not` need not be restricted if another operand of the `and` is. */
function allWithin(operands: readonly Query[], classes: number): Query[] {
  const isRequired = ({ kind }: Query): boolean => kind !== 'not';
  return operands.some(isRequired)
    ? operands.map((operand) => (isRequired(operand) ? within(operand, classes) : operand))
    : [{ kind: 'all', classes }, ...operands];
}

/**
 * Returns an equivalent query with as little nesting as possible: operands of the same operator are joined, double
 * negations, `none` and operators with one operand are removed, and `not` occurs only below an `and` that has another
 * operand. Terms that differ only in their classes are joined, and classes that include all documents are omitted.
 * `present` has the bits of the classes that documents have.
 */
export function simplify(query: Query, present: number): Query {
  switch (query.kind) {
    case 'term':
      return query.forms.length === 0 ? NONE : inPresent(query, present);
    case 'phrase':
      return inPresent(simplifyPhrase(query), present);
    case 'not':
      return negate(simplify(query.of, present));
    case 'and':
      return simplifyAnd(query.of.map((operand) => simplify(operand, present)));
    case 'or':
    case 'best':
      return simplifyOr(query.kind, query.of.map((operand) => simplify(operand, present)), present);
    case 'some':
      return simplifySome(query.of.map((operand) => simplify(operand, present)), query.least, present);
    case 'all':
      return inPresent(query, present);
    case 'none':
      return query;
  }
}

/** Returns `none` for a leaf in classes that no document has, and omits classes that include all documents. */
function inPresent(query: Query, present: number): Query {
  if (!('classes' in query) || query.classes === undefined) return query;
  const classes = query.classes & present;
  if (classes === 0) return NONE;
  const { classes: _, ...everywhere } = query;
  return classes === present ? everywhere : { ...query, classes };
}

function simplifyPhrase({ words, slop, weight, classes }: PhraseQuery): Query {
  if (words.length === 0 || words.some(({ forms }) => forms.length === 0)) return NONE;
  const [first] = words;
  const more = { ...(weight !== undefined && { weight }), ...(classes !== undefined && { classes }) };
  if (words.length > 1) return { kind: 'phrase', words, slop, ...more };
  const { forms, documents } = first!;
  return { kind: 'term', forms, ...more, ...(documents !== undefined && { documents }) };
}

function simplifyAnd(operands: readonly Query[]): Query {
  const flat = operands.flatMap((operand) => (operand.kind === 'and' ? operand.of : [operand]));
  if (flat.some(({ kind }) => kind === 'none')) return NONE;
  const positive = flat.filter((operand) => operand.kind !== 'not' && !isEverything(operand));
  const negative = flat.filter(({ kind }) => kind === 'not');
  const matched = positive.length > 0 ? positive : [ALL];
  return matched.length + negative.length === 1 ? matched[0]! : { kind: 'and', of: [...matched, ...negative] };
}

/** Whether a simple query is `all` without classes. */
function isEverything(query: Query): boolean {
  return query.kind === 'all' && query.classes === undefined;
}

function simplifyOr(kind: 'or' | 'best', operands: readonly Query[], present: number): Query {
  const flat = operands.flatMap((operand) => (operand.kind === kind ? operand.of : [operand])).filter((operand) =>
    operand.kind !== 'none'
  );
  const joined = joinClasses(flat).map((operand) => inPresent(operand, present));
  if (joined.length === 0) return NONE;
  return joined.length === 1 ? joined[0]! : { kind, of: joined };
}

/** Operands that match nothing do not count towards `least`. */
function simplifySome(operands: readonly Query[], least: number, present: number): Query {
  const left = operands.filter(({ kind }) => kind !== 'none');
  if (left.length < least) return NONE;
  if (least === 1) return simplifyOr('or', left, present);
  return left.length === least ? simplifyAnd(left) : { kind: 'some', of: left, least };
}

/** Longer lists of forms, such as those of patterns, are not compared. */
const JOINED_FORMS = 64;

/** Joins terms with the same forms and weight in different classes. */
function joinClasses(operands: readonly Query[]): Query[] {
  const joined: Query[] = [];
  // Places of terms by the sum of their forms, which most other terms do not have.
  const places = new Map<number, number[]>();
  for (const operand of operands) {
    if (operand.kind !== 'term' || operand.classes === undefined || operand.forms.length > JOINED_FORMS) {
      joined.push(operand);
      continue;
    }
    const sum = operand.forms.reduce((all, { id }) => all + id, 0);
    const alike = places.get(sum) ?? [];
    const place = alike.findLast((each) => isAlike(joined[each] as TermQuery, operand));
    const former = place === undefined ? undefined : joined[place] as TermQuery;
    // If two terms share a class, both count.
    if (place !== undefined && former !== undefined && (former.classes! & operand.classes) === 0)
      joined[place] = { ...former, classes: former.classes! | operand.classes };
    else places.set(sum, [...alike, joined.push(operand) - 1]);
  }
  return joined;
}

/** Whether two terms have the same weight and the same forms, in any order; both in all indexes of a collection. */
function isAlike(a: TermQuery, b: TermQuery): boolean {
  if ((a.weight ?? 1) !== (b.weight ?? 1) || a.forms.length !== b.forms.length || a.documents !== b.documents)
    return false;
  return a.forms.every((form, i) => isSameForm(form, b.forms[i]!)) || namesOf(a) === namesOf(b);
}

function isSameForm(a: WeightedForm, b: WeightedForm): boolean {
  return a.id === b.id && (a.weight ?? 1) === (b.weight ?? 1);
}

function namesOf({ forms }: TermQuery): string {
  return forms.map(({ id, weight = 1 }) => `${id}:${weight}`).sort().join(' ');
}

/** A simple query for the documents that the given one does not match. */
function negate(query: Query): Query {
  if (query.kind === 'none') return ALL;
  if (isEverything(query)) return NONE;
  return { kind: 'and', of: [ALL, { kind: 'not', of: query }] };
}

/** The name of a word of a phrase: the numbers of its forms. */
export function nameOfWord(forms: readonly WeightedForm[]): string {
  return forms.map(({ id }) => id).sort((a, b) => a - b).join();
}

/** Removes repeated forms; the last occurrence of a form determines its weight. */
export function withoutRepeats(forms: readonly WeightedForm[]): readonly WeightedForm[] {
  return repeats(forms) ? [...new Map(forms.map((form) => [form.id, form])).values()] : forms;
}

/** Optimised for the few forms of a word. */
function repeats(forms: readonly WeightedForm[]): boolean {
  if (forms.length > 12) return new Set(forms.map(({ id }) => id)).size < forms.length;
  return forms.some(({ id }, i) => forms.findIndex((other) => other.id === id) < i);
}
