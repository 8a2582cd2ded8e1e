/** What a JSON text may hold, which is checked before any of it becomes a value. */
export interface JsonLimits {
  /** Most values: each comma and each opening bracket counts, so that the text `[{"a": 1}, 2]` has three. */
  readonly maxValues: number;
  /** Most levels of lists and objects below the outermost one. */
  readonly maxDepth: number;
  /** Most items of the lists in fields of the outermost object, by the name of the field. */
  readonly maxItems?: Readonly<Record<string, number>> | undefined;
}

/** Most fields of one object: a field with a new name costs as much as ten numbers in a list. */
export const MAX_KEYS = 10_000;

/**
 * A JSON text holds more than its limits allow. The message is a clause that follows the name of the text, or of the
 * field if there is one.
 */
export class JsonTooLarge extends Error {
  readonly field: string | undefined;

  constructor(message: string, field?: string) {
    super(message);
    this.name = 'JsonTooLarge';
    this.field = field;
  }
}

const [QUOTE, COMMA, BACKSLASH, LETTER_U] = [0x22, 0x2c, 0x5c, 0x75];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

const STRUCTURE = new Uint8Array(256);
for (const byte of [COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT]) STRUCTURE[byte] = 1;

/** A field up to its value. A name that is written in another way is checked when it is parsed. */
const NAME = /^[ \t\r\n]{0,64}"([A-Za-z0-9_]{1,64})"[ \t\r\n]{0,64}:[ \t\r\n]{0,64}$/;
const LONGEST_NAME = 256;

/** Bytes of a text that are read one by one before the platform searches its end. */
const SHORT_TEXT = 32;

/** A list or an object that is open at the scanner's position. */
export interface Level {
  readonly isList: boolean;
  /** Position of its bracket. */
  readonly start: number;
  /** Position of the item that is being scanned: after the bracket or after the last comma. */
  itemStart: number;
  commas: number;
  /** The field of the outermost object whose list this is, if the number of its items is limited. */
  readonly field: string | undefined;
}

/** What a scan stops at, so that its owner can act. */
interface ScanEvents {
  /** After a comma, which ends an item of the last level. */
  onItem(): void;
  /** At a closing bracket, before its level is removed. */
  onClose(level: Level, end: number): void;
  /** At the end of a text of at least `longText` bytes: the positions of its first byte and of its quotation mark. */
  onLongText(start: number, end: number): void;
}

/**
 * Finds the lists and objects of a JSON text and their items, without reading what is in between: a text that is not
 * JSON is scanned, too. It can stop anywhere, and counts as it goes.
 */
export class JsonScanner {
  readonly levels: Level[] = [];
  values = 0;
  position: number;
  readonly #bytes: Uint8Array;
  readonly #limits: JsonLimits;
  readonly #events: ScanEvents;
  readonly #longText: number;
  #textStart = 0;
  /** Where the next of these bytes is, if that is not before the position. */
  #nextQuote = -1;
  #nextBackslash = -1;
  #inText = false;

  constructor(bytes: Uint8Array,
    { limits, longText, events }: { readonly limits: JsonLimits; readonly longText: number;
      readonly events: ScanEvents })
  {
    this.#bytes = bytes;
    this.position = 0;
    this.#limits = limits;
    this.#longText = longText;
    this.#events = events;
  }

  /**
   * The first byte of the text that is open at the position, if one is; then the position is between two characters or
   * escapes, or within a character.
   */
  get openText(): number | undefined {
    return this.#inText ? this.#textStart : undefined;
  }

  /** Whether the text ends within a list, an object or a text. */
  get isCutOff(): boolean {
    return this.#inText || this.levels.length > 0 || this.position > this.#bytes.length;
  }

