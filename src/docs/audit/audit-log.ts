import type { AuditEvent } from '../../../generated/docs/sdk/types.gen.ts';
import type { Backoff, Clock, Timer } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { Loop } from '../../lib/loop.ts';
import { migrate, type Migration, openDatabase, type Row, type Sql, type SqlValue } from '../../storage/index.ts';

/** Filters of a list of events; times in nanoseconds, both bounds included. */
export interface AuditFilter {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly result?: string | undefined;
  readonly collection?: string | undefined;
  readonly key?: string | undefined;
}

const FORMATS: readonly Migration[] = [{
  version: 1,
  name: 'audit',
  sql: `
-- ts in nanoseconds since 1970, as it is shown: rounded to what a double holds. collection, key and lang are NULL where an event is about none.
CREATE TABLE audit_events(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  ts INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  resource TEXT NOT NULL,
  result TEXT NOT NULL,
  ip TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  collection TEXT,
  key TEXT,
  lang TEXT
) STRICT;
CREATE INDEX audit_events_by_ts ON audit_events(ts, seq);
`,
}];

/** Number of rows deleted in one transaction. */
const STEP = 2000;

/** Maximum number of events, however many there are within the retention: some hundred MB. */
const MAX_EVENTS = 1_000_000;

interface EventRow extends Row {
  readonly ts: number | bigint;
  readonly actor: string;
  readonly action: string;
  readonly resource: string;
  readonly result: string;
  readonly ip: string;
  readonly user_agent: string;
  readonly collection: string | null;
  readonly key: string | null;
  readonly lang: string | null;
}

/**
 * The events on disk, in a separate file beside the database: a restore must not remove events, and writing them must
 * not delay documents.
 */
export class AuditStore {
  readonly #sql: Sql;

  private constructor(sql: Sql) {
    this.#sql = sql;
  }

  static async open(path: string, clock: Clock): Promise<AuditStore> {
    const sql = await openDatabase({ path });
    try {
      await migrate(sql, FORMATS, clock);
      return new AuditStore(sql);
    } catch (error) {
      await sql.close();
      throw error;
    }
  }

  async append(events: readonly AuditEvent[]): Promise<void> {
    await this.#sql.transaction((tx) =>
      tx.runMany(
        'INSERT INTO audit_events(ts, actor, action, resource, result, ip, user_agent, collection, key, lang) ' +
          'VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
        events.map((
          { ts, actor, action, resource, result, ip, userAgent, collection = null, key = null, lang = null },
        ) => [BigInt(ts), actor, action, resource, result, ip, userAgent, collection, key, lang]),
      )
    );
  }

  /** The newest events that match, newest first. */
  async find({ from, to, actor, action, result, collection, key }: AuditFilter, limit: number): Promise<AuditEvent[]> {
    const conditions: [string, SqlValue | undefined][] = [['ts >= ?', from === undefined ? undefined : toInteger(from)],
      ['ts <= ?', to === undefined ? undefined : toInteger(to)], ['actor = ?', actor], ['action = ?', action], [
      'result = ?',
      result,
    ], ['collection = ?', collection], ['key = ?', key]];
    const given = conditions.filter(([, value]) => value !== undefined) as [string, SqlValue][];
    const where = given.length === 0 ? '' : `WHERE ${given.map(([condition]) => condition).join(' AND ')}`;
    // Outside of the event loop: a filter with few matches scans all events.
    const rows = await this.#sql.background.all<EventRow>(
      `SELECT ts, actor, action, resource, result, ip, user_agent, collection, key, lang FROM audit_events ${where} ` +
        'ORDER BY ts DESC, seq DESC LIMIT ?',
      [...given.map(([, value]) => value), limit],
    );
    return rows.map(toEvent);
  }

  /** Deletes the events before a time, and the oldest ones beyond the maximum number. */
  async prune(before: number, signal: AbortSignal): Promise<void> {
    const newest = await this.#sql.get<{ seq: number | null }>('SELECT max(seq) AS seq FROM audit_events');
    const tooOld = Math.max(0, (newest?.seq ?? 0) - MAX_EVENTS);
    const query =
      'DELETE FROM audit_events WHERE seq IN (SELECT seq FROM audit_events WHERE ts < ? OR seq <= ? ORDER BY ts ' +
      'LIMIT ?)';
    for (let deleted = STEP; deleted === STEP && !signal.aborted;) {
      ({ changes: deleted } = await this.#sql.transaction((tx) => tx.run(query, [toInteger(before), tooOld, STEP])));
    }
  }

  close(): Promise<void> {
    return this.#sql.close();
  }
}

function toEvent(
  { ts, result, user_agent: userAgent, actor, action, resource, ip, collection, key, lang }: EventRow,
): AuditEvent {
  return {
    ts: Number(ts),
    actor,
    action,
    resource,
    ...(collection !== null && { collection }),
    ...(key !== null && { key }),
    ...(lang !== null && { lang }),
    result: result as AuditEvent['result'],
    ip,
    userAgent,
  };
}

