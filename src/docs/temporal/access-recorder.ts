import { type Clock, type Timer, unixSeconds } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { Loop } from '../../lib/loop.ts';
import type { Sql } from '../../storage/index.ts';
import { addReads, insertEvents, type Reads } from './event-rows.ts';

interface AccessRecorderOptions {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
}

/** A recorded read. */
interface Access {
  readonly docId: string;
  readonly collection: string;
  readonly actor: string;
  /** Whether the read is an event, and whether it counts for the leaderboard. */
  readonly isEvent: boolean;
  readonly counts: boolean;
}

/** Milliseconds for which reads are collected for one write to the database. */
const FLUSH_MS = 1000;
const TROUBLE_MS = 5000;

/** Maximum number of different reads in memory; further ones are counted as lost. */
const MOST = 50_000;

interface Noted extends Access {
  readonly at: number;
  n: number;
}

/**
 * Records which identity reads which document, a moment after the read: no reader waits for it, and equal reads within
 * a second share one row.
 */
export class AccessRecorder {
  readonly #options: AccessRecorderOptions;
  #noted = new Map<string, Noted>();
  readonly #flushing: Loop;
  #lost = 0;

  constructor(options: AccessRecorderOptions) {
    this.#options = options;
    const { timer, log } = options;
    this.#flushing = new Loop({
      name: 'reads',
      everyMs: Infinity,
      waitsFirst: true,
      backoff: { initial: TROUBLE_MS, max: TROUBLE_MS },
      timer,
      log,
      failure: 'reads could not be written down; trying again',
    }, async (signal) => {
      await timer.sleep(FLUSH_MS, signal);
      if (!signal.aborted) await this.flush();
    });
    this.#flushing.start();
  }

  /** Number of reads that were not recorded. */
  get lost(): number {
    return this.#lost;
  }

  note(access: Access): void {
    const at = unixSeconds(this.#options.clock);
    const key = `${at}\0${access.docId}\0${access.actor}`;
    const known = this.#noted.get(key);
    if (this.#noted.size === 0) this.#flushing.wake();
    if (known !== undefined) known.n++;
    else if (this.#noted.size < MOST) this.#noted.set(key, { ...access, at, n: 1 });
    else this.#lost++;
  }

  /** Drops the reads of a database that was replaced. */
  forget(): void {
    this.#noted.clear();
  }

  /** Writes the reads in memory now. */
  async flush(): Promise<void> {
    const noted = this.#noted;
    if (noted.size === 0) return;
    this.#noted = new Map();
    try {
      await this.#write([...noted.values()]);
    } catch (error) {
      for (const [key, value] of this.#noted) noted.set(key, { ...value, n: value.n + (noted.get(key)?.n ?? 0) });
      this.#noted = noted;
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.#flushing.stop();
    await this.flush().catch((error: unknown) =>
      this.#options.log.warn({ err: error, reads: this.#noted.size }, 'reads could not be written down')
    );
  }

  async #write(noted: readonly Noted[]): Promise<void> {
    const reads = new Map<string, Reads>();
    for (const { docId, collection, at, n, counts } of noted) {
      if (counts) reads.set(docId, { docId, collection, reads: (reads.get(docId)?.reads ?? 0) + n, lastAt: at });
    }
    await this.#options.sql.transaction(async (tx) => {
      await insertEvents(tx, noted.filter(({ isEvent }) => isEvent).map(({ docId, collection, at, n, actor }) => ({
        collection,
        docId,
        type: 'access',
        at,
        actor,
        n,
      })));
      await addReads(tx, [...reads.values()]);
    });
  }
}
