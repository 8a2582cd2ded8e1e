import type { SqlValue, Transaction } from '../../storage/index.ts';

/** The database lacks what a change of the leader is based on: it is not a copy of the leader's (any more). */
export class Diverged extends Error {}

/** Each node has its own. */
const OWN_TABLE = 'replication';

/** Each node prunes its feed itself, when its own indexes have read the changes. */
const FEED = 'changes';

interface Batch {
  readonly kind: RowChange['kind'];
  readonly table: PatchedTable;
  readonly columns: readonly number[];
  readonly rows: SqlValue[][];
}

/** Names of a table's columns, in their order. */
export type ColumnsOf = (tx: Transaction, table: string) => Promise<readonly string[]>;

/** Queries the database once for each table; only for a schema that does not change. */
export function createColumnsCache(): ColumnsOf {
  const known = new Map<string, readonly string[]>();
  return async (tx, table) => {
    const columns = known.get(table) ??
      (await tx.all<{ name: string }>(
        `SELECT name FROM pragma_table_info('${table.replaceAll("'", "''")}') ORDER BY cid`,
      )).map(({ name }) => name);
    known.set(table, columns);
    return columns;
  };
}

/**
 * Applies one commit of the leader within a transaction, and returns the names of the tables that changed. The driver
 * does it if it can; row by row if that does not fit, for example because the deletion of another row has already
 * deleted a row. Throws `Diverged` if a row that must be changed is missing, and the database's error if a row that
 * must be inserted exists.
 */
export async function applyCommit(tx: Transaction, patchset: Buffer, columnsOf: ColumnsOf): Promise<Set<string>> {
  const { changed, deleted } = tablesOf(patchset);
  changed.delete(OWN_TABLE);
  if (!deleted.has(FEED) && tx.applyPatchset?.(patchset, [OWN_TABLE]) === true) return changed;
  return applyRows(tx, patchset, columnsOf);
}

/**
 * Deletions come first, so that unique values are free for insertions; references between tables are checked when the
 * transaction ends.
 */
async function applyRows(tx: Transaction, patchset: Buffer, columnsOf: ColumnsOf): Promise<Set<string>> {
  await tx.run('PRAGMA defer_foreign_keys = ON');
  const batches: Record<RowChange['kind'], Batch[]> = { delete: [], update: [], insert: [] };
  const tables = new Set<string>();
  for (const change of readPatchset(patchset)) {
    const { name } = change.table;
    if (name === OWN_TABLE || (name === FEED && change.kind === 'delete')) continue;
    tables.add(name);
    add(batches[change.kind], change);
  }
  for (const batch of [...batches.delete, ...batches.update, ...batches.insert]) await applyBatch(tx, batch, columnsOf);
  return tables;
}

/** Consecutive changes of the same form share one statement. */
function add(batches: Batch[], change: RowChange): void {
  const columns = change.kind === 'update' ? change.columns : [];
  const row = change.kind === 'update'
    ? [...change.values, ...change.key]
    : change.kind === 'insert'
    ? [...change.values]
    : [...change.key];
  const last = batches.at(-1);
  if (last?.table === change.table && isSame(last.columns, columns)) last.rows.push(row);
  else batches.push({ kind: change.kind, table: change.table, columns, rows: [row] });
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((column, i) => column === b[i]);
}

async function applyBatch(tx: Transaction, { kind, table, columns, rows }: Batch, columnsOf: ColumnsOf): Promise<void> {
  const names = await columnsOf(tx, table.name);
  if (names.length !== table.isKey.length)
    throw new Diverged(`table ${table.name} has ${names.length} columns, and ${table.isKey.length} on the leader`);
  const { changes } = await tx.runMany(statementOf(kind, table, columns, names), rows);
  // A row may have been deleted together with the row that it refers to.
  if (kind === 'update' && changes !== rows.length)
    throw new Diverged(`${rows.length - changes} rows of ${table.name} are missing`);
}

function statementOf(kind: RowChange['kind'], { name, isKey }: PatchedTable, columns: readonly number[],
  names: readonly string[]): string
{
  const quoted = names.map((column) => `"${column}"`);
  if (kind === 'insert')
    return `INSERT INTO "${name}"(${quoted.join(', ')}) VALUES (${quoted.map(() => '?').join(', ')})`;
  const where = quoted.filter((_, i) => isKey[i]).map((column) => `${column} = ?`).join(' AND ');
  if (kind === 'delete') return `DELETE FROM "${name}" WHERE ${where}`;
  return `UPDATE "${name}" SET ${columns.map((column) => `${quoted[column]} = ?`).join(', ')} WHERE ${where}`;
}

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
type RowChange =
  | { readonly kind: 'insert'; readonly table: PatchedTable; readonly values: readonly SqlValue[] }
  | { readonly kind: 'delete'; readonly table: PatchedTable; readonly key: readonly SqlValue[] }
  /** `columns`: numbers of those that change. */
  | { readonly kind: 'update'; readonly table: PatchedTable; readonly columns: readonly number[];
    readonly values: readonly SqlValue[]; readonly key: readonly SqlValue[] };

interface PatchedTable {
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
