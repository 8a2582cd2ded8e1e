const LINE_FEED = 0x0a;

/** Numbers the lines of a text, from 1. Asked for offsets in ascending order, it reads the text once. */
export class LineCounter {
  readonly #bytes: Buffer;
  #line = 1;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The line of the byte at an offset, which is not before that of the question before. */
  lineOf(offset: number): number {
    for (;;) {
      const feed = this.#bytes.indexOf(LINE_FEED, this.#at);
      if (feed < 0 || feed >= offset) return this.#line;
      this.#at = feed + 1;
      this.#line++;
    }
  }
}
