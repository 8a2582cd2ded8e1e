import { Pace } from '../../lib/pace.ts';
import { SpellingIndex } from '../../search/spelling/index.ts';
import type { FullTextView } from '../fulltext/index.ts';

type TextIndex = NonNullable<ReturnType<FullTextView['indexOf']>>;

/** The words of one collection, as of some state of its full-text index. */
interface Vocabulary {
  readonly source: TextIndex;
  spelling: SpellingIndex;
  version: string;
  /** When the words were read last, and how many milliseconds that took. */
  readAt: number;
  took: number;
  /** Documents from which on a word is in, above 1 where there is no room for all. */
  leastDocuments: number;
  reading: Promise<void> | undefined;
}

/** Words of the index that are looked at without a rest. */
const STEP = 512;
/** Many words are read again after so many times as long as it took, in the background. */
const REST = 20;
/** So many are read in some milliseconds, whenever documents have changed. */
const FEW = 10_000;
/** Only letters: what has signs or digits in it is no word to correct others to. */
const WORD = /^\p{L}[\p{L}\p{M}'’]+$/u;

/**
 * The words of collections by their spelling, made when they are asked for and kept in step with the full-text index: words come and
 * go when the documents have changed, where there are many of them in the background and for a twentieth part of the time at most. Whether a word is known is always
 * asked of the index itself. All together take no more than `maxBytes`: the collection that was asked for least recently
 * goes first, and of a single one that is too large the rarest words.
 */
export class Vocabularies {
  readonly #view: Pick<FullTextView, 'indexOf'>;
  readonly #maxBytes: number;
  /** By lowercased name, the one asked for least recently first. */
  readonly #known = new Map<string, Vocabulary>();

  constructor(view: Pick<FullTextView, 'indexOf'>, maxBytes: number) {
    this.#view = view;
    this.#maxBytes = maxBytes;
  }

  /** Bytes of the words of a collection; undefined when there are none. */
  bytesOf(collection: string): number | undefined {
    return this.#known.get(collection.toLowerCase())?.spelling.bytes;
  }

  /** Whether a word stands in a document of the collection. Throws `IndexLoading`. */
  knows(collection: string, word: string): boolean {
    return (this.#view.indexOf(collection)?.documentsWith(word) ?? 0) > 0;
  }

  /** The words of a collection; undefined without documents. Throws `IndexLoading`. */
  async of(collection: string, signal: AbortSignal): Promise<SpellingIndex | undefined> {
    const name = collection.toLowerCase();
    const source = this.#view.indexOf(name);
    if (source === undefined) {
      this.#known.delete(name);
      return undefined;
    }
    let vocabulary = this.#known.get(name);
    if (vocabulary?.source !== source) vocabulary = { source, spelling: new SpellingIndex(), version: '', readAt: -Infinity, took: 0, leastDocuments: 1, reading: undefined };
    this.#known.delete(name);
    this.#known.set(name, vocabulary);
    const isFirst = vocabulary.version === '';
    const hasFew = vocabulary.spelling.words <= FEW;
    const isStale = vocabulary.version !== source.version && (hasFew || performance.now() - vocabulary.readAt >= REST * vocabulary.took);
    if (isStale) vocabulary.reading ??= this.#read(vocabulary).finally(() => (vocabulary.reading = undefined));
    // The first answer needs all words; later ones may have those of before where there are many.
    if (isFirst || hasFew) await vocabulary.reading;
    signal.throwIfAborted();
    return vocabulary.spelling;
  }

  /** Reads the words of the index; begins again with fewer of them where they take too much room. */
  async #read(vocabulary: Vocabulary): Promise<void> {
    const started = performance.now();
    const version = vocabulary.source.version;
    while (!(await this.#readWords(vocabulary))) {
      vocabulary.leastDocuments *= 2;
      vocabulary.spelling = new SpellingIndex();
    }
    vocabulary.version = version;
    vocabulary.readAt = performance.now();
    vocabulary.took = vocabulary.readAt - started;
    this.#makeRoom(vocabulary);
  }

  /** False where there is no room for all. */
  async #readWords({ source, spelling, leastDocuments }: Vocabulary): Promise<boolean> {
    const pace = new Pace();
    spelling.beginRound();
    for (let from: number | undefined = 0; from !== undefined;) {
      const { words, next }: ReturnType<TextIndex['words']> = source.words(from, STEP);
      for (const { word, documents } of words) if (documents >= leastDocuments && WORD.test(word)) spelling.put(word, documents);
      if (spelling.bytes > this.#maxBytes) return false;
      from = next;
      await pace.rest();
    }
    spelling.endRound();
    return true;
  }

  #makeRoom(kept: Vocabulary): void {
    let bytes = [...this.#known.values()].reduce((sum, { spelling }) => sum + spelling.bytes, 0);
    for (const [name, vocabulary] of this.#known) {
      if (bytes <= this.#maxBytes) return;
      if (vocabulary === kept) continue;
      bytes -= vocabulary.spelling.bytes;
      this.#known.delete(name);
    }
  }
}
