import { isUtf8 } from 'node:buffer';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const MAGIC = 'SQLite format 3\0';
const UTF8 = 1;

/**
 * The pages of an SQLite file, read without SQLite (https://www.sqlite.org/fileformat2.html), because SQLite stops
 * where a page is damaged.
 */
export class Pages {
  readonly #file: number;
  readonly size: number;
  /** Bytes of a page that can hold content. */
  readonly usable: number;
  readonly count: number;
  /** First trunk page of the list of free pages; 0 when there is none. */
  readonly firstFree: number;

  /** Throws when the header of the file is not that of a readable database. */
  constructor(path: string) {
    this.#file = openSync(path, 'r');
    try {
      const head = this.#read(0, 100);
      if (head.toString('latin1', 0, MAGIC.length) !== MAGIC)
        throw new Error('its head is not that of an SQLite database');
      const size = head.readUInt16BE(16);
      this.size = size === 1 ? 65_536 : size;
      if (this.size < 512 || (this.size & (this.size - 1)) !== 0)
        throw new Error(`its head claims pages of ${this.size} bytes`);
      if (head.readUInt32BE(56) !== UTF8) throw new Error('its texts are not UTF-8');
      this.usable = this.size - head[20]!;
      this.count = Math.floor(fstatSync(this.#file).size / this.size);
      this.firstFree = head.readUInt32BE(32);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Returns a page by its number, from 1; undefined when it is beyond the file or cannot be read from the disk. */
  page(number: number): Buffer | undefined {
    if (number < 1 || number > this.count) return undefined;
    try {
      return this.#read((number - 1) * this.size, this.size);
    } catch {
      return undefined;
    }
  }

  /** Numbers of the pages in the free list, whose content was deleted; undefined when the list is damaged. */
  free(): Set<number> | undefined {
    const free = new Set<number>();
    for (let trunk = this.firstFree; trunk !== 0;) {
      const page = free.has(trunk) ? undefined : this.page(trunk);
      const leaves = page?.readUInt32BE(4) ?? Infinity;
      if (page === undefined || leaves > this.usable / 4 - 2) return undefined;
      free.add(trunk);
      for (let i = 0; i < leaves; i++) free.add(page.readUInt32BE(8 + 4 * i));
      trunk = page.readUInt32BE(0);
    }
    return free;
  }

  close(): void {
    closeSync(this.#file);
  }

  #read(position: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    if (readSync(this.#file, bytes, 0, length, position) !== length) throw new Error('the file ends too early');
    return bytes;
  }
}

/** One row as it is stored. `rowid` is undefined in a tree of keys (a table without rowids). */
export interface StoredRow {
  readonly rowid: number | undefined;
  readonly values: readonly Value[];
}

/** What the walk of one tree could not read. */
export interface Losses {
  /** Pages of the tree. If a page has children, they are not reached any more. */
  pages: number;
  /** Rows whose page could be read. */
  rows: number;
}

const INTERIOR_KEYS = 0x02;
const INTERIOR_TABLE = 0x05;
const LEAF_KEYS = 0x0a;
const LEAF_TABLE = 0x0d;

/**
 * Walks trees page by page. A damaged page or row is skipped and counted. `visited` holds every page that a walk has
 * reached, including overflow pages of long rows.
 */
export class Trees {
  readonly visited = new Set<number>();
  readonly #pages: Pages;

  constructor(pages: Pages) {
    this.#pages = pages;
  }

  /** The rows of a tree, in its order. */
  *rows(root: number, losses: Losses): Generator<StoredRow> {
    const isTable = this.#typeOf(root) === LEAF_TABLE || this.#typeOf(root) === INTERIOR_TABLE;
    // A stack of the pages to read, the next one last. Recursion would be as deep as the damage makes it.
    const todo: (number | StoredRow)[] = [root];
    for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
      if (typeof next !== 'number') yield next;
      else if (this.visited.has(next)) losses.pages += 1;
      else todo.push(...this.#read(next, isTable, losses).reverse());
    }
  }

  /** The rows of one leaf, if it is intact and its rows match a table's columns; undefined otherwise. */
  leaf(number: number, fits: (row: StoredRow) => boolean): StoredRow[] | undefined {
    if (this.#typeOf(number) !== LEAF_TABLE) return undefined;
    const losses: Losses = { pages: 0, rows: 0 };
    const rows = this.#read(number, true, losses) as StoredRow[];
    return losses.pages + losses.rows === 0 && rows.length > 0 && rows.every(fits) ? rows : undefined;
  }

  #typeOf(number: number): number | undefined {
    return this.#pages.page(number)?.[headAt(number)];
  }

  /** Rows and child pages, in their order. */
  #read(number: number, isTable: boolean, losses: Losses): (number | StoredRow)[] {
    this.visited.add(number);
    const page = this.#pages.page(number);
    const head = headAt(number);
    const type = page?.[head];
    const isLeaf = type === (isTable ? LEAF_TABLE : LEAF_KEYS);
    if (page === undefined || (!isLeaf && type !== (isTable ? INTERIOR_TABLE : INTERIOR_KEYS))) {
      losses.pages += 1;
      return [];
    }
    const found: (number | StoredRow)[] = [];
    const cells = page.readUInt16BE(head + 3);
    const pointers = head + (isLeaf ? 8 : 12);
    for (let i = 0; i < cells; i++) {
      const pointer = pointers + 2 * i;
      const at = pointer + 2 <= this.#pages.usable ? page.readUInt16BE(pointer) : 0;
      // Pointers outside the page show that its header is wrong.
      if (at < pointers || at + 4 > this.#pages.usable) {
        losses.pages += 1;
        break;
      }
      if (!isLeaf) found.push(page.readUInt32BE(at));
      if (!isLeaf && isTable) continue;
      const row = this.#row(page, isLeaf ? at : at + 4, isTable);
      if (row === undefined) losses.rows += 1;
      else found.push(row);
    }
    if (!isLeaf) found.push(page.readUInt32BE(head + 8));
    return found;
  }

  #row(page: Buffer, at: number, isTable: boolean): StoredRow | undefined {
    const length = readVarint(page, at);
    const rowid = length && isTable ? readVarint(page, length.end) : undefined;
    const start = isTable ? rowid?.end : length?.end;
    if (length === undefined || start === undefined || length.value < 1) return undefined;
    const payload = this.#payload(page, start, length.value, isTable);
    const values = payload && readRecord(payload);
    return values && { rowid: rowid?.value, values };
  }

  /** A record that may continue on a chain of overflow pages (section 1.6 of the file format). */
  #payload(page: Buffer, start: number, length: number, isTable: boolean): Buffer | undefined {
    const { usable, count } = this.#pages;
    if (length > count * usable) return undefined;
    const most = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
    const least = Math.floor(((usable - 12) * 32) / 255) - 23;
    const fitting = least + ((length - least) % (usable - 4));
    const local = length <= most ? length : fitting <= most ? fitting : least;
    if (start + local + (local < length ? 4 : 0) > usable) return undefined;
    const parts = [page.subarray(start, start + local)];
    let next = local < length ? page.readUInt32BE(start + local) : 0;
    for (let left = length - local; left > 0;) {
      const overflow = this.#pages.page(next);
      if (overflow === undefined) return undefined;
      this.visited.add(next);
      const part = overflow.subarray(4, 4 + Math.min(left, usable - 4));
      parts.push(part);
      left -= part.length;
      next = overflow.readUInt32BE(0);
    }
    return Buffer.concat(parts, length);
  }
}

/** On the first page the tree's header follows the header of the file. */
function headAt(number: number): number {
  return number === 1 ? 100 : 0;
}

export type Value = number | bigint | string | Uint8Array | null;

/**
 * A value of SQLite's varint: big-endian groups of 7 bits; the ninth byte contributes all 8. Undefined when it is
 * truncated.
 */
function readVarint(bytes: Uint8Array, at: number): { value: number; end: number } | undefined {
  let value = 0n;
  for (let i = 0; i < 9; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) return undefined;
    if (i === 8) return done((value << 8n) | BigInt(byte), at + 9);
    value = (value << 7n) | BigInt(byte & 0x7f);
    if (byte < 0x80) return done(value, at + i + 1);
  }
  return undefined;
}

