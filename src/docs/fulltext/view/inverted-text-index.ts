import { ServiceError } from '../../../errors/index.ts';
import type { KernelBuild } from '../../../kernels/load.ts';
import { answerForPart, IndexFullError, type IndexOptions, type IndexPart, InvertedIndex, PartitionedIndex, RemotePart,
  type Segment } from '../../../search/inverted/index.ts';
import type { PartLink } from '../../../search/parts/index.ts';
import type { Steps } from '../../view/index.ts';
import { STEMMING_ANALYZERS } from './analyzers.ts';
import { fieldTexts } from './document-texts.ts';
import { ReadableTextIndex } from './readable-text-index.ts';
import type { IndexedDocument, ReadableText, TermAnalyzer, TextIndex, TextIndexes, TextPart } from './text-index.ts';

/** Deleted documents are removed from the index when they reach this share. */
const DELETED_SHARE = 0.2;
/** Milliseconds of one slice of removing deleted documents. */
const TIDY_MS = 1;
/** Milliseconds of a step of adding a document. */
const STEP_MS = 4;

/**
 * Several indexes of `invertedIndexes`, with different documents, as one, which has the same results as an index with
 * all documents. They may change, but not while it is called. Its words are read at the first call, some microseconds
 * each; `prepare` does that in steps. `build` is for tests.
 */
export function joinTextIndexes(parts: readonly TextPart[], build?: KernelBuild): ReadableText {
  return new ReadableTextIndex(new PartitionedIndex(parts.map(({ inverted }) => inverted), build));
}

/** Stands for an index in another process among those that are joined. */
export function textStandIn(link: PartLink): TextPart {
  return { inverted: new RemotePart(link) };
}

/** Answers a question of a stand-in for an index of `invertedIndexes`. */
export function answerTextPart(index: TextIndex, method: string, args: readonly unknown[]): unknown {
  return answerForPart(InvertedTextIndex.indexOf(index), method, args);
}

/** Full-text indexes in WebAssembly (see src/search/inverted/README.md). `options` are for tests. */
export function invertedIndexes(options: IndexOptions = {}): TextIndexes {
  return {
    create: () => new InvertedTextIndex(new InvertedIndex(options)),
    restore: async (bytes) => new InvertedTextIndex(await InvertedIndex.load(bytes, STEMMING_ANALYZERS, options)),
  };
}

class InvertedTextIndex extends ReadableTextIndex implements TextIndex {
  readonly #index: InvertedIndex;

  constructor(index: InvertedIndex) {
    super(index);
    this.#index = index;
  }

  static indexOf(text: TextIndex): InvertedIndex {
    if (text instanceof InvertedTextIndex) return text.#index;
    throw new TypeError('only indexes of words can be asked for the words of others');
  }

  get inverted(): IndexPart {
    return this.#index;
  }

  put(document: IndexedDocument): Steps | undefined {
    return begun(this.#putInSteps(document));
  }

  *#putInSteps(document: IndexedDocument): Generator<undefined, void> {
    const { ord, documentClass, analyzer } = document;
    const texts = yield* fieldTexts(document);
    const addition = this.#index.beginAdd(ord, texts, analyzer.stemming ? analyzer : undefined, documentClass);
    while (addition.step(STEP_MS)) yield;
  }

  putSegment(ords: readonly number[], segment: Segment, analyzers: readonly TermAnalyzer[]): Steps | undefined {
    const addition = translated(() =>
      this.#index.beginMerge(ords, segment, analyzers.filter(({ stemming }) => stemming))
    );
    return addition && (() => translated(() => addition.step(STEP_MS)));
  }

  remove(ord: number): void {
    this.#index.remove(ord);
  }

  settle(): boolean {
    return this.#index.settle(STEP_MS);
  }

  tidy(): boolean {
    return this.#index.compact(TIDY_MS, this.#index.deletedShare > DELETED_SHARE);
  }

  /** The number that the index stores is not needed, because the view has its own. */
  save(): AsyncIterable<Uint8Array> {
    return this.#index.save(0n);
  }
}

/** Does the first step of some work; undefined if nothing is left then. */
function begun(work: Generator<undefined, void>): Steps | undefined {
  const step = (): boolean => {
    const end = performance.now() + STEP_MS;
    while (performance.now() < end) if (translated(() => work.next()).done === true) return false;
    return true;
  };
  return step() ? step : undefined;
}

/** Throws `unavailable` if the index is full. */
function translated<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof IndexFullError)) throw error;
    throw new ServiceError('unavailable',
      `${error.message}; raise partitions in its configuration, or delete documents and reindex it`, {
      cause: error,
    });
  }
}
