import { copyFile, rm, stat, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { durableRename } from '../../lib/files.ts';
import { FileLock } from '../sqlite/open.ts';
import { type Losses, Pages, type StoredRow, Trees } from './pages.ts';
import { type LostDocument, reconcile } from './reconcile.ts';
import { isIntactDocument, type Shape, shapeOf } from './shape.ts';

/** The result for one table. */
export interface SalvagedTable {
  readonly name: string;
  /** Rows in the new database. */
  readonly rows: number;
  /** Pages that could not be read; the rows on them are lost, unless they were found elsewhere. */
  readonly damagedPages: number;
  /** Rows that were recognized as damaged individually. */
  readonly damagedRows: number;
}

export interface SalvageReport {
  /** Whether the new database has everything that the old one held. */
  readonly complete: boolean;
  readonly tables: readonly SalvagedTable[];
  /** Documents that are lost, as far as their names are known. */
  readonly lostDocuments: readonly LostDocument[];
  /** One sentence for each other thing that was lost or rebuilt. */
  readonly notes: readonly string[];
}

interface SchemaEntry {
  readonly type: string;
  readonly name: string;
  readonly root: number;
  readonly sql: string;
}

/**
 * Copies what can be read of a damaged database into a new one, row by row, skips pages and rows that cannot be read,
 * and checks the result. The damaged file is not changed. Indexes are rebuilt. Throws, leaving no new file, when the
 * file is in use, its header or its list of tables cannot be read, or the result does not pass SQLite's own check.
 */
export async function salvageDatabase(file: string, target: string): Promise<SalvageReport> {
  if ((await sizeOf(target)) !== undefined) throw new Error(`${target} exists already; name a file that does not`);
  const lock = FileLock.take(file);
  const draft = `${target}.tmp`;
  const source = `${target}.source.tmp`;
  const remove = async (): Promise<void> => {
    for (const path of [draft, source])
      for (const ending of ['', '-wal', '-shm', '-journal']) await rm(`${path}${ending}`, { force: true });
  };
  try {
    await remove();
    const { path, notes } = await withLog(file, source);
    await writeFile(draft, '', { mode: 0o600 });
    const report = copyAll(path, draft, notes);
    await durableRename(draft, target);
    return report;
  } finally {
    await remove();
    lock.release();
  }
}

/** Opens the file together with its write-ahead log, which is applied to a copy. */
async function withLog(file: string, copy: string): Promise<{ path: string; notes: string[] }> {
  if (!(await sizeOf(`${file}-wal`))) return { path: file, notes: [] };
  await writeFile(copy, '', { mode: 0o600 });
  await copyFile(file, copy);
  await copyFile(`${file}-wal`, `${copy}-wal`);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(copy);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return { path: copy, notes: [] };
  } catch (error) {
    return {
      path: file,
      notes: [`the write-ahead log could not be read (${(error as Error).message}): the newest writes are lost`],
    };
  } finally {
    if (database?.isOpen) database.close();
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  return stat(path).then(({ size }) => size, () => undefined);
}

function copyAll(file: string, draft: string, notes: string[]): SalvageReport {
  const pages = new Pages(file);
  const database = new DatabaseSync(draft);
  try {
    database.exec(
      'PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA temp_store = FILE',
    );
    const trees = new Trees(pages);
    const { entries, losses } = readSchema(trees);
    if (losses.pages + losses.rows > 0)
      notes.push('the list of tables is damaged: tables and indexes that it named may be missing');
    if (!entries.some(({ name }) => name === 'schema_version'))
      throw new Error('the list of its tables cannot be read');
    database.exec('BEGIN');
    const tables = copyTables(database, pages, trees, entries);
    const lostDocuments = reconcile(database, notes, tables.some(({ damagedPages, damagedRows }) =>
      damagedPages + damagedRows > 0
    ));
    for (const { name, sql } of entries.filter(({ type }) => type !== 'table')) create(database, name, sql, notes);
    database.exec('COMMIT');
    assertSound(database);
    const isWhole = notes.length === 0 && lostDocuments.length === 0 &&
      tables.every(({ damagedPages, damagedRows }) => damagedPages + damagedRows === 0);
    return {
      complete: isWhole,
      tables: tables.map((table) => ({ ...table, rows: countOf(database, table.name) })),
      lostDocuments,
      notes,
    };
  } finally {
    database.close();
    pages.close();
  }
}

function readSchema(trees: Trees): { entries: SchemaEntry[]; losses: Losses } {
  const losses: Losses = { pages: 0, rows: 0 };
  const entries: SchemaEntry[] = [];
  for (const { values: [type, name, , root, sql] } of trees.rows(1, losses)) {
    // An entry without SQL belongs to a table and is created with it.
    if (typeof type === 'string' && typeof name === 'string' && typeof sql === 'string')
      entries.push({ type, name, root: Number(root), sql });
  }
  return { entries, losses };
}

function create(database: DatabaseSync, name: string, sql: string, notes: string[]): void {
  try {
    database.exec(sql);
  } catch (error) {
    notes.push(`${name} could not be made: ${(error as Error).message}`);
  }
}

type CopiedTable = Omit<SalvagedTable, 'rows'>;

interface Target {
  readonly shape: Shape;
  readonly losses: Losses;
  /** Returns whether the row was inserted. */
  readonly insert: (row: StoredRow) => boolean;
}

const SEQUENCE = 'sqlite_sequence';

function copyTables(database: DatabaseSync, pages: Pages, trees: Trees,
  entries: readonly SchemaEntry[]): CopiedTable[]
{
  const tables = entries.filter(({ type }) => type === 'table');
  for (const { name, sql } of tables) if (name !== SEQUENCE) database.exec(sql);
  const targets = tables.filter(({ name }) => name !== SEQUENCE).map(({ name, root }) => {
    const target = targetOf(database, name);
    for (const row of trees.rows(root, target.losses)) if (!target.insert(row)) target.losses.rows += 1;
    return target;
  });
  adoptLeaves(pages, trees, targets);
  const sequence = tables.find(({ name }) => name === SEQUENCE);
  if (sequence !== undefined) copySequence(database, trees, sequence.root);
  return targets.map(({ shape: { table }, losses }) => ({
    name: table,
    damagedPages: losses.pages,
    damagedRows: losses.rows,
  }));
}

function targetOf(database: DatabaseSync, name: string): Target {
  const shape = shapeOf(database, name);
  const inserts = new Map<number, ReturnType<DatabaseSync['prepare']>>();
  /** Rows that were written before a column was added end before it. */
  const insertOf = (length: number) => {
    const columns = shape.columns.slice(0, length).map((column) => `"${column.name}"`);
    const known = inserts.get(length) ??
      database.prepare(
        `INSERT OR IGNORE INTO "${name}"(${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      );
    inserts.set(length, known);
    return known;
  };
  const insert = (row: StoredRow): boolean => {
    const values = shape.toValues(row);
    if (values === undefined || (name === 'documents' && !isIntactDocument(shape, values))) return false;
    return insertOf(values.length).run(...values).changes === 1;
  };
  return { shape, losses: { pages: 0, rows: 0 }, insert };
}

/**
 * If a page with children is damaged, the children are no longer in any tree. A page of rows that is neither free nor
 * in another tree, and that fits exactly one damaged table, belongs to that table.
 */
function adoptLeaves(pages: Pages, trees: Trees, targets: readonly Target[]): void {
  const damaged = targets.filter(({ shape, losses }) => losses.pages > 0 && !shape.isWithoutRowid);
  const free = damaged.length > 0 ? pages.free() : undefined;
  if (free === undefined) return;
  for (let number = 2; number <= pages.count; number++) {
    if (trees.visited.has(number) || free.has(number)) continue;
    const fitting = damaged.flatMap((target) => {
      const rows = trees.leaf(number, (row) => target.shape.toValues(row) !== undefined);
      return rows === undefined ? [] : [{ target, rows }];
    });
    if (fitting.length === 1) {
      for (const row of fitting[0]!.rows) if (!fitting[0]!.target.insert(row)) fitting[0]!.target.losses.rows += 1;
    }
  }
}

/** Numbers that were assigned once must not be assigned again. */
function copySequence(database: DatabaseSync, trees: Trees, root: number): void {
  for (const { values: [name, seq] } of trees.rows(root, { pages: 0, rows: 0 })) {
    if (typeof name !== 'string' || typeof seq !== 'number') continue;
    const { changes } = database.prepare(`UPDATE ${SEQUENCE} SET seq = max(seq, ?) WHERE name = ?`).run(seq, name);
    if (changes === 0) database.prepare(`INSERT INTO ${SEQUENCE}(name, seq) VALUES (?, ?)`).run(name, seq);
  }
}

function countOf(database: DatabaseSync, table: string): number {
  return (database.prepare(`SELECT count(*) AS n FROM "${table}"`).get() as { n: number }).n;
}

function assertSound(database: DatabaseSync): void {
  const findings = database.prepare('PRAGMA integrity_check(3)').all().map((row) => String(Object.values(row)[0]));
  if (findings[0] !== 'ok') throw new Error(`the new database does not pass its check: ${findings.join('; ')}`);
}
