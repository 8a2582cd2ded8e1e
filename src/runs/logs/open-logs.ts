import { Lru } from '../../lib/caches.ts';
import type { Transaction } from '../../storage/index.ts';
import { type AttemptLog, readWithTails, type Tail } from './rows.ts';

/**
 * Bytes of all cached logs together: some 15,000 logs of a few lines, so that even a run which has waited behind
 * thousands is claimed without a read of its log.
 */
const CAPACITY = 16 * 2 ** 20;
/** Bytes of a cached log without its lines, approximately. */
const OVERHEAD = 1024;
/** Bytes of a cached tail, before compression. */
const KEPT_BYTES = 16 * 1024;

/** An attempt's log, with the last chunk while that is not full. */
export interface OpenLog {
  readonly log: AttemptLog;
  readonly tail: Tail | undefined;
  /** When the attempt began on its present ship, in milliseconds; undefined if it was not read. */
  readonly startMs?: number | undefined;
}

interface Entry {
  /** Undefined until the write is committed. */
  state: OpenLog | undefined;
  readonly bytes: number;
}

/**
 * Caches the logs that are being written, as they are in the store, so that adding a line need not read them. Only for
 * a store that no other process writes.
 */
export class OpenLogs {
  readonly #entries: Lru<string, Entry> | undefined;

  constructor(isAlone: boolean) {
    this.#entries = isAlone ? new Lru(CAPACITY, { sizeOf: ({ bytes }) => bytes }) : undefined;
  }

  /** Undefined for a log that has never had a line. */
  async read(tx: Transaction, runId: string, attempt: number): Promise<OpenLog | undefined> {
    return (await this.readMany(tx, [{ runId, attempt }]))(runId, attempt);
  }

  /** Like `read`, for several logs. */
  async readMany(tx: Transaction,
    wanted: readonly Pick<AttemptLog, 'runId' | 'attempt'>[]
  ): Promise<(runId: string, attempt: number) => OpenLog | undefined> {
    const found = new Map<string, OpenLog>();
    const unknown = wanted.filter(({ runId, attempt }) => {
      const key = keyOf(runId, attempt);
      const state = this.#entries?.get(key)?.state;
      if (state !== undefined) found.set(key, state);
      return state === undefined;
    });
    for (const open of await readWithTails(tx, unknown)) found.set(keyOf(open.log.runId, open.log.attempt), open);
    return (runId, attempt) => found.get(keyOf(runId, attempt));
  }

  /**
   * Must be called in the transaction that writes the log. Until the commit, reads come from the store, and so does
   * everything after a rollback.
   */
  wrote(tx: Transaction, state: OpenLog): void {
    const key = keyOf(state.log.runId, state.log.attempt);
    const bytes = state.tail?.chunk.bytes ?? 0;
    const entry: Entry = { state: undefined, bytes: OVERHEAD + Math.min(bytes, KEPT_BYTES) };
    this.#entries?.set(key, entry);
    if (bytes > KEPT_BYTES) return;
    tx.onCommit(() => {
      // Another transaction of the same commit may have written it since.
      if (this.#entries?.get(key) === entry) entry.state = state;
    });
  }

  /** Must be called in a transaction that changes the log without adding a line. */
  forget(runId: string, attempt: number): void {
    this.#entries?.delete(keyOf(runId, attempt));
  }
}

const keyOf = (runId: string, attempt: number): string => `${runId}.${attempt}`;
