import { decodeUtf8, decodeUtf8Escaping } from '../../../lib/bytes.ts';

/** A line of a stream of bytes. */
export interface Line {
  /** Counted from 1, empty lines included. */
  readonly number: number;
  /** Bytes that are not UTF-8 become lone surrogates (`decodeUtf8Escaping`). Undefined for a line that is too long. */
  readonly text: string | undefined;
}

const LINE_FEED = 0x0a;

/**
 * The non-empty lines of a stream; each array contains the lines that one piece of the stream completes. A line with
 * more than `maxBytes` is not kept, so memory is limited for every input.
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

/** The beginning of a line whose end has not arrived yet. */
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

  /** Returns the text of the line, and begins the next one. */
  take(): string | undefined {
    const bytes = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
    const isTooLong = this.#length > this.#maxBytes;
    this.#pieces = [];
    this.#length = 0;
    return isTooLong ? undefined : (decodeUtf8(bytes) ?? decodeUtf8Escaping(bytes));
  }
}
