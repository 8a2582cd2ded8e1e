import type { Pages } from './pages.ts';
import { readRecord, readVarint, type Value } from './record.ts';

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
