import type { Database, Statement } from 'sql.js';
import { Lru } from '../../lib/caches.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import { defineOpeners, layViews, liftViews, type ViewHost } from '../encryption/reading-views.ts';
import { closedError, mediumError } from '../failures.ts';
import { checkParameters, exact } from '../parameters.ts';
import type { Row, SqlValue } from '../port.ts';
import { changesRows, changesSchema, placeholders } from '../sql-text.ts';
import type { Engine } from '../writer.ts';

const STATEMENTS = 256;

/** What the published types of sql.js lack. */
interface ExactStatement extends Statement {
  get(params: null, config: { useBigInt: boolean }): SqlValue[];
  get(): (string | number | null | Uint8Array)[];
}

/** One sql.js database with its prepared statements, which uses the port's values and errors. */
export class MemoryConnection implements Engine {
  #database: Database;
  readonly #statements = new Lru<string, Statement>(STATEMENTS, { onForget: (statement) => statement.free() });
  readonly #keys: KeyRing | undefined;
  #viewsLaid = false;
  readonly #offsets = new Lru<string, readonly number[]>(STATEMENTS);
  #closed = false;

  constructor(database: Database, keys?: KeyRing) {
    this.#database = database;
    this.#keys = keys;
    this.#prepareDatabase();
  }

  all(sql: string, params: readonly SqlValue[]): Row[] {
    return [...this.cursor(sql, params)];
  }

  get(sql: string, params: readonly SqlValue[]): Row | undefined {
    for (const row of this.cursor(sql, params)) return row;
    return undefined;
  }

  run(sql: string, params: readonly SqlValue[] = []): { changes: number } {
    return this.runMany(sql, [params]);
  }

