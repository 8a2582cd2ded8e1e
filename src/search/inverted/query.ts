/**
 * What the index is asked: a tree of plain objects. It knows nothing of query syntax, languages or stop
 * words; whoever builds it has looked up the forms (see `InvertedIndex.group`, `prefix`, `fuzzy` ...).
 *
 * - `term`: documents that have any of the forms. They count as one term: their frequencies add up, and its
 *   document frequency is that of their union. A form may weigh less than 1.
 * - `phrase`: documents in which the words stand at their offsets from a common position, in one field; or,
 *   with `slop`, in any order in a window whose span passes that of the phrase by at most `slop`. Scores as the sum of the
 *   words' terms, over 1 + that excess (decision D-86).
 * - `or`, `and`: scores add up. `best`: as `or`, but the largest score counts.
 * - `some`: documents that at least so many of the operands match; scores add up as in `or`. None may stand within another.
 * - `not`: every document that the operand does not match; below `and`, those are taken away. Never adds a score.
 * - `all`: every document, with a score of 0. `none`: no document.
 *
 * A term, a phrase or `all` may be asked for in documents of some classes only (see `InvertedIndex.add`). The weight of a term stays
 * that of all documents: one that is asked for in another class besides is worth the same in both.
 */
export type Query = TermQuery | PhraseQuery | OperatorQuery | SomeQuery | NotQuery | AllQuery | { readonly kind: 'none' };

/** Where a leaf of a query is asked for. */
interface InClasses {
  /** A bit for each class; all when undefined. */
  readonly classes?: number | undefined;
}

export interface AllQuery extends InClasses {
  readonly kind: 'all';
}

export interface TermQuery extends InClasses {
  readonly kind: 'term';
  readonly forms: readonly WeightedForm[];
  /** Multiplies the score; positive, default 1. */
  readonly weight?: number;
}

/** A form by its number in the index, which is good until the next compaction, so for the same turn of the event loop. */
export interface WeightedForm {
  readonly id: number;
  /** Multiplies the form's frequency; positive, default 1. */
  readonly weight?: number;
}

export interface PhraseQuery extends InClasses {
  readonly kind: 'phrase';
  readonly words: readonly PhraseWord[];
  /** Without it, or undefined: exact. 0: any order, but no gap. */
  readonly slop?: number | undefined;
  readonly weight?: number;
}

export interface PhraseWord {
  readonly forms: readonly WeightedForm[];
  /** Position in the phrase; words that were left out leave a gap. Not descending. */
  readonly offset: number;
}

export interface OperatorQuery {
  readonly kind: 'and' | 'or' | 'best';
  readonly of: readonly Query[];
}

export interface SomeQuery {
  readonly kind: 'some';
  readonly of: readonly Query[];
  /** Operands that have to match; positive. */
  readonly least: number;
}

export interface NotQuery {
  readonly kind: 'not';
  readonly of: Query;
}

/** Largest slop, and offset in a phrase. */
const MAX_SPAN = 1_000_000;

export const ALL: Query = { kind: 'all' };
export const NONE: Query = { kind: 'none' };

/** Operators within operators, at most. */
const MAX_DEPTH = 200;

/** Operands of a `some`, at most: they are counted in a byte. */
const MAX_COUNTED = 255;

/** Bits of all classes that there may be. */
export const EVERY_CLASS = ~0;

/**
 * Throws a RangeError when a query has what the index cannot take: forms that it has not (any more), weights that are not
 * positive, words of a phrase out of order, operators too deep in each other, a `some` within another.
 */
export function checkQuery(query: Query, formsExist: (forms: readonly WeightedForm[]) => boolean, depth = 0): void {
  if (depth > MAX_DEPTH) throw new RangeError(`operators stand at most ${MAX_DEPTH} deep in each other`);
  switch (query.kind) {
    case 'term':
      checkWeight(query.weight);
      return checkForms(query.forms, formsExist);
    case 'phrase': return checkPhrase(query, formsExist);
    case 'not': return checkQuery(query.of, formsExist, depth + 1);
    case 'some': return checkSome(query, formsExist, depth);
    case 'and': case 'or': case 'best':
      for (const operand of query.of) checkQuery(operand, formsExist, depth + 1);
  }
}

