import { Lru } from '../../lib/caches.ts';
import { LARGEST_STEP, rowSteps } from '../multi-row.ts';
import type { SqlValue } from '../port.ts';
import { isElementType, toArray } from './arrays.ts';

/**
 * An INSERT of one row of parameters: the text before the row, the row, and what may follow it, such as ON CONFLICT DO
 * NOTHING.
 */
const ONE_ROW =
  /^(\s*insert\s+into\s+([\w.]+)\s*\(([\w\s,]+)\)\s*)values\s*(\(\?(?:, ?\?)*\))(\s*(?:on\s+conflict\s*\([\w\s,]+\)\s*do\s+nothing\s*)?)$/i;

/** More bytes than this are not copied into arrays. */
const MAX_BYTES = 256 * 1024;

interface Parts {
  readonly head: string;
  readonly table: string;
  readonly columns: readonly string[];
  readonly row: string;
  readonly tail: string;
}

/** Types of the columns of a table, by name; undefined while they are not known. */
export type TypesOf = (table: string) => ReadonlyMap<string, string> | undefined;

type Statement = readonly [sql: string, values: readonly SqlValue[]];
type Rows = readonly (readonly SqlValue[])[];

const parsed = new Lru<string, Parts | false>(256);

/**
 * The statements that run one statement for many rows, because a statement costs a server more than a row. An INSERT of
 * a row becomes one of an array for each column, which takes any number of rows; if the types are not known or a value
 * does not have them, it becomes INSERTs of 64, 32, ... rows.
 */
export function inChunks(sql: string, rows: Rows, typesOf: TypesOf = () => undefined): Statement[] {
  if (rows.length < 2) return rows.map((row) => [sql, row]);
  const parts = partsOf(sql);
  if (parts === false) return rows.map((row) => [sql, row]);
  const types = typesOf(parts.table);
  const chunks: Statement[] = [];
  for (let i = 0; i < rows.length; i += LARGEST_STEP) {
    const some = rows.slice(i, i + LARGEST_STEP);
    const arrays = types && asArrays(parts, some, types);
    if (arrays === undefined) chunks.push(...asRows(parts, some));
    else chunks.push(arrays);
  }
  return chunks;
}

function asRows({ head, row, tail }: Parts, rows: Rows): Statement[] {
  return rowSteps(rows).map((some) => [`${head}VALUES ${Array(some.length).fill(row).join(', ')}${tail}`, some.flat()]);
}

function asArrays({ head, columns, tail }: Parts, rows: Rows, types: ReadonlyMap<string, string>): Statement
  | undefined
{
  if (rows.some(({ length }) => length !== columns.length) || bytesOf(rows) > MAX_BYTES) return undefined;
  const arrays: Buffer[] = [];
  const casts: string[] = [];
  for (const [i, column] of columns.entries()) {
    const type = types.get(column);
    const array = type !== undefined && isElementType(type) ? toArray(type, rows.map((row) => row[i]!)) : undefined;
    if (array === undefined) return undefined;
    arrays.push(array);
    casts.push(`CAST(? AS ${type}[])`);
  }
  return [`${head}SELECT * FROM unnest(${casts.join(', ')})${tail}`, arrays];
}

function bytesOf(rows: Rows): number {
  let bytes = 0;
  for (const row of rows)
    for (const value of row) if (typeof value === 'string' || value instanceof Uint8Array) bytes += value.length;
  return bytes;
}

function partsOf(sql: string): Parts | false {
  const known = parsed.get(sql);
  if (known !== undefined) return known;
  const match = ONE_ROW.exec(sql);
  const [, head, table, columns, row, tail] = match ?? [];
  const parts: Parts | false = match !== null &&
    { head: head!, table: table!, columns: columns!.split(',').map((column) => column.trim()), row: row!, tail: tail! };
  parsed.set(sql, parts);
  return parts;
}
