import { randomUUID } from 'node:crypto';
import { JsonTooLarge } from './json-limits.ts';

/** Most bytes of the name of a field, which is decoded at once. */
const MAX_NAME_BYTES = 64 * 1024;

/** Stands for a long text while what is around it is parsed; no client can know it. */
const STAND_IN = `${randomUUID()}:`;
const [COLON, SPACE] = [0x3a, 0x20];

/** A text that is complete, with the positions of its quotation mark and after the other one. */
interface LongText {
  readonly start: number;
  readonly end: number;
  readonly value: string;
}

/**
 * Decodes the texts of a JSON text that are long while they are scanned, a part at a time: 32 MiB at once would take
 * more than 100 ms.
 */
export class LongTexts {
  readonly #bytes: Buffer;
  readonly #decode: (bytes: Buffer) => string;
  readonly #leastBytes: number;
  /** The text that is being scanned, decoded up to `from`. */
  #open: { from: number; value: string } | undefined;
  #complete: LongText[] = [];

  constructor(bytes: Buffer, decode: (bytes: Buffer) => string, leastBytes: number) {
    this.#bytes = bytes;
    this.#decode = decode;
    this.#leastBytes = leastBytes;
  }

  /**
   * A text begins at `start`, after its quotation mark, and goes on at `position`, between two characters or escapes.
   */
  advance(start: number, position: number): void {
    if (position - (this.#open?.from ?? start) < this.#leastBytes) return;
    this.#append(start, Math.min(position, this.#bytes.length));
  }

  /** The same text ends before its quotation mark at `end`. */
  close(start: number, end: number): void {
    this.#append(start, end);
    this.#complete.push({ start: start - 1, end: end + 1, value: this.#open!.value });
    this.#open = undefined;
  }

  /** Takes the complete texts of a range. */
  take(from: number, to: number): readonly LongText[] {
    if (this.#complete.length === 0) return this.#complete;
    const taken = this.#complete.filter(({ start, end }) => start >= from && end <= to);
    this.#complete = this.#complete.filter((text) => !taken.includes(text));
    return taken;
  }

  /**
   * Parses a range with long texts, which are not decoded again. Throws `JsonTooLarge` for a very long name of a field.
   */
  parse(before: string, [from, to]: readonly [number, number], after: string, texts: readonly LongText[]): unknown {
    let at = from;
    let around = before;
    for (const [i, { start, end }] of texts.entries()) {
      if (this.#isName(end)) {
        if (end - start > MAX_NAME_BYTES)
          throw new JsonTooLarge(`must not have a field whose name is longer than ${MAX_NAME_BYTES} bytes`);
        continue;
      }
      around += `${this.#decode(this.#bytes.subarray(at, start))}"${STAND_IN}${i}"`;
      at = end;
    }
    around += this.#decode(this.#bytes.subarray(at, to)) + after;
    return JSON.parse(around,
      (_,
        value:
          unknown) => (typeof value === 'string' && value.startsWith(STAND_IN)
          ? texts[Number(value.slice(STAND_IN.length))]!.value
          : value));
  }

  #append(start: number, to: number): void {
    this.#open ??= { from: start, value: '' };
    let end = to;
    // Not within a character: all bytes but its first begin with the bits 10.
    while (end > this.#open.from && (this.#bytes[end]! & 0xc0) === 0x80) end--;
    this.#open.value += JSON.parse(`"${this.#decode(this.#bytes.subarray(this.#open.from, end))}"`) as string;
    this.#open.from = end;
  }

  #isName(end: number): boolean {
    let at = end;
    while (at < this.#bytes.length && this.#bytes[at]! <= SPACE) at++;
    return this.#bytes[at] === COLON;
  }
}