  runMany(sql: string, rows: readonly (readonly SqlValue[])[]): { changes: number } {
    return this.#attempt(() => {
      if (changesSchema(sql)) this.forgetStatements();
      let changes = 0;
      for (const params of rows) {
        this.#execute(this.#bound(sql, params));
        if (changesRows(sql)) changes += this.#database.getRowsModified();
      }
      return { changes };
    });
  }

  exec(sql: string): void {
    this.run(sql);
  }

  commit(): void {
    this.exec('COMMIT');
  }

  /** SQLite reports this only by refusing a second BEGIN; checked only after failures. */
  inTransaction(): boolean {
    try {
      this.exec('BEGIN');
    } catch {
      return true;
    }
    this.exec('ROLLBACK');
    return false;
  }

  recover(): void {
    if (this.inTransaction()) this.exec('ROLLBACK');
    this.forgetStatements();
  }

  /** The rows one by one. The statement is in use until the end: nothing else must run in between. */
  *cursor(sql: string, params: readonly SqlValue[]): Generator<Row> {
    const statement = this.#attempt(() => this.#bound(sql, params));
    try {
      const columns = statement.getColumnNames();
      while (this.#attempt(() => statement.step())) yield toRow(statement, columns);
    } finally {
      if (!this.#closed) statement.reset();
    }
  }

  /** The database as the bytes of a file. */
  export(): Uint8Array {
    return this.#attempt(() => this.#database.export());
  }

  forgetStatements(): void {
    this.#statements.clear();
  }

  /** Continues with another database, and closes the previous one. */
  replaceWith(database: Database): void {
    this.forgetStatements();
    this.#database.close();
    this.#database = database;
    this.#prepareDatabase();
  }

  /** Makes reads return decrypted values; the tables can't be written to until `liftViews`. */
  layViews(): void {
    if (this.#keys === undefined || this.#viewsLaid) return;
    this.forgetStatements();
    layViews(this.#host());
    this.#viewsLaid = true;
  }

  liftViews(): void {
    if (!this.#viewsLaid) return;
    this.forgetStatements();
    liftViews(this.#host());
    this.#viewsLaid = false;
  }

  /** The same connection as an engine that uses the tables themselves. */
  forWriting(): Engine {
    const tables = (): this => {
      this.liftViews();
      return this;
    };
    return {
      all: (sql, params) => tables().all(sql, params),
      get: (sql, params) => tables().get(sql, params),
      run: (sql, params) => tables().run(sql, params),
      runMany: (sql, rows) => tables().runMany(sql, rows),
      exec: (sql) => tables().exec(sql),
      commit: () => tables().commit(),
      inTransaction: () => this.inTransaction(),
      recover: () => this.recover(),
    };
  }

  close(): void {
    if (this.#closed) return;
    this.forgetStatements();
    this.#closed = true;
    this.#database.close();
  }

  #prepareDatabase(): void {
    this.#database.run('PRAGMA foreign_keys = ON');
    this.#viewsLaid = false;
    if (this.#keys !== undefined) defineOpeners(this.#host(), this.#keys);
  }

  #host(): ViewHost {
    const database = this.#database;
    return {
      exec: (sql) => void database.run(sql),
      column: (sql) => database.exec(sql)[0]?.values.map(([value]) => String(value)) ?? [],
      define: (name, fn) => void database.create_function(name, fn as never),
    };
  }

  /** Runs to the end, because SQLite may write with every step of a statement that has RETURNING. */
  #execute(statement: Statement): void {
    try {
      while (statement.step()) continue;
    } finally {
      statement.reset();
    }
  }

  #bound(sql: string, params: readonly SqlValue[]): Statement {
    if (this.#closed) throw new Error('database is not open');
    const offsets = this.#offsetsOf(sql);
    checkParameters(sql, offsets.length, params);
    const statement = this.#prepare(castLargeIntegers(sql, offsets, params));
    statement.bind(params.map(toBindable));
    return statement;
  }

  #offsetsOf(sql: string): readonly number[] {
    const known = this.#offsets.get(sql);
    if (known !== undefined) return known;
    const offsets = placeholders(sql);
    this.#offsets.set(sql, offsets);
    return offsets;
  }

  #prepare(text: string): Statement {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }

  #attempt<T>(step: () => T): T {
    try {
      return step();
    } catch (error) {
      throw translate(error);
    }
  }
}

/** Reads integers as numbers first; only a row with too large an integer is read again, exactly. */
function toRow(statement: Statement, columns: readonly string[]): Row {
  let values: SqlValue[] = statement.get();
  if (values.some(mayBeInexact)) values = (statement as ExactStatement).get(null, { useBigInt: true }).map(exact);
  const row: Row = {};
  for (let i = 0; i < columns.length; i++) row[columns[i]!] = values[i]!;
  return row;
}

function mayBeInexact(value: SqlValue): boolean {
  return typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

/** What sql.js can bind. */
type Bindable = string | number | null | Uint8Array;

/**
 * sql.js binds integers of 32 bits only: it would convert a larger one to a double and a bigint to text. Such a
 * parameter is passed as text, and its placeholder becomes `CAST(? AS INTEGER)`. `offsets` are those of the
 * placeholders in `sql`.
 */
function castLargeIntegers(sql: string, offsets: readonly number[], params: readonly SqlValue[]): string {
  if (!params.some(isLarge)) return sql;
  let text = '';
  let from = 0;
  offsets.forEach((offset, i) => {
    text += sql.slice(from, offset) + (isLarge(params[i]!) ? 'CAST(? AS INTEGER)' : '?');
    from = offset + 1;
  });
  return text + sql.slice(from);
}

function toBindable(value: SqlValue): Bindable {
  if (isLarge(value)) return String(value);
  return typeof value === 'bigint' ? Number(value) : value;
}

function isLarge(value: SqlValue): boolean {
  if (typeof value === 'bigint') return BigInt.asIntN(32, value) !== value;
  return Number.isSafeInteger(value) && value !== ((value as number) | 0);
}

/** sql.js reports failures only by SQLite's message: these are the ones of the medium and their result codes. */
const MESSAGES: readonly (readonly [pattern: RegExp, code: number])[] = [[/^database or disk is full/, 13], [
  /^out of memory|memory access out of bounds|^Cannot enlarge memory/,
  7,
], [/^disk I\/O error/, 10], [/^attempt to write a readonly database/, 8], [/^database disk image is malformed/, 11], [
  /^file is not a database/,
  26,
]];

/** Converts an error to the port's form: `ServiceError('unavailable')` for the medium, an `Error` otherwise. */
export function translate(thrown: unknown): unknown {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown)); // sql.js also throws strings
  if (error.message === 'database is not open') return closedError();
  const code = MESSAGES.find(([pattern]) => pattern.test(error.message))?.[1];
  return code === undefined ? error : mediumError(code, error);
}
