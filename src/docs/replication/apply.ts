import type { SqlValue, Transaction } from '../../storage/index.ts';
import { type PatchedTable, readPatchset, type RowChange, tablesOf } from './patchset.ts';

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
