import { withinEdits } from '../../../lib/did-you-mean.ts';
import type { FuzzyForm, InvertedIndex } from '../../../search/inverted/index.ts';
import { withGuesses } from '../../../search/parts/index.ts';
import { foldDiacritics } from '../../../text/folding.ts';
import type { TermNode } from '../../../text/query/index.ts';
import type { TermAnalyzer } from './text-index.ts';

/** What is asked of an index to find forms. */
export type Forms = Pick<InvertedIndex,
  'group' | 'unstemmed' | 'fuzzy' | 'begunLike' | 'prefix' | 'countForms' | 'textOf'>;

/** Maximum number of forms that a fuzzy term matches, and of dictionary entries that they are chosen from. */
const FUZZY_FORMS = 50;
const FUZZY_CANDIDATES = 5000;
/** Factor of a form's weight for each edit. */
const EDIT_WEIGHT = 0.8;
/** A word is misspelt if no document has it, or if a word one edit away is in this many times as many documents. */
const MISSPELT_FROM = 100;
/** Number of forms whose inflections are added to those found by edits: the likeliest corrections. */
const FUZZY_GROUPS = 3;
/** Edits by which inflections are searched for, and minimum number of letters of a stem that may be misspelt. */
const MOST_EDITS = 2;
const STEM_FROM = 4;
/**
 * Maximum number of completions of a word that is being typed, number of dictionary entries that they are chosen from,
 * and weight of each.
 */
export const COMPLETIONS = 100;
export const COMPLETION_CANDIDATES = 5000;
export const COMPLETION_WEIGHT = 0.5;

/** A form that is spelled like a term. */
interface NearForm extends FuzzyForm {
  /** Factor of its frequency. */
  readonly weight: number;
}

/** The spellings of terms that were looked up for the same state of an index. */
export type KnownSpellings = Map<TermNode, Spellings>;

/** The forms of a term, and those that are spelled like it. */
interface Spellings {
  readonly exact: readonly number[];
  /** The nearest first, of equally near ones the most frequent. */
  readonly near: readonly NearForm[];
  /** Whether `near` is probably what was meant. */
  readonly isMisspelt: boolean;
}

/**
 * The forms of a term, and forms at an edit distance from it: the nearest, and of these the most frequent. With
 * `keepsFirst`, which keeps the first character, inflections of the nearest are found as well, and, for a word that has
 * no form itself, forms whose stem is near its stem; with `begins`, forms that begin with something near as well.
 */
export function formsByEdits(index: Forms, analyzer: TermAnalyzer, term: Misspellable): Spellings {
  return withGuesses((guess) =>
    spellingsOf({
      group: (by, form) => index.group(by, form),
      unstemmed: (form) => index.unstemmed(form),
      fuzzy: (word, edits, limit) => index.fuzzy(word, edits, limit),
      begunLike: (word, edits, kept, limit) => index.begunLike(word, edits, kept, limit),
      prefix: (prefix, limit) => index.prefix(prefix, limit),
      textOf: (form) => index.textOf(form),
      countForms: (forms) => guess(() => index.countForms(forms), new Uint32Array(forms.length)),
    }, analyzer, term)
  );
}

type Misspellable = Pick<TermNode, 'form' | 'fuzzy' | 'keepsFirst' | 'begins'>;

function spellingsOf(index: Forms, analyzer: TermAnalyzer,
  { form, fuzzy = 0, keepsFirst = false, begins = false }: Misspellable): Spellings
{
  const exact = exactForms(index, analyzer, form);
  const known = new Set(exact);
  const spelledLike = index.fuzzy(form, fuzzy, FUZZY_CANDIDATES).filter(({ id }) => !known.has(id));
  const others = keepsFirst && exact.length === 0
    ? withStemsLike(index, analyzer, { form, fuzzy }, spelledLike)
    : spelledLike;
  const best = nearestOf(index, keepsFirst ? withFirstOf(index, form, others, exact.length > 0) : others, FUZZY_FORMS);
  const near = keepsFirst ? withInflections(index, analyzer, best, known) : best;
  const found = new Set(near.map(({ id }) => id));
  const begun = begins && exact.length === 0 ? begunLike(index, form, fuzzy).filter(({ id }) => !found.has(id)) : [];
  return {
    exact,
    near: [...near.map((one) => ({ ...one, weight: EDIT_WEIGHT ** one.distance })),
      ...begun.map((one) => ({ ...one, weight: COMPLETION_WEIGHT * EDIT_WEIGHT ** one.distance }))],
    isMisspelt: isMisspelt(index, exact, near),
  };
}

