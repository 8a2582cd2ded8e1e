import type { InvertedKernel } from '../../kernels/inverted.ts';
import { exactPhrase } from './phrase.ts';
import { EVERY_CLASS, type PhraseQuery, type TermQuery, type WeightedForm } from './query.ts';

const WEIGHT = new Float64Array(1);
const WEIGHT_BITS = new Uint32Array(WEIGHT.buffer);

/** Stands for "no slop" in a name. */
const EXACT = 0xffff_ffff;

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

  static ofPhrase(kernel: InvertedKernel,
    { words, slop = EXACT, weight, classes = EVERY_CLASS }: PhraseQuery): KnownMatches
  {
    return new KnownMatches(kernel, words.map(({ forms }) => forms),
      () => [...bitsOf(weight), classes, slop, ...exactPhrase(words)]);
  }

  /** NaN as the first number distinguishes such names from those of phrases, whose weight is never NaN. */
  static ofAll(kernel: InvertedKernel, terms: readonly TermQuery[]): KnownMatches {
    return new KnownMatches(kernel, terms.map(({ forms }) => forms),
      () => [...bitsOf(Number.NaN),
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

function bitsOf(weight = 1): Uint32Array {
  WEIGHT[0] = weight;
  return WEIGHT_BITS.slice();
}
