import { Lru } from '../../lib/caches.ts';
import { type ShipTime, sleepUntil } from '../time.ts';

/**
 * If a heartbeat is unanswered when the next one is due, the connection counts as dead. Timers may be a little early,
 * hence not 1.
 */
const SILENT_INTERVALS = 0.9;
/** The server extends leases in batches, so a response may take a moment, however short the interval is. */
const MIN_SILENCE_MS = 5000;
/** Number of recent heartbeats that may still be acknowledged. */
const MAX_REMEMBERED = 64;

interface HeartbeatOptions {
  readonly time: ShipTime;
  readonly intervalMs: number;
  /** Number of the first heartbeat; numbers continue from stream to stream. */
  readonly firstSeq: number;
  send(seq: number): void;
  /** Called when nothing has been acknowledged for too long. */
  onSilence(): void;
}

/** The heartbeats of one stream: sends them, and records when the acknowledged ones were sent. */
export class Heartbeats {
  readonly #options: HeartbeatOptions;
  readonly #sentAt = new Lru<number, number>(MAX_REMEMBERED);
  #seq: number;
  #early = new AbortController();
  /** When the oldest heartbeat after the last acknowledged one was sent. */
  #unansweredSince: number | undefined;
  #lastAcknowledged: number | undefined;
  #acknowledged = -1;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#seq = options.firstSeq;
  }

  get nextSeq(): number {
    return this.#seq;
  }

  /** When the newest acknowledged heartbeat was sent; undefined before the first. */
  get lastAcknowledged(): number | undefined {
    return this.#lastAcknowledged;
  }

  /** Sends a heartbeat now, because its content has changed; several calls at the same moment send one. */
  hurry(): void {
    this.#early.abort();
  }

  /** Sends heartbeats, the first one at once, until the signal aborts or the server stops answering. */
  async beat(signal: AbortSignal): Promise<void> {
    const { time, intervalMs, onSilence } = this.#options;
    while (!signal.aborted) {
      if (this.#isSilent()) return onSilence();
      this.#early = new AbortController();
      this.#send();
      await sleepUntil(time.timer, intervalMs, signal, this.#early.signal);
    }
  }

  /** The heartbeat with this number has reached the server; returns when it was sent, if that is known. */
  acknowledge(seq: number): number | undefined {
    const sentAt = this.#sentAt.get(seq);
    if (sentAt === undefined) return undefined;
    // Acknowledgements may arrive in any order; an older one contains no news.
    if (seq <= this.#acknowledged) return sentAt;
    this.#acknowledged = seq;
    this.#lastAcknowledged = sentAt;
    this.#unansweredSince = this.#sentAt.get(seq + 1);
    return sentAt;
  }

  #send(): void {
    const seq = this.#seq++;
    const now = this.#options.time.monotonic();
    this.#sentAt.set(seq, now);
    this.#unansweredSince ??= now;
    this.#options.send(seq);
  }

  #isSilent(): boolean {
    const { time, intervalMs } = this.#options;
    return this.#unansweredSince !== undefined &&
      time.monotonic() - this.#unansweredSince >= Math.max(MIN_SILENCE_MS, SILENT_INTERVALS * intervalMs);
  }
}
