import type { AuditEvent } from '../../../generated/docs/sdk/types.gen.ts';
import type { Backoff, Clock, Timer } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { Loop } from '../../lib/loop.ts';
import type { AuditFilter, AuditStore } from './audit-store.ts';

export interface AuditLogOptions {
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
