import { Action, Algorithm, type InvertedKernel } from '../../kernels/inverted.ts';
import type { Scoring } from './algorithm.ts';
import { type TermQuery, type WeightedForm, withoutRepeats } from './query.ts';

/** A group of more forms, all of weight 1, is passed to the kernel in one call. */
const MANY_FORMS = 100;

/**
 * A group is dense if it has more than one posting per this number of documents. Measured with data that fits into the
 * caches, and with more.
 */
const dense = (documents: number) => (documents < 100_000 ? 12 : 4);

/** Scores terms from the postings of their forms, for `Evaluation`, by the way that suits their number. */
export class PostingScores {
  readonly #kernel: InvertedKernel;
  readonly #scoring: Scoring;
  readonly #documents: number;

  constructor(kernel: InvertedKernel, scoring: Scoring, documents: number) {
    this.#kernel = kernel;
    this.#scoring = scoring;
    this.#documents = documents;
  }

  /** Scores a term on a level, whose classes are allowed (`allowClasses`). */
  score({ forms, weight = 1, classes }: TermQuery, level: number, action: number): void {
    const { call } = this.#kernel;
    const mayBeDense = action === Action.add && classes === undefined;
    if (isSet(forms)) return this.#scoreSet(forms, level, action, weight, mayBeDense);
    const distinct = withoutRepeats(forms);
    const [first] = distinct;
    if (first !== undefined && distinct.length === 1 && (first.weight ?? 1) === 1 && this.#countsEverywhere(first.id)) {
      const documents = call.liveDocuments(first.id);
      if (documents > 0) call.scoreForm(first.id, level, action, weight * this.#scoring.weightOf(documents));
      return;
    }
    if (mayBeDense && this.#isDense(distinct)) return this.#scoreDensely(distinct, weight);
    let documents = 0;
    for (const form of distinct) documents += call.sumForm(form.id, form.weight ?? 1);
    if (documents > 0) call.scoreGroup(level, action, weight * this.#scoring.weightOf(documents));
  }

  #scoreSet(forms: readonly WeightedForm[], level: number, action: number, weight: number, mayBeDense: boolean): void {
    const { call } = this.#kernel;
    const densely = mayBeDense && this.#isDense(forms);
    this.#kernel.inputEach(forms, ({ id }) => id);
    const gained = call.sumForms(forms.length, densely ? 1 : 0);
    if (densely) this.#scoreSums(weight);
    else if (gained > 0) call.scoreGroup(level, action, weight * this.#scoring.weightOf(gained));
  }

  #scoreDensely(forms: readonly WeightedForm[], weight: number): void {
    const { call } = this.#kernel;
    for (const { id, weight: own } of forms) call.sumFormDensely(id, own ?? 1);
    this.#scoreSums(weight);
  }

  #scoreSums(weight: number): void {
    const documents = this.#kernel.call.countSums();
    this.#kernel.call.scoreSums(documents > 0 ? weight * this.#scoring.weightOf(documents) : 0);
  }

  /** Whether a group has so many postings that passes over all documents are faster than bits for its documents. */
  #isDense(forms: readonly WeightedForm[]): boolean {
    const { algorithm, factors } = this.#scoring.parameters;
    return (algorithm === Algorithm.bm25f || (algorithm === Algorithm.bm25 && factors === undefined)) &&
      this.cost(forms) * dense(this.#documents) > this.#documents;
  }

  /**
   * Whether every document that has the form has it in a field that counts, so that the number of documents is known.
   */
  #countsEverywhere(form: number): boolean {
    return (this.#kernel.call.formFields(form) & ~this.#scoring.countedFields) === 0;
  }

  /** The postings of a group: what scoring them takes. */
  cost(forms: readonly WeightedForm[]): number {
    if (isSet(forms)) {
      this.#kernel.inputEach(forms, ({ id }) => id);
      return this.#kernel.call.postingsOf(forms.length);
    }
    return forms.reduce((sum, { id }) => sum + this.#kernel.call.postingCount(id), 0);
  }
}

/** Whether there are so many forms, all of weight 1, that they are passed to the kernel in one call. */
function isSet(forms: readonly WeightedForm[]): boolean {
  return forms.length > MANY_FORMS && forms.every(({ weight = 1 }) => weight === 1);
}
