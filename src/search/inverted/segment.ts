import { Buffers, InvertedKernel, MAX_SEGMENT_DOCUMENTS } from '../../kernels/inverted.ts';
import type { KernelBuild } from '../../kernels/load.ts';
import { tokenTables } from '../../text/token-tables.ts';
import { addFields, type FieldText } from './document-text.ts';
import { FieldNumbers } from './fields.ts';

export { MAX_SEGMENT_DOCUMENTS };

/**
 * Maximum number of distinct forms. All of them are looked up at once when the segment is merged, which takes some
 * milliseconds.
 */
const MAX_FORMS = 10_000;
/** Tokens in one step; nobody waits for the steps of a segment. */
const ALL = 0x0fff_ffff;

/** A few documents, tokenized and with their postings, which `InvertedIndex.beginMerge` adds to an index at once. */
export interface Segment {
  /** In the format of `asm/inverted/segments.ts`. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly documents: number;
  /** The names that have field numbers in the segment, in the order of their numbers. */
  readonly fields: readonly string[];
}

/**
 * Makes segments, in a thread that has no index. It keeps one memory for all of them. After an error it must not be
 * used any more.
 */
export class SegmentBuilder {
  readonly #kernel: InvertedKernel;
  readonly #amount: number;
  #fields = new FieldNumbers();
  #documents = 0;

  /** `amount`: units of text that are tokenized in one step, for tests. */
  constructor(build: KernelBuild = 'release', amount: number = ALL) {
    this.#kernel = new InvertedKernel(build);
    this.#amount = amount;
  }

  /** Begins a segment for an index with these named fields (`InvertedIndex.fieldNames`). */
  begin(fields: readonly string[]): void {
    this.#kernel.call.clear();
    this.#kernel.call.initialize();
    this.#kernel.placeTables(tokenTables());
    this.#fields = new FieldNumbers(fields);
    this.#documents = 0;
  }

  /** Adds a document, as `InvertedIndex.add` would. At most `MAX_SEGMENT_DOCUMENTS`. */
  add(texts: readonly FieldText[], documentClass: number): void {
    if (this.#documents === MAX_SEGMENT_DOCUMENTS)
      throw new RangeError(`a segment has at most ${MAX_SEGMENT_DOCUMENTS} documents`);
    const { call } = this.#kernel;
    call.beginDocument();
    const tokens = addFields(this.#kernel, texts, (field) => this.#fields.use(field), this.#amount);
    while (tokens.next().done !== true);
    call.beginCommit(this.#documents, documentClass);
    while (call.continueCommit(ALL) !== 0);
    call.noteDocument(documentClass);
    call.finishCommit();
    this.#documents++;
  }

  /** The documents since `begin`, of which there must be one; undefined if they are too large for a segment. */
  finish(): Segment | undefined {
    const { call } = this.#kernel;
    if (this.#kernel.counts().forms > MAX_FORMS) return undefined;
    const length = call.writeSegment();
    if (length === 0) return undefined;
    const at = call.buffer(Buffers.output);
    return {
      bytes: this.#kernel.bytes.slice(at, at + length),
      documents: this.#documents,
      fields: [...this.#fields.names()],
    };
  }
}
