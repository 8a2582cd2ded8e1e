import type { InvertedKernel } from '../../kernels/inverted.ts';
import type { Scoring } from './algorithm.ts';
import { EVERY_CLASS, nameOfWord, type PhraseQuery, type TermQuery, type WeightedForm,
  withoutRepeats } from './query.ts';
import type { WeightedList } from './selection.ts';

/**
 * Removes from a level the documents that have all words of a phrase but not the phrase. `lists` are the lists of the
 * words, if all are remembered.
 */
export function keepPhrase(kernel: InvertedKernel, words: Words, slop: number | undefined, level: number,
  scored: boolean, lists: readonly WeightedList[] | undefined): void
{
  const withPositions = lists?.map(({ list }) => (kernel.call.recallPositions(list) !== 0 ? list : 0));
  const known = withPositions?.includes(0) === false ? withPositions : undefined;
  kernel.inputNumbers(slop === undefined ? exactPhrase(words, known) : loosePhrase(words, slop, known));
  kernel.call.keepPhrase(level, scored ? 1 : 0);
}

/**
 * Finds the documents that have an exact phrase, by the postings of its words. Returns whether it did, which it does
 * not if all words are too frequent.
 */
export function findPhrase(kernel: InvertedKernel, words: Words): boolean {
  kernel.inputNumbers(exactPhrase(words));
  return kernel.call.findPhrase() !== 0;
}

type Words = PhraseQuery['words'];

// The numbers that describe a phrase to asm/inverted/phrases.ts. `lists` are the cached lists of its words, if all are
// remembered with their positions; the forms of the words are omitted then.

interface Wanted {
  /** The offset of the word, or the number of times that it must occur. */
  readonly wanted: number;
  readonly forms: readonly WeightedForm[];
  readonly list: number | undefined;
}

/** Each word at its offset from a common position. */
function exactPhrase(words: Words, lists?: readonly number[]): number[] {
  const first = words[0]!.offset;
  return described(words.map(({ forms, offset }, i) => ({ wanted: offset - first, forms, list: lists?.[i] })), true, 0,
    0);
}

/** All words within a window; words with the same forms become one that must occur as often. */
function loosePhrase(words: Words, slop: number, lists?: readonly number[]): number[] {
  const span = words.at(-1)!.offset - words[0]!.offset;
  const wanted = new Map<string, Wanted>();
  for (const [i, { forms, name = nameOfWord(forms) }] of words.entries()) {
    wanted.set(name, { wanted: (wanted.get(name)?.wanted ?? 0) + 1, forms, list: lists?.[i] });
  }
  return described([...wanted.values()], false, span, slop);
}

function described(words: readonly Wanted[], exact: boolean, span: number, slop: number): number[] {
  const byForms = words.some(({ list }) => list === undefined);
  const places: number[] = [];
  let total = 0;
  for (const { wanted, forms, list } of words) {
    if (!byForms) {
      places.push(wanted, list!);
      continue;
    }
    const distinct = withoutRepeats(forms);
    places.push(wanted, distinct.length);
    for (const { id } of distinct) places.push(id);
    total += distinct.length;
  }
  return [words.length, exact ? 1 : 0, span, slop, total, ...places];
}

const WEIGHT = new Float64Array(1);
const WEIGHT_BITS = new Uint32Array(WEIGHT.buffer);

/** Stands for "no slop" in a name. */
const EXACT = 0xffff_ffff;

/**
 * Begin the names of matches whose terms have given numbers of documents: no weight of a phrase is negative. A name has
 * then the weights that follow from these numbers, which may change without a change of the index.
 */
const GIVEN_PHRASE = -1;
const GIVEN_TERMS = -2;

/**
 * The matches of a phrase, or of terms that are all required, as a cached list (asm/inverted/lists/matches.ts). Its
 * name consists of the numbers that decide which documents match and how they score. It has no name, and is not
 * remembered, if the index remembers nothing or forms have weights.
 */
export class KnownMatches {
  readonly #kernel: InvertedKernel;
  readonly #name: readonly number[] | undefined;

  private constructor(kernel: InvertedKernel, forms: readonly (readonly WeightedForm[])[], name: () => number[]) {
    this.#kernel = kernel;
    this.#name = kernel.call.remembers() !== 0 && forms.every((some) => some.every(({ weight = 1 }) => weight === 1))
      ? name()
      : undefined;
  }

  static ofPhrase(kernel: InvertedKernel, scoring: Scoring,
    { words, slop = EXACT, weight, classes = EVERY_CLASS }: PhraseQuery): KnownMatches
  {
    return new KnownMatches(kernel, words.map(({ forms }) => forms),
      () => [...givenWeights(GIVEN_PHRASE, scoring, words), ...namesOf(words), ...bitsOf(weight), classes, slop,
        ...exactPhrase(words)]);
  }

  /** NaN as the first number distinguishes such names from those of phrases, whose weight is never NaN. */
  static ofAll(kernel: InvertedKernel, scoring: Scoring, terms: readonly TermQuery[]): KnownMatches {
    return new KnownMatches(kernel, terms.map(({ forms }) => forms),
      () => [...givenWeights(GIVEN_TERMS, scoring, terms), ...bitsOf(Number.NaN),
        ...terms.flatMap((
          { forms, weight, classes = EVERY_CLASS },
        ) => [...bitsOf(weight), classes, forms.length, ...forms.map(({ id }) => id)])]);
  }

  /** Whether the matches may be remembered. */
  get isNamed(): boolean {
    return this.#name !== undefined;
  }

  /** The list; 0 if there is none. Valid until the query ends. */
  recall(): number {
    return this.#input() === 0 ? 0 : this.#kernel.call.recallMatches(this.#name!.length) >>> 0;
  }

  /** Whether the same matches were requested recently; records the request. */
  askedBefore(): boolean {
    return this.#input() !== 0 && this.#kernel.call.askedBefore(this.#name!.length) !== 0;
  }

  /** Remembers the documents of a level. */
  keep(level: number): void {
    if (this.#input() !== 0) this.#kernel.call.keepMatches(this.#name!.length, level);
  }

  /** Copies the name to the kernel; returns its length in numbers. */
  #input(): number {
    if (this.#name === undefined) return 0;
    this.#kernel.inputNumbers(this.#name);
    return this.#name.length;
  }
}

function givenWeights(begin: number, scoring: Scoring,
  words: readonly { readonly documents?: number | undefined }[]): number[]
{
  if (words.every(({ documents }) => documents === undefined)) return [];
  return [begin, ...words.map(({ documents = 0 }) => scoring.weightOf(documents))].flatMap((each) => [...bitsOf(each)]);
}

/** Which words are the same, if they have names. */
function namesOf(words: Words): number[] {
  if (words.every(({ name }) => name === undefined)) return [];
  const names = words.map(({ name }) => name);
  return names.map((name) => names.indexOf(name));
}

function bitsOf(weight = 1): Uint32Array {
  WEIGHT[0] = weight;
  return WEIGHT_BITS.slice();
}
