import type { Row, SqlValue } from './port.ts';

/**
 * One synchronous connection, as the writer uses it. Failures of the medium are thrown as
 * `ServiceError('unavailable')`, others as plain errors.
 */
export interface Engine {
  all(sql: string, params: readonly SqlValue[]): Row[];
  get(sql: string, params: readonly SqlValue[]): Row | undefined;
  run(sql: string, params: readonly SqlValue[]): { changes: number };
  runMany(sql: string, rows: readonly (readonly SqlValue[])[]): { changes: number };
  /** See `Transaction.applyPatchset`. */
  applyPatchset?(patchset: Uint8Array, except: readonly string[]): boolean;
  /** Statements without parameters or rows, such as `SAVEPOINT s`. */
  exec(sql: string): void;
  commit(): void;
  /**
   * Resolves when what was committed before the call survives a power failure; absent if the driver is not durable.
   * Rejects when that is not certain.
   */
  durable?(): Promise<void>;
  /** False once SQLite has rolled back on its own, as it does when the disk is full. */
  inTransaction(): boolean;
  /** Restores a usable connection without a transaction; reopens it if there is no other way. */
  recover(): void;
}
