import { isUtf8 } from 'node:buffer';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/**
 * Cuts output into lines (decisions, section 2.5). A line ends at a line feed, with or without a carriage
 * return before it. A carriage return elsewhere starts the line anew, as progress bars do, so that its
 * last segment remains. A line of more bytes than `maxBytes` becomes several, cut between characters.
 * What is not UTF-8 becomes U+FFFD. How the bytes were cut into chunks makes no difference.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  /** The line since its last carriage return or cut. */
  #parts: Buffer[] = [];
  #length = 0;
  /** A carriage return came last: the next byte tells what it means. */
  #returned = false;

  constructor(maxBytes: number) {
    this.#maxBytes = Math.max(4, maxBytes); // room for any one character
  }

  /** The lines that are complete now. */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let at = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, at)) {
      this.#append(chunk.subarray(at, end), lines);
      this.#emit(this.#take(), lines);
      at = end + 1;
    }
    this.#append(chunk.subarray(at), lines);
    return lines;
  }

  /** The line that is not complete, if there is any of it; what follows begins another. */
  flush(): string[] {
    const lines: string[] = [];
    if (this.#length > 0) this.#emit(this.#take(), lines);
    return lines;
  }

  #append(bytes: Buffer, lines: string[]): void {
    let at = 0;
    for (let end = bytes.indexOf(CARRIAGE_RETURN); end >= 0; end = bytes.indexOf(CARRIAGE_RETURN, at)) {
      this.#extend(bytes.subarray(at, end), lines);
      this.#returned = true;
      at = end + 1;
    }
    this.#extend(bytes.subarray(at), lines);
  }

  #extend(bytes: Buffer, lines: string[]): void {
    if (bytes.length === 0) return;
    if (this.#returned) this.#take();
    this.#parts.push(bytes);
    this.#length += bytes.length;
    if (this.#length <= this.#maxBytes) return;
    let rest = this.#take();
    while (rest.length > this.#maxBytes) {
      const cut = characterBorder(rest, this.#maxBytes);
      this.#emit(rest.subarray(0, cut), lines);
      rest = rest.subarray(cut);
    }
    this.#parts.push(rest);
    this.#length = rest.length;
  }

  #take(): Buffer {
    const line = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#length = 0;
    this.#returned = false;
    return line;
  }

  /** U+FFFD takes more room than the byte that it stands for, so that a repaired line may have to be cut again. */
  #emit(line: Buffer, lines: string[]): void {
    if (isUtf8(line)) {
      lines.push(line.toString());
      return;
    }
    let rest = Buffer.from(line.toString());
    while (rest.length > this.#maxBytes) {
      const cut = characterBorder(rest, this.#maxBytes);
      lines.push(rest.toString('utf8', 0, cut));
      rest = rest.subarray(cut);
    }
    lines.push(rest.toString());
  }
}

/** The last place at or before `at` where a character begins; `at` itself where there are none. */
function characterBorder(bytes: Uint8Array, at: number): number {
  for (let border = at; border > at - 4; border--) if ((bytes[border]! & 0xc0) !== 0x80) return border;
  return at;
}
