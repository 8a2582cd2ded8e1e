import type { SqlValue } from '../../storage/index.ts';

/**
 * Reads patchsets of SQLite's session extension (sqlite.org/session/sqlite3changeset_start.html; the format is
 * described in ext/session/sqlite3session.c). SQLite itself does not read them here, because sql.js is built without
 * the extension.
 *
 *     'P' | number of columns (varint) | for each column whether it is of the primary key (u8) | name of the table | 0
 *     then for each row: operation (u8) | 0 or 1 for an effect of another row (u8) | values
 *
 * An insertion has all values; a deletion those of the primary key; an update those of the primary key and the new
 * ones, with a placeholder for unchanged columns.
 */
export type RowChange =
  | { readonly kind: 'insert'; readonly table: PatchedTable; readonly values: readonly SqlValue[] }
  | { readonly kind: 'delete'; readonly table: PatchedTable; readonly key: readonly SqlValue[] }
  /** `columns`: numbers of those that change. */
  | { readonly kind: 'update'; readonly table: PatchedTable; readonly columns: readonly number[];
    readonly values: readonly SqlValue[]; readonly key: readonly SqlValue[] };

export interface PatchedTable {
  readonly name: string;
  /** Whether each column belongs to the primary key. */
  readonly isKey: readonly boolean[];
}

const TABLE = 0x50;
const INSERT = 18;
const UPDATE = 23;
const DELETE = 9;

/** Bytes that are not a patchset. */
export class BadPatchset extends Error {}

/** The changes of a patchset, by table. Throws `BadPatchset`. */
export function* readPatchset(bytes: Buffer): Generator<RowChange> {
  const reader = new Reader(bytes);
  let table: PatchedTable | undefined;
  while (!reader.isAtEnd) {
    const operation = reader.byte();
    if (operation === TABLE) {
      table = reader.table();
      continue;
    }
    if (table === undefined) throw new BadPatchset('a patchset begins with a table');
    reader.byte();
    if (operation === INSERT) yield { kind: 'insert', table, values: table.isKey.map(() => reader.value()) };
    else if (operation === DELETE)
      yield {
        kind: 'delete',
        table,
        key: table.isKey.filter(Boolean).map(() => reader.value()),
      };
    else if (operation === UPDATE) yield readUpdate(reader, table);
    else throw new BadPatchset(`a patchset has no operation ${operation}`);
  }
}

/** The tables of a patchset, and those from which it deletes, without reading any value. Throws `BadPatchset`. */
export function tablesOf(bytes: Buffer): { readonly changed: Set<string>; readonly deleted: Set<string> } {
  const reader = new Reader(bytes);
  const [changed, deleted] = [new Set<string>(), new Set<string>()];
  let table: PatchedTable = { name: '', isKey: [] };
  let keys = 0;
  while (!reader.isAtEnd) {
    const operation = reader.byte();
    if (operation === TABLE) {
      table = reader.table();
      keys = table.isKey.filter(Boolean).length;
      changed.add(table.name);
      continue;
    }
    reader.byte();
    if (operation === DELETE) deleted.add(table.name);
    reader.skip(operation === DELETE ? keys : table.isKey.length);
  }
  return { changed, deleted };
}

function readUpdate(reader: Reader, table: PatchedTable): RowChange {
  const columns: number[] = [];
  const values: SqlValue[] = [];
  const key: SqlValue[] = [];
  table.isKey.forEach((isKey, column) => {
    const value = reader.optionalValue();
    if (isKey) {
      if (value === undefined) throw new BadPatchset(`an update of ${table.name} lacks its key`);
      key.push(value);
    } else if (value !== undefined) {
      columns.push(column);
      values.push(value);
    }
  });
  return { kind: 'update', table, columns, values, key };
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    return this.#bytes[this.#take(1)]!;
  }

  table(): PatchedTable {
    const columns = this.#varint();
    const isKey = Array.from({ length: columns }, () => this.byte() !== 0);
    const end = this.#bytes.indexOf(0, this.#at);
    if (end < 0) throw new BadPatchset('the name of a table does not end');
    const name = this.#bytes.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return { name, isKey };
  }

  value(): SqlValue {
    const value = this.optionalValue();
    if (value === undefined) throw new BadPatchset('a value is missing');
    return value;
  }

  /** Undefined: the column is unchanged. */
  optionalValue(): SqlValue | undefined {
    const type = this.byte();
    if (type === 0) return undefined;
    if (type === 1) return exact(this.#bytes.readBigInt64BE(this.#take(8)));
    if (type === 2) return this.#bytes.readDoubleBE(this.#take(8));
    if (type === 5) return null;
    const length = this.#varint();
    const start = this.#take(length);
    if (type === 3) return this.#bytes.toString('utf8', start, start + length);
    if (type === 4) return this.#bytes.subarray(start, start + length);
    throw new BadPatchset(`a patchset has no type ${type}`);
  }

  /** Skips values. */
  skip(values: number): void {
    for (let i = 0; i < values; i++) {
      const type = this.byte();
      if (type === 1 || type === 2) this.#take(8);
      else if (type === 3 || type === 4) this.#take(this.#varint());
    }
  }

  /**
   * SQLite's own format: seven bits per byte, highest first. Lengths have at most nine bytes, and are at most 2 GiB.
   */
  #varint(): number {
    let value = 0;
    for (let i = 0; i < 9; i++) {
      const byte = this.byte();
      value = value * 128 + (byte & 0x7f);
      if (byte < 0x80) return value;
    }
    throw new BadPatchset('a length is too large');
  }

  #take(length: number): number {
    const start = this.#at;
    if (start + length > this.#bytes.length) throw new BadPatchset('a patchset is cut off');
    this.#at = start + length;
    return start;
  }
}

function exact(value: bigint): SqlValue {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}
