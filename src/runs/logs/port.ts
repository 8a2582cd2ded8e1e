import type { Transaction } from '../../storage/index.ts';
import type { RunRef } from '../queue/port.ts';

/** One line as a ship sends it. */
export interface ShipLine {
  readonly unixMs: number;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly stream: 'stdout' | 'stderr' | 'system';
  readonly step: string | null;
  readonly message: string;
}

export interface AppendAnswer {
  readonly status: 'stored' | 'gap' | 'budget' | 'fenced';
  readonly nextSeq: number;
}

/** The logs of all attempts. */
export interface RunLogs {
  /** Stores a ship's lines once, in order (decisions, section 4, "Sequencing"). */
  append(ref: RunRef, shipId: string, firstSeq: number, lines: readonly ShipLine[]): Promise<AppendAnswer>;
  /** First sequence number that is not stored of the lines of the ship that has the attempt now. */
  nextSeq(runId: string, attempt: number): Promise<number>;
  /** Adds a line of the server, in the transaction that changes the run. */
  note(tx: Transaction, runId: string, attempt: number, level: 'info' | 'warn' | 'error', message: string): Promise<void>;
  /** Throws `log_budget_exceeded` when the store of logs is full and sweeping frees nothing. */
  requireRoom(): Promise<void>;
  /** Bytes of all stored logs. */
  totalBytes(): number;
}
