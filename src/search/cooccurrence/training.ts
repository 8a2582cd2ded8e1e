import { CooccurrenceKernel, GAP, type PairCounter, WINDOW } from '../../kernels/cooccurrence.ts';
import { ThreadClient, workerFile } from '../../lib/thread-client.ts';
import { tokenizeCode } from '../../text/code/index.ts';
import { foldDiacritics } from '../../text/folding.ts';
import { analyzerFor, stemmingAvailable } from '../../text/languages/index.ts';
import { tokenize } from '../../text/tokenize.ts';
import { type NeighbourData, Neighbours, packNeighbours, Vocabulary } from './neighbours.ts';

/**
 * Defines a model's terms: the stems of a language without its stop words. Plain data, so that it can be sent to a
 * thread.
 */
export interface TermRules {
  /** Code of a language (see `resolveLanguage`). */
  readonly lang: string;
  readonly stemming: boolean;
  /** As forms. */
  readonly stopWords: ReadonlySet<string>;
}

/**
 * The term of a form; undefined for a stop word. Without stemming, forms that differ only in diacritics are one term,
 * as in the index.
 */
export function termOf({ lang, stemming, stopWords }: TermRules): (form: string) => string | undefined {
  const { term: unlessStopWord } = analyzerFor(lang, { stemming, stopWords });
  if (stemming && stemmingAvailable(lang)) return unlessStopWord;
  return (form) => (unlessStopWord(form) === undefined ? undefined : foldDiacritics(form) || form);
}

/** A text of a document. */
interface TrainingText {
  readonly text: string;
  /** Whether the tokeniser of source code is used. */
  readonly code: boolean;
}

/** The texts of a document; windows do not extend from one text into the next. */
export type TrainingDocument = readonly TrainingText[];

interface TrainerOptions {
  readonly counter?: PairCounter;
  /** Maximum number of terms that are counted at once, plus 1. */
  readonly maxTerms?: number;
}

/** Terms are dropped before a document when more than this share of the term numbers is used. */
const CROWDED = 0.75;

/**
 * Learns which terms occur together, one document after the other. Memory is bounded: 300 MB in WebAssembly, and about
 * as much for the words. If a collection has more different terms than fit, the rarest are dropped during training (see
 * README.md).
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

/** A model in training. Only one call may run at a time. */
export interface Training {
  /** Adds documents; resolves when more can be accepted. */
  add(documents: readonly TrainingDocument[]): Promise<void>;
  finish(): Promise<Neighbours>;
  /** Cancels the work in progress or frees resources; further calls do nothing. */
  close(): Promise<void>;
}

/** Trains on the calling thread: for texts that take a few milliseconds. */
export function trainHere(rules: TermRules): Training {
  const trainer = new Trainer(rules);
  return {
    async add(documents) {
      for (const document of documents) trainer.add(document);
    },
    finish: async () => new Neighbours(trainer.finish()),
    async close() {
      // There is nothing to free.
    },
  };
}

/** Messages to the thread (train-thread.ts), which replies to each. */
export type TrainingRequest = { readonly documents: readonly TrainingDocument[] } | 'finish';
export type TrainingReply = 'taken' | NeighbourData;

/** Trains in a thread of its own, whose memory is freed with it. */
export class TrainingThread implements Training {
  readonly #thread: ThreadClient<TrainingRequest, TrainingReply>;

  constructor(rules: TermRules) {
    this.#thread = new ThreadClient(workerFile(import.meta.url, 'train-thread'), {
      name: 'the thread that learns neighbours of terms',
      restarts: false,
      data: () => rules,
    });
  }

  async add(documents: readonly TrainingDocument[]): Promise<void> {
    await this.#thread.request({ documents });
  }

  async finish(): Promise<Neighbours> {
    return new Neighbours(await this.#thread.request('finish') as NeighbourData);
  }

  close(): Promise<void> {
    return this.#thread.end();
  }
}