function done(value: bigint, end: number): { value: number; end: number } {
  return { value: Number(BigInt.asIntN(64, value)), end };
}

/** Bytes of an integer by its serial type. */
const INTEGER_BYTES = [0, 1, 2, 3, 4, 6, 8] as const;

/** The values of a record (section 2.1 of the file format); undefined when it is damaged. */
function readRecord(payload: Buffer): Value[] | undefined {
  const head = readVarint(payload, 0);
  if (head === undefined || head.value < head.end || head.value > payload.length) return undefined;
  const values: Value[] = [];
  let at = head.end;
  let body = head.value;
  while (at < head.value) {
    const type = readVarint(payload, at);
    if (type === undefined || type.end > head.value) return undefined;
    at = type.end;
    const length = lengthOf(type.value);
    if (length === undefined || body + length > payload.length) return undefined;
    const value = valueOf(type.value, payload.subarray(body, body + length));
    if (value === undefined) return undefined;
    values.push(value);
    body += length;
  }
  return body === payload.length ? values : undefined;
}

function lengthOf(type: number): number | undefined {
  if (type < 0 || type === 10 || type === 11) return undefined;
  if (type >= 12) return Math.floor((type - 12) / 2);
  if (type === 7) return 8;
  return INTEGER_BYTES[type] ?? 0;
}

function valueOf(type: number, bytes: Buffer): Value | undefined {
  if (type === 0) return null;
  if (type === 8 || type === 9) return type - 8;
  if (type === 7) return bytes.readDoubleBE(0);
  if (type < 7) return integerOf(bytes);
  if (type % 2 === 0) return Uint8Array.from(bytes);
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

function integerOf(bytes: Buffer): number | bigint {
  if (bytes.length < 8) return bytes.readIntBE(0, bytes.length);
  const value = bytes.readBigInt64BE(0);
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
