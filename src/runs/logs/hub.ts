import type { Timer } from '../../lib/clock.ts';
import type { RunChange, RunRecord } from '../queue/port.ts';
import type { Added } from './writer.ts';

/** Time between two comments of a stream (decisions, section 2.5). */
const COMMENT_MS = 15_000;

/** A reader that is further behind is disconnected. */
const MAX_BEHIND = 1_048_576;

/** Notifies the followers of a run of new lines and states, so that they need not poll the store. One for each node. */
export class LogHub {
  readonly #watches = new Map<string, Set<LogWatch>>();
  readonly #timer: Timer;
  #closed = false;

  constructor(timer: Timer) {
    this.#timer = timer;
  }

  /** Follows an attempt until the signal aborts, the hub closes, or `end` is called. */
  watch(runId: string, attempt: number, signal: AbortSignal): LogWatch {
    const watch = new LogWatch(attempt, signal, this.#timer, () => this.#forget(runId, watch));
    const those = this.#watches.get(runId) ?? new Set();
    this.#watches.set(runId, those.add(watch));
    if (this.#closed) watch.stop();
    return watch;
  }

  added({ runId, attempt, messageBytes }: Pick<Added, 'runId' | 'attempt' | 'messageBytes'>): void {
    for (const watch of this.#watches.get(runId) ?? []) watch.added(attempt, messageBytes);
  }

  changed({ run }: RunChange): void {
    for (const watch of this.#watches.get(run.id) ?? []) watch.changed(run);
  }

  /** Number of followed runs; for tests. */
  get size(): number {
    return this.#watches.size;
  }

  /** Ends all watches, including future ones. */
  close(): void {
    this.#closed = true;
    for (const those of this.#watches.values()) for (const watch of those) watch.stop();
  }

  #forget(runId: string, watch: LogWatch): void {
    const those = this.#watches.get(runId);
    those?.delete(watch);
    if (those?.size === 0) this.#watches.delete(runId);
  }
}

/** Receives what happens to an attempt from now on. */
export class LogWatch {
  #attempt: number;
  readonly #over = new AbortController();
  readonly #forget: () => void;
  #changes: RunRecord[] = [];
  #news = Promise.withResolvers<void>();
  #commentDue = false;
  #behind = 0;
  #live = false;

  constructor(attempt: number, signal: AbortSignal, timer: Timer, forget: () => void) {
    this.#attempt = attempt;
    signal.addEventListener('abort', this.stop);
    this.#forget = () => {
      signal.removeEventListener('abort', this.stop);
      forget();
    };
    if (signal.aborted) this.stop();
    void this.#beat(timer);
  }

  added(attempt: number, bytes: number): void {
    if (attempt !== this.#attempt) return;
    this.#behind += bytes;
    this.#news.resolve();
  }

  /** The reader continues with another attempt, from its beginning. */
  turnTo(attempt: number): void {
    this.#attempt = attempt;
    this.#live = false;
    this.#behind = 0;
  }

  changed(run: RunRecord): void {
    this.#changes.push(run);
    this.#news.resolve();
  }

  /** States of the run since the last call. */
  takeChanges(): RunRecord[] {
    return this.#changes.splice(0);
  }

  /** Returns true once every 15 seconds. */
  takeComment(): boolean {
    const due = this.#commentDue;
    this.#commentDue = false;
    return due;
  }

  /** Bytes of messages were sent. */
  sent(bytes: number): void {
    this.#behind = Math.max(0, this.#behind - bytes);
  }

  /** The reader has received everything: from now on its backlog is measured. */
  caughtUp(): void {
    this.#live = true;
    this.#behind = 0;
  }

  get tooFarBehind(): boolean {
    return this.#live && this.#behind > MAX_BEHIND;
  }

  get over(): boolean {
    return this.#over.signal.aborted;
  }

  /** Resolves when something has happened since the last call. */
  async news(): Promise<void> {
    if (!this.over) await this.#news.promise;
    this.#news = Promise.withResolvers<void>();
  }

  /** Tells its reader that the stream is over. */
  readonly stop = (): void => {
    this.#over.abort();
    this.#news.resolve();
  };

  /** Its reader has disconnected. */
  end(): void {
    this.#forget();
    this.stop();
  }

  /** Never rejects. */
  async #beat(timer: Timer): Promise<void> {
    for (;;) {
      await timer.sleep(COMMENT_MS, this.#over.signal);
      if (this.over) return;
      this.#commentDue = true;
      this.#news.resolve();
    }
  }
}
