import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { decodeBody } from '../body/codec.ts';
import { isReference, readReference } from '../body/reference.ts';
import { isSealed, isSealedText } from '../encryption/record.ts';
import type { StoredRow, Value } from './pages.ts';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notNull: boolean;
}

/** The columns of a table, in the order in which its rows are stored. */
export interface Shape {
  readonly table: string;
  readonly isWithoutRowid: boolean;
  readonly columns: readonly Column[];
  /**
   * Returns the values of a stored row, one for each column up to its length; undefined if it is not a row of this
   * table.
   */
  toValues(row: StoredRow): Value[] | undefined;
}

interface ColumnRow {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly pk: number;
}

/** The columns of a table that exists in the new database. */
export function shapeOf(database: DatabaseSync, table: string): Shape {
  const found = database.prepare(`PRAGMA table_info("${table}")`).all() as unknown as ColumnRow[];
  const kind = database.prepare('SELECT wr FROM pragma_table_list WHERE name = ?').get(table) as { wr: number };
  const isWithoutRowid = kind.wr === 1;
  const keys = found.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  const stored = isWithoutRowid ? [...keys, ...found.filter(({ pk }) => pk === 0)] : found;
  const columns = stored.map(({ name, type, notnull, pk }) => ({
    name,
    type,
    notNull: notnull === 1 || (isWithoutRowid && pk > 0),
  }));
  /** The column that is an alias of the rowid, which is not stored a second time. */
  const alias = isWithoutRowid || keys.length !== 1 || keys[0]!.type !== 'INTEGER' ? -1 : found.indexOf(keys[0]!);
  return {
    table,
    isWithoutRowid,
    columns,
    toValues({ rowid, values }) {
      if (values.length > columns.length || (rowid === undefined) !== isWithoutRowid || values.length === 0)
        return undefined;
      const completed = alias >= 0 && values[alias] === null ? values.with(alias, rowid!) : [...values];
      return completed.every((value, i) => isOf(columns[i]!, value)) ? completed : undefined;
    },
  };
}

/** Tables are STRICT, so a value of another type is damaged. */
function isOf({ type, notNull }: Column, value: Value): boolean {
  if (value === null) return !notNull;
  if (type === 'INTEGER') return typeof value === 'bigint' || Number.isInteger(value);
  if (type === 'REAL') return typeof value === 'number';
  if (type === 'TEXT') return typeof value === 'string';
  return type !== 'BLOB' || value instanceof Uint8Array;
}

/**
 * Whether metadata and body are unchanged, as far as that can be checked: the body has a checksum. Damage to encrypted
 * values is detected when they are decrypted.
 */
export function isIntactDocument({ columns }: Shape, values: readonly Value[]): boolean {
  const of = (name: string): Value | undefined => values[columns.findIndex((column) => column.name === name)];
  const [meta, body] = [of('meta'), of('body')];
  return isIntactMeta(meta) && (!(body instanceof Uint8Array) || isSealed(body) || isIntactBody(body, of('crc')));
}

function isIntactMeta(meta: Value | undefined): boolean {
  if (typeof meta !== 'string') return false;
  if (isSealedText(meta)) return true;
  try {
    return typeof JSON.parse(meta) === 'object';
  } catch {
    return false;
  }
}

function isIntactBody(body: Uint8Array, crc: Value | undefined): boolean {
  try {
    // If a body is kept elsewhere, the database has only a reference.
    return isReference(body) ? readReference(body).store > 0 : crc32(decodeBody(body)) === crc;
  } catch {
    return false;
  }
}
