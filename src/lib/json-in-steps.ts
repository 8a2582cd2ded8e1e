import { randomUUID } from 'node:crypto';
import { type JsonLimits, JsonScanner, JsonTooLarge, type Level } from './json-scanner.ts';
import { Pace } from './pace.ts';

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
class LongTexts {
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

/**
 * How much is parsed at a time: items of a list or object are parsed together until they have as many values or bytes.
 */
export interface PieceSize {
  readonly values: number;
  readonly bytes: number;
  /** A text of so many bytes is decoded in parts of that size. */
  readonly text: number;
}

const PIECE: PieceSize = { values: 2000, bytes: 64 * 1024, text: 64 * 1024 };
/** Most bytes outside of texts that are parsed at once: blanks and digits may be as many as a client likes. */
const MAX_PLAIN_BYTES = 1024 * 1024;
/** Bytes that are scanned between two rests. */
const STEP_BYTES = 16 * 1024;

interface InSteps {
  readonly limits: JsonLimits;
  /** Decodes a part of the bytes, which ends between two characters. */
  readonly decode: (bytes: Buffer) => string;
  readonly pace?: Pick<Pace, 'rest'>;
  /** Tests pass a smaller one. */
  readonly piece?: PieceSize;
}

/**
 * Parses what `JSON.parse` parses, into equal values, with rests: the scanner finds the items of the outer lists and
 * objects, and `JSON.parse` parses some of them at a time; long texts are decoded as they are scanned. Rejects with
 * `JsonTooLarge` before more than a piece beyond a limit is parsed, and with a `SyntaxError`.
 */
export async function parseJsonInSteps(bytes: Buffer,
  { limits, decode, pace = new Pace(), piece = PIECE }: InSteps): Promise<unknown>
{
  const parser = new PieceParser(bytes, limits, decode, piece);
  for (let end = 0; end < bytes.length;) {
    end = Math.min(end + STEP_BYTES, bytes.length);
    parser.advance(end);
    await pace.rest();
  }
  return parser.end();
}

/** A list or object that is filled piece by piece. */
interface Part {
  readonly level: Level;
  readonly value: unknown[] | Record<string, unknown>;
  /** Position of the first byte that has not been parsed. */
  from: number;
  /** Whether the item before `from` is a part that has just ended. */
  isAfterPart: boolean;
}

class PieceParser {
  readonly #bytes: Buffer;
  readonly #decode: (bytes: Buffer) => string;
  readonly #piece: PieceSize;
  readonly #scanner: JsonScanner;
  readonly #longTexts: LongTexts;
  /** The outermost open levels; the levels inside them are still within a piece. */
  readonly #parts: Part[] = [];
  #valuesBefore = 0;
  /** The range of the outermost value; what is around it has to be blank. */
  #end = -1;
  #start = -1;
  #whole: unknown;