/** As the column stores it. Dates of the far past and future exceed its range; no event has such a time. */
function toInteger(nanoseconds: number): bigint {
  return BigInt(Math.min(Math.max(nanoseconds, 0), Number.MAX_SAFE_INTEGER * 1024));
}

interface AuditLogOptions {
  readonly store: AuditStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly timer: Timer;
  readonly retentionDays: number;
}

/** Maximum number of events in memory that are not on disk yet (decisions, section 4.9). */
export const RING = 4096;

/** Milliseconds for which events are collected into one write to the disk. */
const FLUSH_MS = 250;
const FLUSH_AT_ONCE = 1000;
const PRUNE_MS = 3_600_000;
const DAY_MS = 86_400_000;
const BACKOFF: Backoff = { initial: 500, max: 30_000 };

/**
 * The events: recorded in memory at once, on disk a moment later. If the disk is too slow or fails, the oldest are
 * dropped and counted; no request waits for the log.
 */
export class AuditLog {
  readonly #options: AuditLogOptions;
  #ring: AuditEvent[] = [];
  #dropped = 0;
  #writing: Promise<void> | undefined;
  readonly #flushing: Loop;
  readonly #pruning: Loop;

  constructor(options: AuditLogOptions) {
    this.#options = options;
    const { store, clock, timer, log, retentionDays } = options;
    this.#flushing = new Loop({
      name: 'audit log',
      everyMs: Infinity,
      waitsFirst: true,
      backoff: BACKOFF,
      timer,
      log,
      failure: 'audit events could not be written; trying again',
    }, async (signal) => {
      await timer.sleep(FLUSH_MS, signal);
      if (!signal.aborted) await this.#write();
    });
    this.#flushing.start();
    this.#pruning = new Loop({
      name: 'audit events',
      everyMs: PRUNE_MS,
      timer,
      log,
      failure: 'old audit events could not be removed',
    }, (signal) => store.prune((clock.now() - retentionDays * DAY_MS) * 1e6, signal));
  }

  /** Number of events that were lost because the ring was full. */
  get dropped(): number {
    return this.#dropped;
  }

  start(): void {
    this.#pruning.start();
  }

  note(event: AuditEvent): void {
    // Events that wait already are written soon, or after the pause that follows a failure.
    if (this.#ring.length === 0) this.#flushing.wake();
    this.#ring.push(event);
    this.#trim();
  }

  /** The newest events that match, newest first, including those that are not on disk yet. */
  async find(filter: AuditFilter, limit: number): Promise<AuditEvent[]> {
    // the retry logs the failure; events that are not on disk are found in memory
    await this.#write().catch(() => undefined);
    const { clock, store, retentionDays } = this.#options;
    const kept = (clock.now() - retentionDays * DAY_MS) * 1e6;
    const narrowed = { ...filter, from: Math.max(filter.from ?? 0, kept, 0) };
    const here = this.#ring.filter((event) => matches(event, narrowed)).reverse().slice(0, limit);
    return [...here, ...(here.length < limit ? await store.find(narrowed, limit - here.length) : [])];
  }

  /** Writes the events in memory, and closes the file. */
  async stop(): Promise<void> {
    await this.#flushing.stop();
    await this.#pruning.stop();
    await this.#write().catch((error: unknown) =>
      this.#options.log.error({ err: error, events: this.#ring.length }, 'audit events are lost')
    );
    await this.#options.store.close();
  }

  /** Writes all events that are in memory now. Concurrent calls share the work. */
  async #write(): Promise<void> {
    while (this.#writing !== undefined || this.#ring.length > 0) {
      this.#writing ??= this.#writeSome().finally(() => (this.#writing = undefined));
      await this.#writing;
    }
  }

  async #writeSome(): Promise<void> {
    const events = this.#ring.splice(0, FLUSH_AT_ONCE);
    try {
      await this.#options.store.append(events);
    } catch (error) {
      this.#ring = [...events, ...this.#ring];
      this.#trim();
      throw error;
    }
  }

  #trim(): void {
    const surplus = this.#ring.length - RING;
    if (surplus <= 0) return;
    this.#ring.splice(0, surplus);
    this.#dropped += surplus;
  }
}

function matches({ ts, ...event }: AuditEvent,
  { from, to, actor, action, result, collection, key }: AuditFilter): boolean
{
  return ts >= (from ?? 0) && ts <= (to ?? Infinity)
    && (actor ?? event.actor) === event.actor && (action ?? event.action) === event.action &&
    (result ?? event.result) === event.result
    && (collection ?? event.collection) === event.collection && (key ?? event.key) === event.key;
}
