import { createHash } from 'node:crypto';
import { ServiceError } from '../../errors/index.ts';
import type { Queries, Row, Sql, SqlValue, Transaction } from '../port.ts';

/** Maximum number of parameters of one INSERT; both databases accept more. */
const PARAMETERS = 5000;
const BATCH = 500;
/** Not copied: its rows describe the tables, and the migrations write them. */
const VERSIONS = 'schema_version';

interface Table {
  readonly name: string;
  /** In the order of the table's definition. */
  readonly columns: readonly string[];
  /** The columns of the primary key; rows of both databases are compared in their order. */
  readonly key: readonly string[];
}

export interface CopiedTable {
  readonly name: string;
  readonly rows: number;
  /** SHA-256 over all values of all rows in the order of the primary key; equal in both databases. */
  readonly checksum: string;
}

/** Rows that the migrations themselves write, by table. */
type OwnRows = Readonly<Record<string, number>>;

/**
 * Copies all rows from one database to another that has the same formats and no rows but those of its migrations, which
 * are replaced, in one transaction, reads them back and compares them. One of the two has to be SQLite, the other may
 * be PostgreSQL. Throws `conflict`, with nothing written, when the formats differ or there are rows already, and
 * `internal` when what was written is not what was read.
 */
export async function copyStore(from: Sql, to: Sql, ownRows: OwnRows = {}): Promise<CopiedTable[]> {
  await requireSameFormats(from, to);
  const tables = await tablesOf(from.info.driver === 'postgres' ? to : from);
  for (const { name } of tables) {
    if (await countOf(to, name) > (ownRows[name] ?? 0))
      throw new ServiceError('conflict', `${to.info.path} has rows already, in ${name}; nothing was copied`);
  }
  return to.transaction(async (tx) => {
    for (const name of Object.keys(ownRows)) await tx.run(`DELETE FROM ${name}`);
    const copied: CopiedTable[] = [];
    for (const table of tables) copied.push(await copyTable(from, tx, table));
    if (to.info.driver === 'postgres') await continueNumbers(tx);
    return copied;
  });
}

async function countOf(sql: Sql, name: string): Promise<number> {
  return (await sql.get<{ n: number }>(`SELECT count(*) AS n FROM ${name}`))!.n;
}

async function requireSameFormats(from: Sql, to: Sql): Promise<void> {
  const formats = async (sql: Sql): Promise<string> =>
    (await sql.all(`SELECT name FROM ${VERSIONS} ORDER BY version`)).map(({ name }) => name).join(', ');
  const [theirs, ours] = [await formats(from), await formats(to)];
  if (theirs !== ours)
    throw new ServiceError('conflict',
      `the formats differ: ${from.info.path} has ${theirs}; ${to.info.path} has ${ours}. Start this build once over ` +
        'the older one');
}

async function tablesOf(sqlite: Sql): Promise<Table[]> {
  const found = await sqlite.all<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> ? ORDER BY name",
    [VERSIONS],
  );
  const names = await parentsFirst(sqlite, found.map(({ name }) => name));
  return Promise.all(names.map(async (name) => {
    const columns = await sqlite.all<{ name: string; pk: number }>(
      'SELECT name, pk FROM pragma_table_info(?) ORDER BY cid',
      [name],
    );
    const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk).map((column) => column.name);
    return { name, columns: columns.map((column) => column.name), key };
  }));
}

/** Referenced tables come before the tables that refer to them. */
async function parentsFirst(sqlite: Sql, names: readonly string[]): Promise<string[]> {
  const parents = new Map<string, string[]>();
  for (const name of names)
    parents.set(name,
      (await sqlite.all<{ parent: string }>('SELECT "table" AS parent FROM pragma_foreign_key_list(?)', [name])).map((
        { parent },
      ) => parent));
  const ordered = new Set<string>();
  const add = (name: string): void => {
    for (const parent of parents.get(name) ?? []) if (parent !== name && !ordered.has(parent)) add(parent);
    ordered.add(name);
  };
  names.forEach(add);
  return [...ordered];
}

async function copyTable(from: Sql, tx: Transaction, table: Table): Promise<CopiedTable> {
  const { name, columns, key } = table;
  const read = createHash('sha256');
  let rows = 0;
  for await (const batch of from.stream(selectAll(table), [], { batch: BATCH })) {
    for (const row of batch) read.update(encodeRow(row, columns));
    for (let first = 0, size = Math.floor(PARAMETERS / columns.length); first < batch.length; first += size)
      await insertRows(tx, table, batch.slice(first, first + size));
    rows += batch.length;
  }
  const checksum = read.digest('hex');
  if (await checksumIn(tx, table) !== checksum)
    throw new ServiceError('internal',
      `what was written into ${name} is not what was read (by ${key.join(', ')}); nothing was copied`);
  return { name, rows, checksum };
}

const selectAll = ({ name, columns, key }: Table): string =>
  `SELECT ${columns.join(', ')} FROM ${name} ORDER BY ${key.join(', ')}`;

async function insertRows(tx: Transaction, { name, columns }: Table, rows: readonly Row[]): Promise<void> {
  const marks = `(${columns.map(() => '?').join(', ')})`;
  await tx.run(`INSERT INTO ${name}(${columns.join(', ')}) VALUES ${rows.map(() => marks).join(', ')}`,
    rows.flatMap((row) => columns.map((column) => row[column]!)));
}

/** Reads a page at a time, in the order of the primary key. */
async function checksumIn(queries: Queries, table: Table): Promise<string> {
  const { name, columns, key } = table;
  const hash = createHash('sha256');
  const tuple = `(${key.join(', ')}) > (${key.map(() => '?').join(', ')})`;
  for (let last: SqlValue[] | undefined;;) {
    const sql = `SELECT ${columns.join(', ')} FROM ${name} ${last === undefined ? '' : `WHERE ${tuple}`} ORDER BY ${
      key.join(', ')
    } LIMIT ${BATCH}`;
    const rows = await queries.all(sql, last ?? []);
    for (const row of rows) hash.update(encodeRow(row, columns));
    if (rows.length < BATCH) return hash.digest('hex');
    last = key.map((column) => rows.at(-1)![column]!);
  }
}

/** Writes each value with its type and length, so that two different rows never have the same form. */
function encodeRow(row: Row, columns: readonly string[]): Buffer {
  return Buffer.concat(columns.flatMap((column) => {
    const value = row[column]!;
    const bytes = value === null ? Buffer.alloc(0) : Buffer.from(typeof value === 'object' ? value : String(value));
    const kind = value === null ? '0' : typeof value === 'object' ? 'b' : typeof value === 'string' ? 's' : 'n';
    return [Buffer.from(`${kind}${bytes.length}:`), bytes];
  }));
}

/** Sequences continue after the numbers that were copied. */
async function continueNumbers(tx: Transaction): Promise<void> {
  const identities = await tx.all<{ relation: string; attribute: string }>(
    'SELECT table_name AS relation, column_name AS attribute FROM information_schema.columns WHERE table_schema = ' +
      "current_schema() AND is_identity = 'YES'",
  );
  for (const { relation, attribute } of identities) {
    await tx.all(
      `SELECT setval(pg_get_serial_sequence('${relation}', '${attribute}'), coalesce(max(${attribute}), 0) + 1, ` +
        `false) AS next FROM ${relation}`,
    );
  }
}
