import { JsonTooLarge, MAX_KEYS, type JsonLimits } from './json-limits.ts';

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

const STRUCTURE = new Uint8Array(256);
for (const byte of [COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT]) STRUCTURE[byte] = 1;

/** A list or an object that is open at the scanner's position. */
export interface Level {
  readonly isList: boolean;
  /** Position of its bracket. */
  readonly start: number;
  /** Position of the item that is being scanned: after the bracket or after the last comma. */
  itemStart: number;
  commas: number;
}

/** What a scan stops at, so that its owner can act. */
export interface ScanEvents {
  /** After a comma, which ends an item of the last level. */
  onItem(): void;
  /** At a closing bracket, before its level is removed. */
  onClose(level: Level, end: number): void;
}

/**
 * Finds the lists and objects of a JSON text and their items, without reading what is in between: a text that is not JSON is scanned, too. It can
 * stop anywhere, and counts as it goes.
 */
export class JsonScanner {
  readonly levels: Level[] = [];
  values = 0;
  position: number;
  readonly #bytes: Uint8Array;
  readonly #limits: JsonLimits;
  readonly #events: ScanEvents;
  #inText = false;

  constructor(bytes: Uint8Array, start: number, limits: JsonLimits, events: ScanEvents) {
    this.#bytes = bytes;
    this.position = start;
    this.#limits = limits;
    this.#events = events;
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
        while (i < end && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
        if (i >= end) break;
        this.#inText = false;
        i += 1;
        continue;
      }
      const byte = bytes[i]!;
      i += 1;
      if (byte === QUOTE) this.#inText = true;
      else if (STRUCTURE[byte] === 1) {
        this.position = i;
        this.#structure(byte);
      }
    }
    this.position = i;
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
    if (!level.isList && level.commas >= MAX_KEYS) throw new JsonTooLarge(`must not have an object of more than ${MAX_KEYS} fields`);
    this.#events.onItem();
  }

  #open(isList: boolean): void {
    this.#count();
    if (this.levels.length > this.#limits.maxDepth) throw new JsonTooLarge(`must not be nested deeper than ${this.#limits.maxDepth} levels`);
    this.levels.push({ isList, start: this.position - 1, itemStart: this.position, commas: 0 });
  }

  #close(isList: boolean): void {
    const level = this.levels.at(-1);
    if (level?.isList !== isList) throw new SyntaxError(`unexpected ${isList ? ']' : '}'} at byte ${this.position - 1}`);
    this.#events.onClose(level, this.position - 1);
    this.levels.pop();
  }

  #count(): void {
    this.values += 1;
    if (this.values > this.#limits.maxValues) throw new JsonTooLarge(`must not have more than ${this.#limits.maxValues} values`);
  }
}
