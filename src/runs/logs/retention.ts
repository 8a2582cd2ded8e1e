import type { Clock } from '../../lib/clock.ts';
import type { Queries, Row, Sql, Transaction } from '../../storage/index.ts';
import type { LiveConfig } from '../environment.ts';
import { PHASE, readAttempt, writeAttempts } from './rows.ts';

/** Most chunks that one transaction removes. */
const CHUNKS = 100;
/** Most attempts that one query finds. */
const ATTEMPTS = 50;

interface Found extends Row {
  readonly run_id: string;
  readonly attempt: number;
}

// The last line of an attempt reports its end; the last line of the current attempt may be written again when the run
// ends.
export const EXPIRED = `
  SELECT a.run_id, a.attempt FROM log_attempts a LEFT JOIN runs r ON r.id = a.run_id
  WHERE a.phase = 0 AND a.last_ms <= ? AND (r.id IS NULL OR r.attempt > a.attempt OR r.finished_at <= ?)
  ORDER BY a.last_ms LIMIT ${ATTEMPTS}`;

/** Logs of all attempts that have ended, whenever that was. */
export const OLDEST = `
  SELECT a.run_id, a.attempt FROM log_attempts a LEFT JOIN runs r ON r.id = a.run_id
  WHERE a.phase = 0 AND (r.id IS NULL OR r.attempt > a.attempt OR r.finished_at IS NOT NULL) ORDER BY a.last_ms LIMIT ${ATTEMPTS}`;

const OF_RUN = 'SELECT run_id, attempt FROM log_attempts WHERE run_id = ? AND phase = 0 ORDER BY attempt';

export const HALF_REMOVED =
  `SELECT run_id, attempt FROM log_attempts WHERE phase = 1 ORDER BY last_ms LIMIT ${ATTEMPTS}`;

export const WITHOUT_RUN = `
  SELECT a.run_id, a.attempt FROM log_attempts a LEFT JOIN runs r ON r.id = a.run_id
  WHERE a.phase = ? AND a.last_ms <= ? AND r.id IS NULL ORDER BY a.last_ms LIMIT ${ATTEMPTS}`;

interface RetentionOptions {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly config: LiveConfig;
  /** Called with the number of bytes that are no longer stored. Must not throw. */
  readonly freed: (bytes: number) => void;
  /** Called in the transaction that marks a log as removed. */
  readonly expired: (runId: string, attempt: number) => void;
}

/**
 * Removes logs older than `logs.retention`, counted from the end of each attempt, and logs of deleted runs. An attempt
 * is first marked, in one step for all readers, and then removed some chunks at a time; if the process dies in between,
 * the mark is found again.
 */
export class Retention {
  readonly #options: RetentionOptions;
  #sweeping: Promise<void> | undefined;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** Removes until nothing is left to remove, or until `enough`. Concurrent callers share the work. */
  sweep(enough: () => boolean): Promise<void> {
    this.#sweeping ??= this.#sweep(enough, () => this.#find()).finally(() => (this.#sweeping = undefined));
    return this.#sweeping;
  }

  /** Removes the oldest logs of finished attempts, whatever their age, until `enough`. */
  async removeOldest(enough: () => boolean): Promise<void> {
    await this.#sweep(enough, () => this.#options.sql.background.all<Found>(OLDEST));
  }

  /** In the transaction: marks the logs of a run as expired. The next sweep must remove them. */
  async markRun(tx: Transaction, runId: string): Promise<void> {
    for (const { attempt } of await tx.all<Found>(OF_RUN, [runId])) await this.#markExpired(tx, runId, attempt);
  }

