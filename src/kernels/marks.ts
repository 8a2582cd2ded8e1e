import * as layout from '../../generated/kernels/marks.ts';
import { MAX_FORM_BYTES, type TableBytes } from './inverted.ts';
import { instantiateKernel, type KernelBuild, loadKernel } from './load.ts';

/** Exports of `asm/marks.ts`, where their contracts are documented. */
interface MarksExports extends WebAssembly.Exports {
  useTables(blocks: number, index: number, expansions: number): void;
  firstPlace(): number;
  openSet(at: number, slots: number): number;
  addForm(number: number, at: number, length: number): void;
  hostStart(at: number, end: number): number;
  beginText(text: number, marks: number, starts: number, ends: number): void;
  scanPiece(at: number, end: number): void;
  addWord(form: number, length: number, start: number, end: number): void;
  listPiece(at: number, end: number): void;
  clearList(): void;
  wordCount(): number;
  markCount(): number;
  countLines(text: number, length: number): number;
  findLines(text: number, length: number, starts: number, signs: number): void;
}

/** A word from a tokeniser in JavaScript. Offsets are in bytes. */
interface HostWord {
  readonly start: number;
  readonly end: number;
  readonly form: string;
}

/** A range of bytes of a text, the end exclusive. */
interface Part {
  readonly start: number;
  readonly end: number;
}

/** Some words of a text, in order: offsets in bytes. */
interface ListedWords {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** The marked words of a text. All arrays are views of the kernel's memory, which are valid until the next call. */
interface MarkedText {
  /** The text as UTF-8. */
  readonly bytes: Buffer;
  /**
   * For each word of the set, in order: the index of the word in the text (from 0), the number of its form in the set
   * (from 1), its start and its end.
   */
  readonly marks: Uint32Array;
  /** For each line: its start, and its first byte that is not a space, tab or `>`; a line feed if there is none. */
  readonly lines: { readonly starts: Uint32Array; readonly signs: Uint8Array };
  /** At least the words of some parts, which must be in order; valid until the next call. */
  readonly wordsOf: (parts: readonly Part[]) => ListedWords;
}

const PAGE = 65_536;
const INITIAL_PAGES = 16;
/** The kernel reads up to this number of bytes beyond the end of a text. */
const { BEHIND } = layout;
const LINE_FEED = 0x0a;
const SPACE = 0x20;

/**
 * Finds the words of texts, and those that have one of a set of forms. It has one set of forms, and one text at a time.
 */
export class MarksKernel {
  readonly #memory = new WebAssembly.Memory({ initial: INITIAL_PAGES });
  readonly #call: MarksExports;
  readonly #set: number;
  #text: number;

