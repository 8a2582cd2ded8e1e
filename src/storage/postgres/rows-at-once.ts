import { Lru } from '../../lib/caches.ts';
import { LARGEST_STEP, rowSteps } from '../multi-row.ts';
import type { SqlValue } from '../port.ts';
import { toParameter } from './values.ts';

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
type TypesOf = (table: string) => ReadonlyMap<string, string> | undefined;

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

/** Type numbers of the elements (pg_type). */
const OID = { bigint: 20, text: 25, bytea: 17, 'double precision': 701 } as const;

type ElementType = keyof typeof OID;

const isElementType = (type: string): type is ElementType => Object.hasOwn(OID, type);

const HEADER = 20;

/**
 * An array in PostgreSQL's binary format (`array_recv`):
 *
 * dimensions 1 | has NULLs | type of elements | length | lower bound 1 | length, or -1 for NULL, and bytes of each
 * element
 *
 * All numbers have four bytes, the most significant first. Undefined if a value does not have the type.
 */
function toArray(type: ElementType, values: readonly SqlValue[]): Buffer | undefined {
  let size = HEADER;
  for (const value of values) {
    if (value !== null && !fits(type, value)) return undefined;
    // A character of a string takes at most three bytes of UTF-8, or two if it is escaped.
    size += 4 + (typeof value === 'string' ? 3 * value.length : value instanceof Uint8Array ? value.length : 8);
  }
  const array = Buffer.allocUnsafe(size);
  [1, values.includes(null) ? 1 : 0, OID[type], values.length, 1].forEach((number, i) =>
    array.writeInt32BE(number, 4 * i)
  );
  let end = HEADER;
  for (const value of values) {
    const length = value === null ? -1 : writeElement(array, end + 4, type, value);
    array.writeInt32BE(length, end);
    end += 4 + Math.max(0, length);
  }
  return array.subarray(0, end);
}

function fits(type: ElementType, value: NonNullable<SqlValue>): boolean {
  switch (type) {
    case 'bigint':
      return typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : Number.isSafeInteger(value);
    case 'double precision':
      return typeof value === 'number' && Number.isFinite(value);
    case 'text':
      return typeof value === 'string';
    default:
      return value instanceof Uint8Array;
  }
}

/** Returns the number of its bytes. */
function writeElement(array: Buffer, at: number, type: ElementType, value: NonNullable<SqlValue>): number {
  if (typeof value === 'string') return array.write(toParameter(value) as string, at);
  if (value instanceof Uint8Array) {
    array.set(value, at);
    return value.length;
  }
  if (type === 'double precision') array.writeDoubleBE(value as number, at);
  else if (typeof value === 'bigint') array.writeBigInt64BE(value, at);
  else {
    const high = Math.floor(value / 2 ** 32);
    array.writeInt32BE(high, at);
    array.writeUInt32BE(value - high * 2 ** 32, at + 4);
  }
  return 8;
}
