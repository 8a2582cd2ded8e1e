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
  score(term: TermQuery, level: number, action: number): void {
    const { call } = this.#kernel;
    const { forms, classes } = term;
    const mayBeDense = action === Action.add && classes === undefined;
    if (isSet(forms)) return this.#scoreSet(term, level, action, mayBeDense);
    const distinct = withoutRepeats(forms);
    const lone = this.#lone(distinct);
    if (lone !== undefined) {
      const documents = call.liveDocuments(lone);
      if (documents > 0) call.scoreForm(lone, level, action, this.#weightOf(term, documents));
      return;
    }
    if (mayBeDense && this.#isDense(distinct)) return this.#scoreDensely(distinct, term);
    const documents = this.#sum(distinct);
    if (documents > 0) call.scoreGroup(level, action, this.#weightOf(term, documents));
  }

  /** Counts the live documents that have any of some forms in the fields that count. */
  count(forms: readonly WeightedForm[]): number {
    const { call } = this.#kernel;
    const distinct = withoutRepeats(forms);
    const known = this.known(distinct);
    if (known !== undefined) return known;
    if (isSet(distinct)) this.#kernel.inputEach(distinct, ({ id }) => id);
    const documents = isSet(distinct) ? call.sumForms(distinct.length, 0) : this.#sum(distinct);
    // With a weight of 0, the sums are only cleared.
    if (documents > 0) call.scoreGroup(0, Action.add, 0);
    return documents;
  }

  /** The same for distinct forms, if that is known without reading postings. */
  known(distinct: readonly WeightedForm[]): number | undefined {
    if (distinct.length === 0) return 0;
    const [{ id }] = distinct as [WeightedForm];
    return distinct.length === 1 && this.#countsEverywhere(id) ? this.#kernel.call.liveDocuments(id) : undefined;
  }

  /** The form of a group of one form of weight 1, whose number of documents is known. */
  #lone(distinct: readonly WeightedForm[]): number | undefined {
    const [first] = distinct;
    return first !== undefined && distinct.length === 1 && (first.weight ?? 1) === 1 && this.#countsEverywhere(first.id)
      ? first.id
      : undefined;
  }

  #sum(distinct: readonly WeightedForm[]): number {
    let documents = 0;
    for (const { id, weight = 1 } of distinct) documents += this.#kernel.call.sumForm(id, weight);
    return documents;
  }

  #weightOf({ weight = 1, documents }: TermQuery, counted: number): number {
    return weight * this.#scoring.weightOf(documents ?? counted);
  }

  #scoreSet(term: TermQuery, level: number, action: number, mayBeDense: boolean): void {
    const { call } = this.#kernel;
    const { forms } = term;
    const densely = mayBeDense && this.#isDense(forms);
    this.#kernel.inputEach(forms, ({ id }) => id);
    const gained = call.sumForms(forms.length, densely ? 1 : 0);
    if (densely) this.#scoreSums(term);
    else if (gained > 0) call.scoreGroup(level, action, this.#weightOf(term, gained));
  }

  #scoreDensely(forms: readonly WeightedForm[], term: TermQuery): void {
    const { call } = this.#kernel;
    for (const { id, weight: own } of forms) call.sumFormDensely(id, own ?? 1);
    this.#scoreSums(term);
  }

  #scoreSums(term: TermQuery): void {
    const documents = term.documents ?? this.#kernel.call.countSums();
    this.#kernel.call.scoreSums(documents > 0 ? this.#weightOf(term, documents) : 0);
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