  constructor({ blocks, index, expansions }: TableBytes, build: KernelBuild = 'release') {
    this.#call = instantiateKernel(loadKernel('marks', build), this.#memory) as MarksExports;
    const first = this.#call.firstPlace();
    const [indexAt, expansionsAt] = [first + blocks.byteLength, first + blocks.byteLength + index.byteLength];
    this.#set = aligned(expansionsAt + expansions.byteLength);
    this.#reserve(this.#set);
    const bytes = new Uint8Array(this.#memory.buffer);
    bytes.set(new Uint8Array(blocks.buffer, blocks.byteOffset, blocks.byteLength), first);
    bytes.set(new Uint8Array(index.buffer, index.byteOffset, index.byteLength), indexAt);
    bytes.set(expansions, expansionsAt);
    this.#call.useTables(first, indexAt, expansionsAt);
    this.#text = this.use([]);
  }

  /** Replaces the set of forms. Forms must be distinct; empty ones match nothing. Returns the address after them. */
  use(forms: readonly string[]): number {
    const slots = 2 ** Math.ceil(Math.log2(forms.length * 2 + 2));
    this.#reserve(
      this.#set + layout.SIEVE_BYTES + layout.FIRST_BYTES + slots * layout.SLOT_BYTES + (slots + 1) * layout.FORM_BYTES,
    );
    let at = this.#call.openSet(this.#set, slots);
    for (const [i, form] of forms.entries()) {
      if (form === '') continue;
      this.#reserve(at + form.length * 3 + BEHIND);
      const written = Buffer.from(this.#memory.buffer, at, form.length * 3).write(form);
      this.#call.addForm(i + 1, at, written);
      at += written;
    }
    return this.#text = aligned(at);
  }

  /**
   * The marked words and the lines of a text, which may be UTF-8. If a line has words that the kernel cannot process,
   * the rest of the line from there is passed to `tokenize`, which returns the words of a piece of text in order.
   */
  scan(text: string | Uint8Array, tokenize: (piece: string) => readonly HostWord[]): MarkedText {
    const length = typeof text === 'string' ? Buffer.byteLength(text) : text.length;
    // A word has at least one byte, and at least one byte separates it from the next.
    const room = (length >> 1) + 2;
    const at = this.#text;
    const form = aligned(at + length + BEHIND);
    const marks = aligned(form + MAX_FORM_BYTES + BEHIND);
    const starts = marks + room * layout.MARK_BYTES;
    const behind = starts + room * 8;
    this.#reserve(behind);
    const bytes = Buffer.from(this.#memory.buffer, at, length);
    if (typeof text === 'string') bytes.write(text);
    else bytes.set(text);
    this.#call.beginText(at, marks, starts, starts + room * 4);
    const host = this.#call.hostStart(at, at + length) - at;
    if (host === length) this.#call.scanPiece(at, at + length);
    else this.#scanByTurns(bytes, { at, form, host }, tokenize);
    const lines = this.#lines(at, length, behind);
    // The views are made last, because the memory may have grown.
    const { buffer } = this.#memory;
    const own = bytes.buffer === buffer ? bytes : Buffer.from(buffer, at, length);
    return {
      bytes: own,
      lines,
      marks: new Uint32Array(buffer, marks, this.#call.markCount() * (layout.MARK_BYTES / 4)),
      wordsOf: (parts) => {
        if (host === length) this.#list(own, at, parts);
        const count = this.#call.wordCount();
        return {
          starts: new Uint32Array(buffer, starts, count),
          ends: new Uint32Array(buffer, starts + room * 4, count),
        };
      },
    };
  }

  /** Scans a text, parts of whose lines are passed to `tokenize`. Lists all of its words. */
  #scanByTurns(bytes: Buffer,
    { at, form, host: first }: { readonly at: number; readonly form: number; readonly host: number },
    tokenize: (piece: string) => readonly HostWord[]): void
  {
    const { length } = bytes;
    for (let from = 0, host = first; from < length; host = this.#call.hostStart(at + from, at + length) - at) {
      this.#call.scanPiece(at + from, at + host);
      this.#call.listPiece(at + from, at + host);
      if (host === length) break;
      const feed = bytes.indexOf(LINE_FEED, host);
      from = feed < 0 ? length : feed;
      for (const word of tokenize(bytes.toString('utf8', host, from))) this.#addWord(word, host, form);
    }
  }

  /**
   * Lists the words of some parts of a text: each part is extended to the next separators on both sides, and no word is
   * listed twice.
   */
  #list(bytes: Buffer, at: number, parts: readonly Part[]): void {
    this.#call.clearList();
    let done = 0;
    for (const { start, end } of parts) {
      let from = Math.max(done, Math.min(start, bytes.length));
      while (from > done && bytes[from - 1]! > SPACE) from--;
      let to = Math.max(from, end);
      while (to < bytes.length && bytes[to]! > SPACE) to++;
      done = Math.min(to, bytes.length);
      this.#call.listPiece(at + from, at + done);
    }
  }

  #lines(text: number, length: number, starts: number): MarkedText['lines'] {
    const count = this.#call.countLines(text, length);
    const signs = starts + count * 4;
    this.#reserve(signs + count);
    this.#call.findLines(text, length, starts, signs);
    const { buffer } = this.#memory;
    return { starts: new Uint32Array(buffer, starts, count), signs: new Uint8Array(buffer, signs, count) };
  }

  #addWord({ form, start, end }: HostWord, offset: number, at: number): void {
    const written = Buffer.from(this.#memory.buffer, at, MAX_FORM_BYTES).write(form);
    this.#call.addWord(at, written, offset + start, offset + end);
  }

  #reserve(end: number): void {
    const missing = end + BEHIND - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE));
  }
}

function aligned(address: number): number {
  return (address + 15) & ~15;
}
