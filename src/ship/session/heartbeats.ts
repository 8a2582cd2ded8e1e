import type { ShipTime } from '../time.ts';
import { sleepUntil } from '../wait/index.ts';

/** A heartbeat that is still unanswered when the next is due: the connection is taken for dead. Timers may be a little early. */
const SILENT_INTERVALS = 0.9;
/** The server extends leases in batches, so that an answer may take a moment, however short the interval is. */
const MIN_SILENCE_MS = 5000;
/** Acknowledgements of older heartbeats than this many are not expected any more. */
const REMEMBERED = 64;

export interface HeartbeatOptions {
  readonly time: ShipTime;
  readonly intervalMs: number;
  /** Number of the first one: they count on from stream to stream. */
  readonly firstSeq: number;
  send(seq: number): void;
  /** Nothing has been acknowledged for too long. */
  onSilence(): void;
}

/** The heartbeats of one stream: when they are sent, and when those were sent that are acknowledged. */
export class Heartbeats {
  readonly #options: HeartbeatOptions;
  readonly #sentAt = new Map<number, number>();
  #seq: number;
  #early = new AbortController();
  /** When the oldest one was sent after the last that is acknowledged. */
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

  /** When the newest one was sent that is acknowledged; undefined before the first. */
  get lastAcknowledged(): number | undefined {
    return this.#lastAcknowledged;
  }

  /** Sends one now, because what it tells has changed; those of the same moment are one. */
  hurry(): void {
    this.#early.abort();
  }

  /** Sends until the signal aborts or nobody answers, the first one at once. */
  async beat(signal: AbortSignal): Promise<void> {
    const { time, intervalMs, onSilence } = this.#options;
    while (!signal.aborted) {
      if (this.#isSilent()) return onSilence();
      this.#early = new AbortController();
      this.#send();
      await sleepUntil(time.timer, intervalMs, signal, this.#early.signal);
    }
  }

  /** The heartbeat with this number has reached the server; answers when it was sent, if it is known. */
  acknowledge(seq: number): number | undefined {
    const sentAt = this.#sentAt.get(seq);
    if (sentAt === undefined) return undefined;
    // Acknowledgements may come in any order; an older one says nothing new.
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
    if (this.#sentAt.size > REMEMBERED) this.#sentAt.delete(this.#sentAt.keys().next().value!);
    this.#options.send(seq);
  }

  #isSilent(): boolean {
    const { time, intervalMs } = this.#options;
    return this.#unansweredSince !== undefined && time.monotonic() - this.#unansweredSince >= Math.max(MIN_SILENCE_MS, SILENT_INTERVALS * intervalMs);
  }
}
