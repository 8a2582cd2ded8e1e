import type { Lines } from './lines.ts';
import { type ByteRange, type Markup, markupOf } from './markup.ts';

const SEEN = Symbol('seen once');
/** The markup of texts that are read repeatedly, as long as their buffers exist. */
const cached = new WeakMap<Buffer, Markup | typeof SEEN>();
/** A range takes 8 bytes, so remembered markup is at most half as large as the text. */
const BYTES_A_RANGE = 16;

/** A Markdown text, where tags are not allowed everywhere. */
export class MarkdownText {
  readonly #bytes: Buffer;
  readonly #lines: Lines;
  readonly #kept: Buffer | undefined;
  #latin1: string | undefined;

  /** @param kept a buffer with the same bytes, which must never change, if it may be used again for other queries */
  constructor(bytes: Buffer, lines: Lines, kept: Buffer | undefined) {
    this.#bytes = bytes;
    this.#lines = lines;
    this.#kept = kept;
  }

  /** The text with one character for each byte. */
  get latin1(): string {
    return this.#latin1 ??= this.#bytes.toString('latin1');
  }

  /** The markup at least of all paragraphs that overlap any of the ranges, which must be in order. */
  markupNear(near: readonly ByteRange[]): Markup {
    const known = this.#kept && cached.get(this.#kept);
    if (typeof known === 'object') return known;
    if (this.#kept !== undefined && known === undefined) cached.set(this.#kept, SEEN);
    return known === SEEN ? this.#all(this.#kept!) : markupOf(this.latin1, this.#lines, near);
  }

  #all(kept: Buffer): Markup {
    const markup = markupOf(this.latin1, this.#lines);
    const { opaque, codeSpans, gaveUp } = markup;
    if (!gaveUp && (opaque.length + codeSpans.length) / 2 <= kept.length / BYTES_A_RANGE) cached.set(kept, markup);
    return markup;
  }
}