function checkSome({ of, least }: SomeQuery, formsExist: (forms: readonly WeightedForm[]) => boolean, depth: number): void {
  if (!(Number.isInteger(least) && least > 0)) throw new RangeError(`the least number of operands is a positive integer, got ${least}`);
  if (of.length > MAX_COUNTED) throw new RangeError(`at most ${MAX_COUNTED} operands are counted, got ${of.length}`);
  if (of.some(counts)) throw new RangeError('operands that are counted have none of that kind within');
  for (const operand of of) checkQuery(operand, formsExist, depth + 1);
}

function counts(query: Query): boolean {
  if (query.kind === 'some') return true;
  if (query.kind === 'not') return counts(query.of);
  return 'of' in query && query.of.some(counts);
}

function checkPhrase({ words, slop = 0, weight }: PhraseQuery, formsExist: (forms: readonly WeightedForm[]) => boolean): void {
  checkWeight(weight);
  if (!(Number.isInteger(slop) && slop >= 0 && slop <= MAX_SPAN)) throw new RangeError(`a slop is an integer from 0 to ${MAX_SPAN}, got ${slop}`);
  let last = words[0]?.offset ?? 0;
  for (const { forms, offset } of words) {
    checkForms(forms, formsExist);
    if (!(Number.isInteger(offset) && offset >= last && offset <= MAX_SPAN)) throw new RangeError(`offsets in a phrase are integers that do not descend, got ${offset} behind ${last}`);
    last = offset;
  }
}

function checkForms(forms: readonly WeightedForm[], formsExist: (forms: readonly WeightedForm[]) => boolean): void {
  for (const { id, weight } of forms) {
    checkWeight(weight);
    if (!(Number.isInteger(id) && id > 0 && id <= 0xffff_ffff)) throw new RangeError(`the index has no form ${id}`);
  }
  if (!formsExist(forms)) throw new RangeError(`the index has not all of the forms ${forms.slice(0, 10).map(({ id }) => id).join(', ')}`);
}

/** Bounded so that no score leaves what 32-bit floating point tells from zero and infinity. */
function checkWeight(weight = 1): void {
  if (!(weight >= 1e-6 && weight <= 1e6)) throw new RangeError(`a weight is a number from 1e-6 to 1e6, got ${weight}`);
}

/** What a query matches among the documents of some classes. */
export function within(query: Query, classes: number): Query {
  switch (query.kind) {
    case 'term': case 'phrase': case 'all': return { ...query, classes: (query.classes ?? EVERY_CLASS) & classes };
    case 'or': case 'best': return { kind: query.kind, of: query.of.map((operand) => within(operand, classes)) };
    case 'some': return { ...query, of: query.of.map((operand) => within(operand, classes)) };
    case 'and': return { kind: 'and', of: allWithin(query.of, classes) };
    case 'not': return { kind: 'and', of: [{ kind: 'all', classes }, query] };
    case 'none': return query;
  }
}

/** What is taken away need not be restricted where something else is required. */
function allWithin(operands: readonly Query[], classes: number): Query[] {
  const isRequired = ({ kind }: Query): boolean => kind !== 'not';
  return operands.some(isRequired) ? operands.map((operand) => (isRequired(operand) ? within(operand, classes) : operand)) : [{ kind: 'all', classes }, ...operands];
}

/**
 * An equal query whose operators are nested no deeper than they need be: operands of the same operator are joined,
 * double negations, `none` and operators of one operand are gone, and `not` stands below `and` only, which has
 * another operand there. Terms that differ in their classes alone are joined, and classes that all documents have are not
 * named. `present` has the bits of the classes that documents have.
 */