  constructor(bytes: Buffer, limits: JsonLimits, decode: (bytes: Buffer) => string, piece: PieceSize) {
    this.#bytes = bytes;
    this.#piece = piece;
    this.#decode = decode;
    this.#longTexts = new LongTexts(bytes, decode, piece.text);
    this.#scanner = new JsonScanner(bytes, {
      limits,
      longText: piece.text,
      events: {
        onItem: () => this.#onItem(),
        onClose: (level, end) => this.#onClose(level, end),
        onLongText: (start, end) => this.#longTexts.close(start, end),
      },
    });
  }

  advance(end: number): void {
    this.#scanner.scan(end);
    const { openText, position } = this.#scanner;
    if (openText !== undefined) this.#longTexts.advance(openText, position);
  }

  end(): unknown {
    if (this.#scanner.isCutOff) throw new SyntaxError('unexpected end');
    if (this.#end === -1) return this.#parse('', 0, this.#bytes.length, '');
    this.#requireBlank(0, this.#start);
    this.#requireBlank(this.#end, this.#bytes.length);
    return this.#whole;
  }

  #onItem(): void {
    const { position, values } = this.#scanner;
    if (values - this.#valuesBefore < this.#piece.values && position - this.#from < this.#piece.bytes) return;
    this.#parsePiece();
  }

  get #from(): number {
    return this.#parts.at(-1)?.from ?? this.#scanner.levels[0]!.start;
  }

  /**
   * Parses all items that are complete; levels that are open become parts, from the outside, as long as there are
   * complete items in them.
   */
  #parsePiece(): void {
    const { levels } = this.#scanner;
    for (let depth = Math.max(0, this.#parts.length - 1); depth < levels.length; depth++) {
      if (depth >= this.#parts.length) this.#openPart(levels[depth]!);
      this.#parseItems(this.#parts[depth]!);
    }
    this.#valuesBefore = this.#scanner.values;
  }

  #openPart(level: Level): void {
    const parent = this.#parts.at(-1);
    const value = level.isList ? [] : {};
    if (parent?.isAfterPart === true) throw new SyntaxError(`a comma is missing before byte ${level.start}`);
    if (parent === undefined) [this.#whole, this.#start] = [value, level.start];
    else if (parent.level.isList) {
      this.#requireBlank(parent.from, level.start);
      (parent.value as unknown[]).push(value);
    } else {
      const [key] = Object.keys(this.#parse('{', parent.from, level.start, 'null}') as object);
      setOwn(parent.value as Record<string, unknown>, key!, value);
    }
    this.#parts.push({ level, value, from: level.start + 1, isAfterPart: false });
  }

  /** Parses the items of a part up to its last comma. */
  #parseItems(part: Part): void {
    const { level: { itemStart } } = part;
    if (itemStart <= part.from) return;
    this.#add(part, itemStart - 1, false);
    part.from = itemStart;
  }

  #onClose(level: Level, end: number): void {
    if (this.#scanner.levels.length === 1) this.#end = end + 1;
    const part = this.#parts.at(-1);
    if (part?.level !== level) {
      if (this.#scanner.levels.length === 1)
        [this.#start, this.#whole] = [level.start, this.#parse('', level.start, end + 1, '')];
      return;
    }
    this.#add(part, end, level.commas === 0);
    this.#parts.pop();
    const parent = this.#parts.at(-1);
    if (parent !== undefined) [parent.from, parent.isAfterPart] = [end + 1, true];
  }

  /** Adds the items between `part.from` and `end`; there may be none only in an empty list or object. */
  #add(part: Part, end: number, mayBeEmpty: boolean): void {
    if (part.isAfterPart) return this.#addAfterPart(part, end);
    const list = Array.isArray(part.value) ? part.value : undefined;
    const added =
      (list === undefined ? this.#parse('{', part.from, end, '}') : this.#parse('[', part.from, end, ']')) as unknown[]
        | Record<string, unknown>;
    const names = list === undefined ? Object.keys(added) : undefined;
    if (!mayBeEmpty && (names ?? added)['length'] === 0) throw new SyntaxError(`an item is missing at byte ${end}`);
    if (list === undefined) {
      for (const name of names!)
        setOwn(part.value as Record<string, unknown>, name, (added as Record<string, unknown>)[name]);
    } else for (const item of added as unknown[]) list.push(item);
  }

  /** The comma after a part ends no item that is still to be parsed. */
  #addAfterPart(part: Part, end: number): void {
    const comma = this.#bytes.indexOf(0x2c, part.from);
    const first = comma === -1 || comma > end ? end : comma;
    this.#requireBlank(part.from, first);
    part.isAfterPart = false;
    if (first === end) return;
    part.from = first + 1;
    this.#add(part, end, false);
  }

  #requireBlank(from: number, to: number): void {
    requirePlain(to - from);
    if (/[^ \t\r\n]/.test(this.#bytes.toString('latin1', from, to)))
      throw new SyntaxError(`unexpected text at byte ${from}`);
  }

  #parse(before: string, from: number, to: number, after: string): unknown {
    const texts = this.#longTexts.take(from, to);
    requirePlain(texts.reduce((bytes, { start, end }) => bytes - (end - start), to - from));
    try {
      if (texts.length > 0) return this.#longTexts.parse(before, [from, to], after, texts);
      return JSON.parse(`${before}${this.#decode(this.#bytes.subarray(from, to))}${after}`);
    } catch (error) {
      if (error instanceof JsonTooLarge) throw error;
      // The position would be that in the piece.
      throw new SyntaxError(`${(error as Error).message.split(' at position ', 1)[0]}, after byte ${from}`, {
        cause: error,
      });
    }
  }
}

function requirePlain(bytes: number): void {
  if (bytes > MAX_PLAIN_BYTES)
    throw new JsonTooLarge(`must not have more than ${MAX_PLAIN_BYTES} bytes of blanks or digits in a row`);
}

/** Sets an own property of any name: `__proto__` too becomes an ordinary one, as with `JSON.parse`. */
export function setOwn(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}
