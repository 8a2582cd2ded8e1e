import { ServiceError } from '../errors/index.ts';
import { Lru } from '../lib/caches.ts';
import { openRow } from './encryption/columns.ts';
import type { KeyRing } from './encryption/key-ring.ts';
import { NAMES_TO_BE_SEALED } from './encryption/required.ts';
import type { Row, SqlValue, Transaction } from './port.ts';
import { controlsTransaction } from './sql-text.ts';
import type { Engine } from './writer.ts';

/**
 * The transaction that `work` receives. It remembers a failure of the medium, because SQLite may have rolled back on
 * its own then, and everything that followed would be written outside of any transaction, even if `work` caught the
 * error.
 *
 * The writing connection has no views over encrypted values, so that values which one statement copies stay encrypted.
 * Rows that contain a document's `id` are decrypted here; to read values as they are stored, select them under other
 * names.
 */
export class OpenTransaction implements Transaction {
  readonly #engine: Engine;
  readonly #keys: KeyRing | undefined;
  readonly #listeners: (() => void)[] = [];
  readonly #writtenListeners: (() => void)[] = [];
  /** Called when the first plaintext value is met. */
  #toBeSealed: ReadonlySet<unknown> | undefined;
  readonly applyPatchset?: NonNullable<Transaction['applyPatchset']>;
  #ended = false;
  #failure: ServiceError | undefined;

  constructor(engine: Engine, keys?: KeyRing) {
    this.#engine = engine;
    this.#keys = keys;
    if (engine.applyPatchset !== undefined)
      this.applyPatchset = (patchset, except) =>
        this.#step('a patchset', () => engine.applyPatchset!(patchset, except));
  }

  /** The first failure of the medium; the transaction cannot commit after it. */
  get failure(): ServiceError | undefined {
    return this.#failure;
  }

  end(): void {
    this.#ended = true;
  }

  onCommit(listener: () => void): void {
    this.#listeners.push(listener);
  }

  onWritten(listener: () => void): void {
    this.#writtenListeners.push(listener);
  }

  /** A single writer has no other transaction to wait for. */
  async lock(): Promise<void> {}

  /** Must be called once the transaction is committed. */
  written(): void {
    for (const listener of this.#writtenListeners) listener();
  }

  /** Must be called once the transaction's writes are durable. */
  committed(): void {
    for (const listener of this.#listeners) listener();
  }

  async all<R extends Row>(sql: string, params: readonly SqlValue[] = []): Promise<R[]> {
    const rows = this.#step(sql, () => this.#engine.all(withoutRowLocks(sql), params)) as R[];
    const keys = this.#keys;
    // Outside the step, because a value that cannot be decrypted is not a failure of the medium.
    return keys === undefined ? rows : rows.map((row) => openRow(keys, row, this.#mustBeSealed));
  }

  async get<R extends Row>(sql: string, params: readonly SqlValue[] = []): Promise<R | undefined> {
    const row = this.#step(sql, () => this.#engine.get(withoutRowLocks(sql), params)) as R | undefined;
    return row === undefined || this.#keys === undefined ? row : openRow(this.#keys, row, this.#mustBeSealed);
  }

  async run(sql: string, params: readonly SqlValue[] = []): Promise<{ changes: number }> {
    return this.#step(sql, () => this.#engine.run(sql, params));
  }

  async runMany(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<{ changes: number }> {
    return this.#step(sql, () => this.#engine.runMany(sql, rows));
  }

  readonly #mustBeSealed = (collection: string): boolean => {
    this.#toBeSealed ??= new Set(this.#engine.all(NAMES_TO_BE_SEALED, []).map((row) => row['collection']));
    return this.#toBeSealed.has(collection);
  };

  #step<T>(sql: string, step: () => T): T {
    if (this.#ended) throw new Error(`the transaction has ended: ${sql}`);
    if (this.#failure !== undefined) throw this.#failure;
    if (controlsTransaction(sql)) throw new Error(`not allowed inside a transaction: ${sql}`);
    try {
      return step();
    } catch (error) {
      if (error instanceof ServiceError) this.#failure = error;
      throw error;
    }
  }
}

const KEPT = 512;
const CLAUSE = /\s+FOR (?:UPDATE|KEY SHARE)(?: SKIP LOCKED)?\s*$/;

const stripped = new Lru<string, string>(KEPT);

/** Removes the clause that locks rows from a statement: a single writer needs none, and SQLite does not support it. */
export function withoutRowLocks(sql: string): string {
  const known = stripped.get(sql);
  if (known !== undefined) return known;
  const text = sql.replace(CLAUSE, '');
  stripped.set(sql, text);
  return text;
}