  /** Scans up to about `end`. Throws `JsonTooLarge`, and a `SyntaxError` for brackets that do not match. */
  scan(end: number): void {
    const bytes = this.#bytes;
    let i = this.position;
    while (i < end) {
      if (this.#inText) {
        i = this.#endOfText(i, end);
        if (i >= end) break;
        this.#inText = false;
        if (i - this.#textStart >= this.#longText) this.#events.onLongText(this.#textStart, i);
        i += 1;
        continue;
      }
      const byte = bytes[i]!;
      i += 1;
      if (byte === QUOTE) [this.#inText, this.#textStart] = [true, i];
      else if (STRUCTURE[byte] === 1) {
        this.position = i;
        this.#structure(byte);
      }
    }
    this.position = i;
  }

  /** The position of the quotation mark that ends the open text, or at least `end` if it comes later. */
  #endOfText(from: number, end: number): number {
    const bytes = this.#bytes;
    let i = from;
    for (;;) {
      const near = Math.min(i + SHORT_TEXT, end);
      while (i < near && bytes[i] !== QUOTE) i += bytes[i] !== BACKSLASH ? 1 : bytes[i + 1] === LETTER_U ? 6 : 2;
      if (i < near || i >= end) return i;
      // The platform searches many bytes at a time; what it has found is kept, so that it reads no byte twice.
      if (this.#nextQuote < i) this.#nextQuote = this.#find(QUOTE, i);
      if (this.#nextBackslash < i) this.#nextBackslash = this.#find(BACKSLASH, i);
      i = Math.min(this.#nextQuote, this.#nextBackslash);
      if (i >= end) return end;
      if (i === this.#nextQuote) return i;
    }
  }

  #find(byte: number, from: number): number {
    const at = this.#bytes.indexOf(byte, from);
    return at === -1 ? this.#bytes.length : at;
  }

  #structure(byte: number): void {
    if (byte === COMMA) this.#comma();
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#open(byte === OPEN_LIST);
    else this.#close(byte === CLOSE_LIST);
  }

  #comma(): void {
    const level = this.levels.at(-1);
    if (level === undefined) throw new SyntaxError(`unexpected comma at byte ${this.position - 1}`);
    this.#count();
    level.commas += 1;
    level.itemStart = this.position;
    if (level.field !== undefined) this.#requireFewItems(level, level.field);
    if (!level.isList && level.commas >= MAX_KEYS)
      throw new JsonTooLarge(`must not have an object of more than ${MAX_KEYS} fields`);
    this.#events.onItem();
  }

  #open(isList: boolean): void {
    this.#count();
    if (this.levels.length > this.#limits.maxDepth)
      throw new JsonTooLarge(`must not be nested deeper than ${this.#limits.maxDepth} levels`);
    const start = this.position - 1;
    this.levels.push({
      isList,
      start,
      itemStart: this.position,
      commas: 0,
      field: isList ? this.#limitedField(start) : undefined,
    });
  }

  #limitedField(end: number): string | undefined {
    const { maxItems } = this.#limits;
    const [root] = this.levels;
    if (maxItems === undefined || this.levels.length !== 1 || root!.isList || end - root!.itemStart > LONGEST_NAME)
      return undefined;
    const name = NAME.exec(
      Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + root!.itemStart, end - root!.itemStart).toString(
        'latin1',
      ),
    )?.[1];
    return name !== undefined && Object.hasOwn(maxItems, name) ? name : undefined;
  }

  #requireFewItems({ commas }: Level, field: string): void {
    const most = this.#limits.maxItems![field]!;
    if (commas >= most) throw new JsonTooLarge(`must have at most ${most} items`, field);
  }

  #close(isList: boolean): void {
    const level = this.levels.at(-1);
    if (level?.isList !== isList)
      throw new SyntaxError(`unexpected ${isList ? ']' : '}'} at byte ${this.position - 1}`);
    this.#events.onClose(level, this.position - 1);
    this.levels.pop();
  }

  #count(): void {
    this.values += 1;
    if (this.values > this.#limits.maxValues)
      throw new JsonTooLarge(`must not have more than ${this.#limits.maxValues} values`);
  }
}
