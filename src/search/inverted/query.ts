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
 * - `not`: every document that the operand does not match; below `and`, those are taken away. Never adds a score.
 * - `all`: every document, with a score of 0. `none`: no document.
 */
export type Query = TermQuery | PhraseQuery | OperatorQuery | NotQuery | { readonly kind: 'all' } | { readonly kind: 'none' };

export interface TermQuery {
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

export interface PhraseQuery {
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

/**
 * Throws a RangeError when a query has what the index cannot take: forms that it has not (any more), weights that are not
 * positive, words of a phrase out of order, operators too deep in each other.
 */
export function checkQuery(query: Query, formsExist: (forms: readonly WeightedForm[]) => boolean, depth = 0): void {
  if (depth > MAX_DEPTH) throw new RangeError(`operators stand at most ${MAX_DEPTH} deep in each other`);
  switch (query.kind) {
    case 'term':
      checkWeight(query.weight);
      return checkForms(query.forms, formsExist);
    case 'phrase': return checkPhrase(query, formsExist);
    case 'not': return checkQuery(query.of, formsExist, depth + 1);
    case 'and': case 'or': case 'best':
      for (const operand of query.of) checkQuery(operand, formsExist, depth + 1);
  }
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

/**
 * An equal query whose operators are nested no deeper than they need be: operands of the same operator are joined,
 * double negations, `none` and operators of one operand are gone, and `not` stands below `and` only, which has
 * another operand there.
 */
export function simplify(query: Query): Query {
  switch (query.kind) {
    case 'term': return query.forms.length === 0 ? NONE : query;
    case 'phrase': return simplifyPhrase(query);
    case 'not': return negate(simplify(query.of));
    case 'and': return simplifyAnd(query.of.map(simplify));
    case 'or': case 'best': return simplifyOr(query.kind, query.of.map(simplify));
    default: return query;
  }
}

function simplifyPhrase({ words, slop, weight }: PhraseQuery): Query {
  if (words.length === 0 || words.some(({ forms }) => forms.length === 0)) return NONE;
  const [first] = words;
  if (words.length === 1) return { kind: 'term', forms: first!.forms, ...(weight === undefined ? {} : { weight }) };
  return { kind: 'phrase', words, slop, ...(weight === undefined ? {} : { weight }) };
}

function simplifyAnd(operands: readonly Query[]): Query {
  const flat = operands.flatMap((operand) => (operand.kind === 'and' ? operand.of : [operand]));
  if (flat.some(({ kind }) => kind === 'none')) return NONE;
  const positive = flat.filter(({ kind }) => kind !== 'not' && kind !== 'all');
  const negative = flat.filter(({ kind }) => kind === 'not');
  const matched = positive.length > 0 ? positive : [ALL];
  return matched.length + negative.length === 1 ? matched[0]! : { kind: 'and', of: [...matched, ...negative] };
}

function simplifyOr(kind: 'or' | 'best', operands: readonly Query[]): Query {
  const flat = operands.flatMap((operand) => (operand.kind === kind ? operand.of : [operand])).filter((operand) => operand.kind !== 'none');
  if (flat.length === 0) return NONE;
  return flat.length === 1 ? flat[0]! : { kind, of: flat };
}

/** The documents that a simple query does not match, as a query of its own. */
function negate(query: Query): Query {
  if (query.kind === 'none') return ALL;
  if (query.kind === 'all') return NONE;
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
