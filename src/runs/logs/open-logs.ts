import { Lru } from '../../lib/lru.ts';
import type { Transaction } from '../../storage/index.ts';
import { readWithTail, type AttemptLog, type Tail } from './rows.ts';

/** Logs that are kept at hand: those of the runs that are under way, where there are not more of them. */
const KEPT = 1024;
/** Bytes of a tail that is kept, before compression. */
const KEPT_BYTES = 16 * 1024;

/** An attempt's log, with the last chunk while that takes more. */
export interface OpenLog {
  readonly log: AttemptLog;
  readonly tail: Tail | undefined;
  /** When the attempt began for the ship that has it, in milliseconds; undefined where it was not read. */
  readonly startMs?: number | undefined;
}

interface Entry {
  /** Undefined until what was written is committed. */
  state: OpenLog | undefined;
}

/**
 * The logs that are being written, as they are in the store, so that a line that is added need not read what is there. Only
 * for a store that no other process writes.
 */
export class OpenLogs {
  readonly #entries: Lru<string, Entry> | undefined;

  constructor(isAlone: boolean) {
    this.#entries = isAlone ? new Lru(KEPT) : undefined;
  }

  /** Undefined for a log that has never had a line. */
  async read(tx: Transaction, runId: string, attempt: number): Promise<OpenLog | undefined> {
    return this.#entries?.get(keyOf(runId, attempt))?.state ?? readWithTail(tx, runId, attempt);
  }

  /** To be called in the transaction that writes it. What is read before the commit comes from the store, and so does what follows a transaction that is undone. */
  wrote(tx: Transaction, state: OpenLog): void {
    const key = keyOf(state.log.runId, state.log.attempt);
    const entry: Entry = { state: undefined };
    this.#entries?.set(key, entry);
    if (state.tail !== undefined && state.tail.chunk.bytes > KEPT_BYTES) return;
    tx.onCommit(() => {
      // A transaction that shares the commit may have written it since.
      if (this.#entries?.get(key) === entry) entry.state = state;
    });
  }

  /** To be called in a transaction that changes it without a line. */
  forget(runId: string, attempt: number): void {
    this.#entries?.delete(keyOf(runId, attempt));
  }
}

const keyOf = (runId: string, attempt: number): string => `${runId}.${attempt}`;
