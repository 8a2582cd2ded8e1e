import { constants, type DatabaseSync, type Session, type SQLInputValue, type SQLOutputValue,
  type StatementSync } from 'node:sqlite';
import { Lru } from '../../lib/caches.ts';
import { checkParameters, exact } from '../parameters.ts';
import type { Row, SqlValue } from '../port.ts';
import { answersWhatItWrites, changesRows, changesSchema, placeholders } from '../sql-text.ts';
import { translate } from './failures.ts';

const STATEMENTS = 256;

/** The one integer outside the safe range that `node:sqlite` still reads as a number. */
const SMALLEST = -(2 ** 63);

interface Prepared {
  readonly statement: StatementSync;
  readonly parameters: number;
  /** True if integers are read as bigints, because one was too large for a number. */
  big: boolean;
  columns: readonly string[] | undefined;
}

/** One `node:sqlite` connection with its prepared statements, which uses the port's values and errors. */
export class Connection {
  readonly #statements = new Lru<string, Prepared>(STATEMENTS);
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  all(sql: string, params: readonly SqlValue[] = []): Row[] {
    return this.#read(sql, params, (prepared, values) => {
      const rows = prepared.statement.all(...values) as unknown as SQLOutputValue[][];
      return rows.map((row) => toRow(prepared, row));
    });
  }

  get(sql: string, params: readonly SqlValue[] = []): Row | undefined {
    return this.#read(sql, params, (prepared, values) => {
      const row = prepared.statement.get(...values) as unknown as SQLOutputValue[] | undefined;
      return row && toRow(prepared, row);
    });
  }

  run(sql: string, params: readonly SqlValue[] = []): { changes: number } {
    return this.#attempt(() => {
      if (changesSchema(sql)) this.forgetStatements();
      const prepared = this.#prepare(sql);
      checkParameters(sql, prepared.parameters, params);
      const { changes } = prepared.statement.run(...params.map(toInput));
      return { changes: changesRows(sql) ? Number(changes) : 0 };
    });
  }

  runMany(sql: string, rows: readonly (readonly SqlValue[])[]): { changes: number } {
    return this.#attempt(() => {
      const prepared = this.#prepare(sql);
      let changes = 0;
      for (const row of rows) {
        checkParameters(sql, prepared.parameters, row);
        changes += Number(prepared.statement.run(...row.map(toInput)).changes);
      }
      return { changes };
    });
  }

  /** A cursor over the rows as arrays, with the names of the columns. Integers are read exactly. */
  cursor(sql: string, params: readonly SqlValue[]): { columns: string[]; rows: Iterator<SqlValue[]> } {
    return this.#attempt(() => {
      const { statement, parameters } = this.#prepare(sql);
      checkParameters(sql, parameters, params);
      statement.setReadBigInts(true);
      const rows = statement.iterate(...params.map(toInput)) as unknown as Iterator<SqlValue[]>;
      const first = rows.next(); // only a step detects that another connection changed the schema
      return { columns: columnNames(statement), rows: resume(first, rows) };
    });
  }

  /** Records the rows of all tables that are changed from now on. */
  recordChanges(): Session {
    return this.#attempt(() => this.#database.createSession());
  }

  /** False, with nothing changed, if a row does not fit. */
  applyPatchset(patchset: Uint8Array, except: readonly string[]): boolean {
    return this.#attempt(() =>
      this.#database.applyChangeset(patchset, {
        filter: (table) => !except.includes(table),
        onConflict: () => constants.SQLITE_CHANGESET_ABORT,
      })
    );
  }

  get inTransaction(): boolean {
    return this.#database.isOpen && this.#database.isTransaction;
  }

  /** Needed when the schema may have changed, because a statement keeps the columns that it was prepared with. */
  forgetStatements(): void {
    this.#statements.clear();
  }

  close(): void {
    this.forgetStatements();
    if (this.#database.isOpen) this.#database.close();
  }

  #read<T>(sql: string, params: readonly SqlValue[], read: (prepared: Prepared, values: SQLInputValue[]) => T): T {
    return this.#attempt(() => {
      const prepared = this.#prepare(sql);
      checkParameters(sql, prepared.parameters, params);
      const values = params.map(toInput);
      try {
        return read(prepared, values);
      } catch (error) {
        if (prepared.big || !(error instanceof RangeError)) throw error;
        readBigInts(prepared);
        return read(prepared, values);
      }
    });
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql, { returnArrays: true });
    const prepared: Prepared = { statement, parameters: placeholders(sql).length, big: false, columns: undefined };
    if (answersWhatItWrites(sql)) readBigInts(prepared);
    this.#statements.set(sql, prepared);
    return prepared;
  }

  #attempt<T>(step: () => T): T {
    try {
      return step();
    } catch (error) {
      throw translate(error);
    }
  }
}

function readBigInts(prepared: Prepared): void {
  prepared.big = true;
  prepared.statement.setReadBigInts(true);
}

/** SQLite binds every number as a double, so that `5 / ?` would differ from other databases. */
function toInput(value: SqlValue): SQLInputValue {
  return Number.isSafeInteger(value) ? BigInt(value as number) : value;
}

function toRow(prepared: Prepared, values: readonly SQLOutputValue[]): Row {
  const columns = (prepared.columns ??= columnNames(prepared.statement));
  const row: Row = {};
  for (let i = 0; i < columns.length; i++) {
    const value = values[i]!;
    if (value === SMALLEST && !prepared.big) throw new RangeError('the smallest integer was read as a double');
    row[columns[i]!] = prepared.big ? exact(value) : value;
  }
  return row;
}

/** An iterator whose first step has already been made. */
function resume<T>(first: IteratorResult<T>, rest: Iterator<T>): Iterator<T> {
  let pending: IteratorResult<T> | undefined = first;
  return {
    next: () => {
      const result = pending ?? rest.next();
      pending = undefined;
      return result;
    },
    return: () => rest.return?.() ?? { done: true, value: undefined },
  };
}

function columnNames(statement: StatementSync): string[] {
  return statement.columns().map((column) => column.name);
}
