import { decodeUtf8, decodeUtf8Escaping } from '../../../lib/utf8.ts';

/** A line of a stream of bytes. */
export interface Line {
  /** Counted from 1, empty lines included. */
  readonly number: number;
  /** Bytes that are not UTF-8 are lone surrogates (`decodeUtf8Escaping`). Undefined for a line that is too long. */
  readonly text: string | undefined;
}

const LINE_FEED = 0x0a;

/**
 * The lines of a stream that are not empty, as many at once as a piece of it completes. Of a line with more than `maxBytes`
 * nothing is kept, so that memory has a bound whatever comes.
 */
export async function* linesOf(content: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Line[]> {
  const unfinished = new Unfinished(maxBytes);
  let number = 0;
  for await (const piece of content) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    const lines: Line[] = [];
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      unfinished.add(bytes.subarray(start, end));
      lines.push({ number: ++number, text: unfinished.take() });
      start = end + 1;
    }
    unfinished.add(bytes.subarray(start));
    yield lines.filter(isNotEmpty);
  }
  yield [{ number: number + 1, text: unfinished.take() }].filter(isNotEmpty);
}

function isNotEmpty({ text }: Line): boolean {
  return text === undefined || text.trim() !== '';
}

/** The line whose end has not come yet. */
class Unfinished {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length > this.#maxBytes) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }

  /** Its text, and begins the next one. */
  take(): string | undefined {
    const bytes = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
    const isTooLong = this.#length > this.#maxBytes;
    this.#pieces = [];
    this.#length = 0;
    return isTooLong ? undefined : (decodeUtf8(bytes) ?? decodeUtf8Escaping(bytes));
  }
}