export function simplify(query: Query, present: number): Query {
  switch (query.kind) {
    case 'term': return query.forms.length === 0 ? NONE : inPresent(query, present);
    case 'phrase': return inPresent(simplifyPhrase(query), present);
    case 'not': return negate(simplify(query.of, present));
    case 'and': return simplifyAnd(query.of.map((operand) => simplify(operand, present)));
    case 'or': case 'best': return simplifyOr(query.kind, query.of.map((operand) => simplify(operand, present)), present);
    case 'some': return simplifySome(query.of.map((operand) => simplify(operand, present)), query.least, present);
    case 'all': return inPresent(query, present);
    case 'none': return query;
  }
}

/** A leaf without classes that no document has; one that is asked for in all is asked for everywhere. */
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
  return words.length === 1 ? { kind: 'term', forms: first!.forms, ...more } : { kind: 'phrase', words, slop, ...more };
}

function simplifyAnd(operands: readonly Query[]): Query {
  const flat = operands.flatMap((operand) => (operand.kind === 'and' ? operand.of : [operand]));
  if (flat.some(({ kind }) => kind === 'none')) return NONE;
  const positive = flat.filter((operand) => operand.kind !== 'not' && !isEverything(operand));
  const negative = flat.filter(({ kind }) => kind === 'not');
  const matched = positive.length > 0 ? positive : [ALL];
  return matched.length + negative.length === 1 ? matched[0]! : { kind: 'and', of: [...matched, ...negative] };
}

/** Whether a simple query is `all` of all classes. */
function isEverything(query: Query): boolean {
  return query.kind === 'all' && query.classes === undefined;
}

function simplifyOr(kind: 'or' | 'best', operands: readonly Query[], present: number): Query {
  const flat = operands.flatMap((operand) => (operand.kind === kind ? operand.of : [operand])).filter((operand) => operand.kind !== 'none');
  const joined = joinClasses(flat).map((operand) => inPresent(operand, present));
  if (joined.length === 0) return NONE;
  return joined.length === 1 ? joined[0]! : { kind, of: joined };
}

/** Operands that match nothing count against the number that has to match. */
function simplifySome(operands: readonly Query[], least: number, present: number): Query {
  const left = operands.filter(({ kind }) => kind !== 'none');
  if (left.length < least) return NONE;
  if (least === 1) return simplifyOr('or', left, present);
  return left.length === least ? simplifyAnd(left) : { kind: 'some', of: left, least };
}

/** Longer lists of forms, as patterns have them, are not compared. */
const JOINED_FORMS = 64;

/** Operands where terms of the same forms and weight that are asked for in different classes are one. */
function joinClasses(operands: readonly Query[]): Query[] {
  const joined: Query[] = [];
  const places = new Map<string, number>();
  for (const operand of operands) {
    if (operand.kind !== 'term' || operand.classes === undefined || operand.forms.length > JOINED_FORMS) {
      joined.push(operand);
      continue;
    }
    const name = `${operand.weight ?? 1} ${operand.forms.map(({ id, weight = 1 }) => `${id}:${weight}`).sort().join(' ')}`;
    const place = places.get(name);
    const former = place === undefined ? undefined : joined[place] as TermQuery;
    // Of two that are asked for in the same class, both count.
    if (place !== undefined && former !== undefined && (former.classes! & operand.classes) === 0) joined[place] = { ...former, classes: former.classes! | operand.classes };
    else places.set(name, joined.push(operand) - 1);
  }
  return joined;
}

/** The documents that a simple query does not match, as a query of its own. */
function negate(query: Query): Query {
  if (query.kind === 'none') return ALL;
  if (isEverything(query)) return NONE;
  return { kind: 'and', of: [ALL, { kind: 'not', of: query }] };
}

/** Each form once; where one comes again, what is said of it last counts. */
export function withoutRepeats(forms: readonly WeightedForm[]): readonly WeightedForm[] {
  return repeats(forms) ? [...new Map(forms.map((form) => [form.id, form])).values()] : forms;
}

/** Quick for the few forms that a word has. */
function repeats(forms: readonly WeightedForm[]): boolean {
  if (forms.length > 12) return new Set(forms.map(({ id }) => id)).size < forms.length;
  return forms.some(({ id }, i) => forms.findIndex((other) => other.id === id) < i);
}