/** The nearest, and of equally near ones the most frequent; of equally frequent ones those that were found first. */
function nearestOf(index: Pick<Forms, 'countForms'>, near: readonly FuzzyForm[], limit: number): FuzzyForm[] {
  const documents = index.countForms(near.map(({ id }) => id));
  return near.map(({ id, distance }, i) => ({ id, distance, documents: documents[i]! })).sort((a, b) =>
    a.distance - b.distance || b.documents - a.documents
  ).slice(0, limit);
}

function isMisspelt(index: Pick<Forms, 'countForms'>, exact: readonly number[],
  [nearest]: readonly FuzzyForm[]): boolean
{
  if (nearest === undefined) return false;
  const [like, ...own] = index.countForms([nearest.id, ...exact]);
  const documents = own.reduce((sum, count) => sum + count, 0);
  return documents === 0 || (nearest.distance === 1 && like! >= MISSPELT_FROM * documents);
}

/**
 * The most frequent words that begin with something like a word that is being typed, with as few edits as possible:
 * first those that begin with the same character. None if words begin with exactly that.
 */
function begunLike(index: Forms, form: string, fuzzy: number): FuzzyForm[] {
  if (index.prefix(form, 1).length > 0) return [];
  for (const kept of [1, 0]) {
    for (let edits = 1; edits <= fuzzy; edits++) {
      const found = index.begunLike(form, edits as 1 | 2, kept, COMPLETION_CANDIDATES);
      if (found.length > 0) return nearestOf(index, found, COMPLETIONS);
    }
  }
  return [];
}

/**
 * Those that begin with the same character, or with the first two swapped; if the word itself is unknown, those that
 * are nearer than all of these as well.
 */
function withFirstOf(index: Pick<Forms, 'textOf'>, form: string, near: readonly FuzzyForm[],
  isKnown: boolean): readonly FuzzyForm[]
{
  const [first, second] = startOf(form);
  const kept = near.filter(({ id }) => {
    const [one, two] = startOf(index.textOf(id));
    return one === first || (one === second && two === first);
  });
  if (isKnown) return kept;
  const nearest = Math.min(...kept.map(({ distance }) => distance));
  const same = new Set(kept);
  return near.filter((one) => same.has(one) || one.distance < nearest);
}

/** The first two characters of a form without diacritics. */
function startOf(form: string): readonly (string | undefined)[] {
  const characters = foldDiacritics(form)[Symbol.iterator]();
  return [characters.next().value, characters.next().value];
}

/**
 * Adds forms that are one edit further away if the difference in the ending accounts for it: the stem must be as near
 * as the word may be.
 */
function withStemsLike(index: Forms, analyzer: TermAnalyzer,
  { form, fuzzy }: { readonly form: string; readonly fuzzy: number }, near: readonly FuzzyForm[]): readonly FuzzyForm[]
{
  const stem = [...analyzer.term(form)];
  if (!analyzer.stemming || fuzzy === 0 || fuzzy >= MOST_EDITS || stem.length < STEM_FROM) return near;
  const known = new Set(near.map(({ id }) => id));
  const further = index.fuzzy(form, MOST_EDITS, FUZZY_CANDIDATES).filter(({ id }) =>
    !known.has(id) && withinEdits(stem, [...analyzer.term(index.textOf(id))], fuzzy)
  );
  return [...near, ...further.map(({ id }) => ({ id, distance: fuzzy }))];
}

/** Adds inflections: a misspelt word has no known stem, so its inflections are further away than the allowed edits. */
function withInflections(index: Forms, analyzer: TermAnalyzer, near: readonly FuzzyForm[],
  exact: ReadonlySet<number>): FuzzyForm[]
{
  const found = new Map(near.map((form) => [form.id, form]));
  for (const { id, distance } of near.slice(0, FUZZY_GROUPS)) {
    const others = exactForms(index, analyzer, index.textOf(id)).filter((other) =>
      !exact.has(other) && !found.has(other)
    );
    for (const other of byText(index, others)) found.set(other, { id: other, distance });
  }
  return [...found.values()];
}

/** Forms in an order that does not depend on their numbers. */
function byText(index: Pick<Forms, 'textOf'>, forms: readonly number[]): readonly number[] {
  if (forms.length < 2) return forms;
  const texts = forms.map((id) => ({ id, text: index.textOf(id) }));
  return texts.sort((a, b) => (a.text < b.text ? -1 : 1)).map(({ id }) => id);
}

/** The forms of a term. */
export function exactForms(index: Pick<Forms, 'group' | 'unstemmed'>, analyzer: TermAnalyzer,
  form: string): readonly number[]
{
  return analyzer.stemming ? index.group(analyzer, form) : index.unstemmed(form);
}