  async #sweep(enough: () => boolean, find: () => Promise<Found[]>): Promise<void> {
    for (;;) {
      if (enough()) return;
      const found = await find();
      for (const { run_id: runId, attempt } of found) {
        if (enough()) return;
        await this.#remove(runId, attempt);
      }
      if (found.length === 0) return;
    }
  }

  /** In the background, because there may be many rows to skip. */
  async #find(): Promise<Found[]> {
    const { sql: { background }, clock, config } = this.#options;
    const { logs, queue } = config.current().config;
    const [now, begun] = [clock.now(), await background.all<Found>(HALF_REMOVED)];
    if (begun.length > 0) return begun;
    const before = now - logs.retention;
    const expired = await background.all<Found>(EXPIRED, [before, Math.floor(before / 1000)]);
    if (expired.length > 0 || queue.run_retention === 0) return expired;
    return withoutRun(background, now - queue.run_retention);
  }

  async #remove(runId: string, attempt: number): Promise<void> {
    const { sql, freed } = this.#options;
    await sql.transaction((tx) => this.#markExpired(tx, runId, attempt));
    for (let more = true; more;) {
      const bytes = await sql.transaction((tx) => removeChunks(tx, runId, attempt));
      more = bytes !== undefined;
      freed(bytes ?? 0);
    }
    await sql.transaction((tx) => finish(tx, runId, attempt));
  }

  /** After this the writer sees in the store that the log has expired. */
  #markExpired(tx: Transaction, runId: string, attempt: number): Promise<void> {
    this.#options.expired(runId, attempt);
    return markExpired(tx, runId, attempt);
  }
}

/** Bytes of all stored logs. */
export async function countStored(queries: Queries): Promise<number> {
  const row = await queries.get<{ bytes: number | null }>(
    'SELECT SUM(stored_bytes) AS bytes FROM log_attempts WHERE phase < 2',
  );
  return row?.bytes ?? 0;
}

/** Finds logs of deleted runs or, if there are none, the marks of deleted runs whose logs had expired before. */
async function withoutRun(queries: Queries, before: number): Promise<Found[]> {
  const kept = await queries.all<Found>(WITHOUT_RUN, [PHASE.kept, before]);
  return kept.length > 0 ? kept : queries.all<Found>(WITHOUT_RUN, [PHASE.removed, before]);
}

/** Marks the attempt's logs as expired for all readers. */
async function markExpired(tx: Transaction, runId: string, attempt: number): Promise<void> {
  const log = await readAttempt(tx, runId, attempt);
  if (log === undefined || log.phase !== PHASE.kept) return;
  await writeAttempts(tx, [{ ...log, phase: PHASE.removing }]);
  await tx.run(
    'UPDATE runs SET logs_bytes = logs_bytes - ?, logs_expired = CASE WHEN attempt = ? THEN 1 ELSE logs_expired ' +
      'END WHERE id = ?',
    [log.messageBytes, attempt, runId],
  );
}

/** Removes some chunks. Returns their bytes; undefined if none was left. */
async function removeChunks(tx: Transaction, runId: string, attempt: number): Promise<number | undefined> {
  const chunks = await tx.all<{ id: number; bytes: number }>(
    'SELECT id, length(body) AS bytes FROM log_chunks WHERE run_id = ? AND attempt = ? ORDER BY first_offset LIMIT ' +
      `${CHUNKS}`,
    [runId, attempt],
  );
  if (chunks.length === 0) return undefined;
  await tx.runMany('DELETE FROM log_chunks WHERE id = ?', chunks.map(({ id }) => [id]));
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
  await tx.run('UPDATE log_attempts SET stored_bytes = stored_bytes - ? WHERE run_id = ? AND attempt = ?', [bytes,
    runId, attempt]);
  return bytes;
}

/** The row stays as long as the run exists: it records that there were logs. */
async function finish(tx: Transaction, runId: string, attempt: number): Promise<void> {
  const run = await tx.get('SELECT 1 FROM runs WHERE id = ?', [runId]);
  const sql = run === undefined
    ? 'DELETE FROM log_attempts WHERE run_id = ? AND attempt = ?'
    : 'UPDATE log_attempts SET phase = 2 WHERE run_id = ? AND attempt = ?';
  await tx.run(sql, [runId, attempt]);
}
