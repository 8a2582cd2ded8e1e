import type { Transaction } from '../../storage/index.ts';
import type { RunRef, StepRecord } from '../queue/port.ts';

/** One line as a ship sends it. */
export interface ShipLine {
  readonly unixMs: number;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly stream: 'stdout' | 'stderr' | 'system';
  readonly step: string | null;
  readonly message: string;
  /** Set if the line says that its step begins (`running`), or how it ended. */
  readonly stepState?: StepState | undefined;
}

export type StepState = 'running' | StepRecord['outcome'];

export interface AppendAnswer {
  readonly status: 'stored' | 'gap' | 'budget' | 'fenced';
  readonly nextSeq: number;
}

/** A line of the server, and what the caller knows about the log. */
export interface ServerLine {
  readonly runId: string;
  readonly attempt: number;
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  /** The run is new, so its log is empty. */
  readonly isFirst?: boolean;
  /** No other line is expected, so the log can be compressed. */
  readonly isLast?: boolean;
}

/** The logs of all attempts. */
export interface RunLogs {
  /**
   * Stores a ship's lines once, in order (decisions, section 4, "Sequencing"). `cut`: the ship leaves lines out, which
   * the record of the run shows.
   */
  append(ref: RunRef, shipId: string, firstSeq: number, lines: readonly ShipLine[],
    cut?: boolean): Promise<AppendAnswer>;
  /** Sequence number of the next expected line of the ship that has the attempt now. */
  nextSeq(runId: string, attempt: number): Promise<number>;
  /** Whether the attempt has used up its budget; then lines of a ship are dropped, and the log says so. */
  isFull(runId: string, attempt: number): Promise<boolean>;
  /**
   * Adds a line of the server, in the transaction that changes the run. `cut`: the line says that lines are missing,
   * and the record of the run shows it.
   */
  note(tx: Transaction, runId: string, attempt: number, level: 'info' | 'warn' | 'error', message: string,
    cut?: boolean): Promise<void>;
  /**
   * Adds lines of the server to the logs of different attempts by a few statements, like `note` but without a change of
   * the rows of the runs. Returns the bytes by which the caller has to raise the `logs_bytes` of each.
   */
  lines(tx: Transaction, lines: readonly ServerLine[]): Promise<number[]>;
  /** Bytes of all stored logs. */
  totalBytes(): number;
  /**
   * Whether the logs exceed their budget although nothing is left to remove: all of them belong to attempts that have
   * not ended.
   */
  areFull(): boolean;
}
