import { Pace } from '../../lib/pace.ts';
import { gathered } from '../../search/parts/index.ts';
import { SpellingIndex } from '../../search/spelling/spelling-index.ts';
import type { FullTextView } from '../fulltext/index.ts';

type TextIndex = NonNullable<ReturnType<FullTextView['indexOf']>>;

/** The words of one collection, from some state of its full-text index. */
interface Vocabulary {
  readonly source: TextIndex;
  spelling: SpellingIndex;
  version: string;
  /** Time of the last read of the words, and its duration in milliseconds. */
  readAt: number;
  took: number;
  /** Minimum number of documents with a word; above 1 if the memory does not suffice for all words. */
  leastDocuments: number;
  reading: Promise<void> | undefined;
}

/** Number of words of the index that are read without a pause. */
const STEP = 512;
/** A large vocabulary is read again, in the background, after this many times the duration of the last read. */
const REST = 20;
/** Up to this many words are read within a few milliseconds, whenever documents have changed. */
const FEW = 10_000;
/** Only letters: a word with other characters is not a useful correction. */
const WORD = /^\p{L}[\p{L}\p{M}'’]+$/u;

/**
 * The words of collections by their spelling, built on first use and updated from the full-text index: they are read
 * again when the documents have changed; if there are many words, in the background and for at most a twentieth of the
 * time. Whether a word is known is always read from the index itself. All vocabularies together use at most `maxBytes`:
 * the least recently used collection is dropped first, and of a single one that is too large the rarest words.
 */
export class Vocabularies {
  readonly #view: Pick<FullTextView, 'indexOf'>;
  readonly #maxBytes: number;
  /** By lowercased name, the least recently used first. */
  readonly #known = new Map<string, Vocabulary>();

  constructor(view: Pick<FullTextView, 'indexOf'>, maxBytes: number) {
    this.#view = view;
    this.#maxBytes = maxBytes;
  }

  /** Bytes of memory of the words of a collection; undefined when there are none. */
  bytesOf(collection: string): number | undefined {
    return this.#known.get(collection.toLowerCase())?.spelling.bytes;
  }

  /** Whether a document of the collection contains a word. Throws `IndexLoading`. */
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
    if (vocabulary?.source !== source)
      vocabulary = {
        source,
        spelling: new SpellingIndex(),
        version: '',
        readAt: -Infinity,
        took: 0,
        leastDocuments: 1,
        reading: undefined,
      };
    this.#known.delete(name);
    this.#known.set(name, vocabulary);
    const isFirst = vocabulary.version === '';
    const hasFew = vocabulary.spelling.words <= FEW;
    const isStale = vocabulary.version !== source.version &&
      (hasFew || performance.now() - vocabulary.readAt >= REST * vocabulary.took);
    if (isStale) vocabulary.reading ??= this.#read(vocabulary).finally(() => (vocabulary.reading = undefined));
    // The first answer needs all words; later ones may use the previous words if there are many.
    if (isFirst || hasFew) await vocabulary.reading;
    signal.throwIfAborted();
    return vocabulary.spelling;
  }

  /** Reads the words of the index; starts again with fewer words if they need too much memory. */
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

  /** False if the memory does not suffice for all. */
  async #readWords({ source, spelling, leastDocuments }: Vocabulary): Promise<boolean> {
    const pace = new Pace();
    spelling.beginRound();
    for (let from: number | undefined = 0; from !== undefined;) {
      const first: number = from;
      const { words, next } = await gathered(() => source.words(first, STEP));
      for (const { word, documents } of words)
        if (documents >= leastDocuments && WORD.test(word)) spelling.put(word, documents);
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
