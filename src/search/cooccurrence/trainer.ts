import { CooccurrenceKernel, GAP, type PairCounter, WINDOW } from '../../kernels/cooccurrence.ts';
import { tokenizeCode } from '../../text/code/index.ts';
import { tokenize } from '../../text/tokenize.ts';
import { type NeighbourData, packNeighbours } from './neighbours.ts';
import { termOf, type TermRules } from './terms.ts';
import { Vocabulary } from './vocabulary.ts';

/** A text of a document. */
export interface TrainingText {
  readonly text: string;
  /** Whether it goes through the tokeniser of source code. */
  readonly code: boolean;
}

/** The texts of a document; windows don't reach from one to the next. */
export type TrainingDocument = readonly TrainingText[];

export interface TrainerOptions {
  readonly counter?: PairCounter;
  /** One more than the terms that are counted at once. */
  readonly maxTerms?: number;
}

/** Terms are dropped before a document when so many of the rooms are taken. */
const CROWDED = 0.75;

/**
 * Learns from documents, one after the other, which terms stand together. Memory is bounded, in WebAssembly to 300 MB
 * and for the words to about as much: where a collection has more different terms than there is room for,
 * those that came least are forgotten on the way (see README.md).
 */
export class Trainer {
  readonly #counter: PairCounter;
  readonly #vocabulary: Vocabulary;

  constructor(rules: TermRules, { counter = new CooccurrenceKernel(), maxTerms }: TrainerOptions = {}) {
    this.#counter = counter;
    this.#vocabulary = new Vocabulary(termOf(rules), maxTerms);
  }

  add(document: TrainingDocument): void {
    this.#makeRoom();
    this.#counter.add(this.#numbersOf(document));
  }

  finish(): NeighbourData {
    this.#counter.rank(this.#vocabulary.end);
    return packNeighbours(this.#vocabulary, (term) => this.#counter.neighboursOf(term));
  }

  #numbersOf(document: TrainingDocument): Uint32Array {
    const texts = document.map(({ text, code }) => (code ? tokenizeCode(text) : tokenize(text)));
    const gap = WINDOW - 1;
    const numbers = new Uint32Array(texts.reduce((sum, tokens) => sum + tokens.length + gap, 0)).fill(GAP);
    let at = 0;
    for (const tokens of texts) {
      for (const { form } of tokens) numbers[at++] = this.#vocabulary.numberOf(form);
      at += gap;
    }
    return numbers;
  }

  #makeRoom(): void {
    const { size, room } = this.#vocabulary;
    if (size < room * CROWDED) return;
    for (let occurrences = 1; this.#vocabulary.size > room / 2; occurrences++) {
      this.#vocabulary.free(this.#counter.forget(this.#vocabulary.end, occurrences));
    }
  }
}
