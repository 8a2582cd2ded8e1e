import type { InvertedKernel } from '../../kernels/inverted.ts';
import { type PhraseQuery, type WeightedForm, withoutRepeats } from './query.ts';
import type { WeightedList } from './result-place.ts';

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
export function exactPhrase(words: Words, lists?: readonly number[]): number[] {
  const first = words[0]!.offset;
  return described(words.map(({ forms, offset }, i) => ({ wanted: offset - first, forms, list: lists?.[i] })), true, 0,
    0);
}

/** All words within a window; words with the same forms become one that must occur as often. */
function loosePhrase(words: Words, slop: number, lists?: readonly number[]): number[] {
  const span = words.at(-1)!.offset - words[0]!.offset;
  const wanted = new Map<string, Wanted>();
  for (const [i, { forms }] of words.entries()) {
    const name = forms.map(({ id }) => id).sort((a, b) => a - b).join();
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
