import { isUtf8 } from 'node:buffer';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/**
 * Splits output into lines (decisions, section 2.5). A line ends at a line feed, with or without a carriage return
 * before it. A carriage return elsewhere restarts the line, as progress bars do, so only the last segment remains. A
 * line of more than `maxBytes` becomes several lines, split between characters. Bytes that are not UTF-8 become U+FFFD.
 * The chunks in which the bytes arrive make no difference.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  /** The line since its last carriage return or split. */
  #parts: Buffer[] = [];
  #length = 0;
  /** The last byte was a carriage return: the next byte determines its meaning. */
  #returned = false;
  /** The beginning of the line has been returned already. */
  #begun = false;

  constructor(maxBytes: number) {
    this.#maxBytes = Math.max(4, maxBytes); // space for any one character
  }

  /** Returns the lines that are complete now. */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let at = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, at)) {
      this.#append(chunk.subarray(at, end), lines);
      // Of a line whose text was shown before its end, only the end may be left.
      if (this.#length > 0 || !this.#begun) this.#emit(this.#take(), lines);
      else this.#take();
      this.#begun = false;
      at = end + 1;
    }
    this.#append(chunk.subarray(at), lines);
    return lines;
  }

  /** Returns the incomplete line, if there is one; the bytes that follow start another line. */
  flush(): string[] {
    const lines: string[] = [];
    if (this.#length > 0) this.#emit(this.#take(), lines);
    return lines;
  }

  /** Returns the text of the incomplete line so far, without a part of a character; the rest follows as a line. */
  pause(): string[] {
    const lines: string[] = [];
    if (this.#length === 0) return lines;
    const line = this.#take();
    const end = wholeCharacters(line);
    if (end > 0) this.#emit(line.subarray(0, end), lines);
    this.#begun ||= end > 0;
    this.#parts = end === line.length ? [] : [line.subarray(end)];
    this.#length = line.length - end;
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

  /** U+FFFD needs more bytes than the byte that it replaces, so a repaired line may have to be split again. */
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

/** The length without an incomplete character at the end. */
function wholeCharacters(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at >= Math.max(0, bytes.length - 3); at--) {
    const byte = bytes[at]!;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return at + length > bytes.length ? at : bytes.length;
  }
  return bytes.length;
}

/** The last position, at or before `at`, where a character begins; `at` itself if there is none. */
function characterBorder(bytes: Uint8Array, at: number): number {
  for (let border = at; border > at - 4; border--) if ((bytes[border]! & 0xc0) !== 0x80) return border;
  return at;
}
