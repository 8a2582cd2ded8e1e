import { ServiceError } from '../../errors/index.ts';
import { type Backoff, backoffDelay, systemTimer, type Timer } from '../../lib/clock.ts';
import type { ChangeFeed } from './change-feed.ts';
import { type Change, FeedGap } from './change.ts';
import type { Cursor } from './cursor.ts';

interface Waiter {
  readonly lsn: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Callers that wait until a position is reached. */
class Waiters {
  readonly #waiting = new Set<Waiter>();

  async wait(lsn: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { lsn, resolve, reject };
    const onAbort = () => reject(signal?.reason);
    this.#waiting.add(waiter);
    signal?.addEventListener('abort', onAbort);
    try {
      await promise;
    } finally {
      this.#waiting.delete(waiter);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  resolveUpTo(lsn: number): void {
    for (const waiter of this.#waiting) if (waiter.lsn <= lsn) waiter.resolve();
  }

  rejectAll(error: unknown): void {
    for (const waiter of this.#waiting) waiter.reject(error);
  }
}

export interface SubscriberOptions {
  readonly feed: ChangeFeed;
  readonly cursor: Cursor;
  /** Where to start without a cursor: at the oldest change kept, or at the next one. Default `oldest`. */
  readonly begin?: 'oldest' | 'head';
  /**
   * Whether it handles changes as soon as readers see them, although they may not be on disk yet
   * (`FeedReader.isEarly`).
   */
  readonly isEarly?: boolean;
  /** Maximum number of changes in a batch; default 500. */
  readonly batch?: number;
  /**
   * Handles a batch. The cursor moves once the promise has resolved; undefined if there is nothing to wait for. When it
   * fails, or the process ends first, the same changes are passed again (at least once). The signal aborts when `stop`
   * is called.
   */
  readonly handle: (changes: readonly Change[], signal: AbortSignal) => Promise<void> | undefined;
  /**
   * Rebuilds what the lost changes made, and returns the number to continue after. Without this function a gap is a
   * failure.
   */
  readonly onGap?: (gap: FeedGap, signal: AbortSignal) => Promise<number>;
  /** Ensures that no change up to this number is needed after a restart (`FeedReader.release`). */
  readonly release?: (lsn: number) => Promise<void>;
  /** Called with each failure before the retry; `failures` counts consecutive ones. */
  readonly onFailure: (error: unknown, failures: number) => void;
  readonly backoff?: Backoff;
  readonly timer?: Timer;
}

const BATCH = 500;
const BACKOFF: Backoff = { initial: 100, max: 30_000 };

/**
 * A background service that follows the feed in order. `start` and `stop` may be called in any order and repeatedly;
 * `stop` waits for the running handler; a stopped one can be started again.
 */
export class Subscriber {
  readonly #options: SubscriberOptions;
  readonly #waiters = new Waiters();
  #run: { abort: AbortController; ended: Promise<void> } | undefined;
  #position: number | undefined;
  #history: number | undefined;
  #awake = Promise.withResolvers<void>();

  constructor(options: SubscriberOptions) {
    this.#options = options;
  }

  /** Number of the last change handled; undefined before the first start has read the cursor. */
  get position(): number | undefined {
    return this.#position;
  }

  start(): void {
    const previous = this.#run;
    if (previous !== undefined && !previous.abort.signal.aborted) return;
    const abort = new AbortController();
    const ready = previous?.ended ?? Promise.resolve();
    this.#run = { abort, ended: ready.then(() => this.#follow(abort.signal)) };
  }

  async stop(): Promise<void> {
    const run = this.#run;
    if (run === undefined) return;
    run.abort.abort();
    this.#wake();
    await run.ended;
    if (this.#run === run) this.#run = undefined;
  }

  /**
   * Resolves once the change with this number is handled. Rejects with `unavailable` when the
   * subscriber is stopped first, and with the signal's reason when that aborts.
   */
  async caughtUp(lsn: number, signal?: AbortSignal): Promise<void> {
    if (this.#position !== undefined && this.#position >= lsn) return;
    if (this.#run === undefined || this.#run.abort.signal.aborted)
      throw new ServiceError('unavailable', 'the subscriber is not running');
    await this.#waiters.wait(lsn, signal);
  }

  /** Never rejects: failures are reported and retried until the signal aborts. */
  async #follow(signal: AbortSignal): Promise<void> {
    const { feed, onFailure, release, isEarly = false, timer = systemTimer, backoff = BACKOFF } = this.#options;
    const leave = feed.join({
      wake: () => this.#wake(),
      position: () => this.#position,
      isEarly,
      release,
    });
    let failures = 0;
    while (!signal.aborted) {
      try {
        const step = this.#step(signal);
        if (step !== undefined) await step;
        failures = 0;
      } catch (error) {
        if (signal.aborted) break;
        failures += 1;
        onFailure(error, failures);
        await timer.sleep(backoffDelay(failures, backoff), signal);
      }
    }
    leave();
    this.#waiters.rejectAll(new ServiceError('unavailable', 'the subscriber was stopped'));
  }

  /**
   * Handles one batch, or waits for one. `awake` is renewed before the read, so that no later append is missed.
   * Undefined when the batch is handled: a batch that needs neither a query nor a pause creates no promises, of which
   * each write would otherwise need dozens.
   */
  #step(signal: AbortSignal): Promise<void> | undefined {
    this.#awake = Promise.withResolvers<void>();
    const awake = this.#awake.promise;
    const { feed, handle, isEarly, batch = BATCH } = this.#options;
    const isKnown = this.#position !== undefined && this.#history === feed.history;
    const changes = isKnown ? feed.remembered(this.#position!, batch, isEarly) : undefined;
    if (changes === undefined) return this.#stepWithQueries(signal, awake);
    if (changes.length === 0) return awake;
    const handling = handle(changes, signal);
    const next = changes.at(-1)!.lsn;
    return handling === undefined ? this.#moveTo(next) : handling.then(() => this.#moveTo(next));
  }

  async #stepWithQueries(signal: AbortSignal, awake: Promise<void>): Promise<void> {
    const { feed, cursor } = this.#options;
    // a stored one went back, too
    if (this.#position !== undefined && this.#history !== feed.history) this.#position = await cursor.load();
    this.#history = feed.history;
    const position = (this.#position ??= await this.#begin());
    this.#waiters.resolveUpTo(position);
    const next = await this.#advance(position, signal);
    if (next === position) return signal.aborted ? undefined : awake;
    await this.#moveTo(next);
  }

  #moveTo(next: number): Promise<void> | undefined {
    const moved = (): void => {
      this.#position = next;
      this.#waiters.resolveUpTo(next);
    };
    const saving = this.#options.cursor.save(next);
    if (saving !== undefined) return saving.then(moved);
    moved();
    return undefined;
  }

  /** Handles the changes after the position and returns the new position. */
  async #advance(position: number, signal: AbortSignal): Promise<number> {
    const { feed, handle, onGap, isEarly, batch = BATCH } = this.#options;
    try {
      const changes = await feed.read(position, batch, isEarly);
      if (changes.length === 0 || signal.aborted) return position;
      await handle(changes, signal);
      return changes.at(-1)!.lsn;
    } catch (error) {
      if (!(error instanceof FeedGap) || onGap === undefined) throw error;
      return onGap(error, signal);
    }
  }

  /** A new cursor is stored at once, so that the feed keeps all unread changes from then on. */
  async #begin(): Promise<number> {
    const { feed, cursor, begin = 'oldest' } = this.#options;
    const known = await cursor.load();
    if (known !== undefined) return known;
    const first = begin === 'head' ? await feed.head() : Math.max(0, (await feed.oldest()) - 1);
    await cursor.save(first);
    return first;
  }

  #wake(): void {
    this.#awake.resolve();
  }
}
