import type { AuditEvent, AuditExporter } from '../../../../generated/docs/sdk/types.gen.ts';
import { type Backoff, backoffDelay, type Timer } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';

/** A destination of audit events. */
export interface Sink {
  readonly name: 'webhook' | 'syslog';
  /** The address without credentials. */
  readonly target: string;
  /** Resolves when the target has accepted the event. Rejects with `Refused` if a retry cannot help. */
  send(event: AuditEvent, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** The target was reached and refuses the event. */
export class Refused extends Error {}

interface ExporterOptions {
  readonly sink: Sink;
  readonly bufferSize: number;
  readonly log: Log;
  readonly timer: Timer;
  /** Milliseconds that `stop` waits for the events in the buffer. */
  readonly graceMs?: number;
}

const ATTEMPTS = 4;
const ATTEMPT_MS = 10_000;
const BACKOFF: Backoff = { initial: 1000, max: 15_000 };
const GRACE_MS = 2000;
const MAX_ERROR = 300;

/** Sends events to one sink, in order, from its own buffer, so that no request waits for a sink. */
export class Exporter {
  readonly #options: ExporterOptions;
  readonly #buffer: AuditEvent[] = [];
  readonly #stopping = new AbortController();
  readonly #giveUp = new AbortController();
  readonly #counts = { queued: 0, delivered: 0, failed: 0, dropped: 0, lastError: '' };
  #work: Promise<void> | undefined;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  /** The sink with its counters since the start. */
  get state(): AuditExporter {
    const { sink: { name, target }, bufferSize } = this.#options;
    return { name, target, ...this.#counts, bufferSize };
  }

  /** Number of events in the buffer. */
  get waiting(): number {
    return this.#buffer.length;
  }

  /** Puts an event into the buffer; if it is full, the oldest event is dropped. */
  offer(event: AuditEvent): void {
    if (this.#stopping.signal.aborted) return;
    if (this.#buffer.length >= this.#options.bufferSize) {
      this.#buffer.shift();
      this.#counts.dropped++;
    }
    this.#buffer.push(event);
    this.#counts.queued++;
    this.#work ??= this.#drain().finally(() => (this.#work = undefined));
  }

  /** Tries once more to send the events in the buffer, without waiting between attempts. */
  async stop(): Promise<void> {
    const { sink, graceMs = GRACE_MS } = this.#options;
    this.#stopping.abort();
    const deadline = setTimeout(() => this.#giveUp.abort(), graceMs);
    await this.#work;
    clearTimeout(deadline);
    await sink.close();
  }

  /** Never rejects. */
  async #drain(): Promise<void> {
    for (let event = this.#buffer.shift(); event !== undefined; event = this.#buffer.shift()) {
      if (await this.#deliver(event)) this.#counts.delivered++;
      else this.#counts.failed++;
    }
  }

  async #deliver(event: AuditEvent): Promise<boolean> {
    const { sink, timer, log } = this.#options;
    for (let attempt = 1;; attempt++) {
      try {
        this.#giveUp.signal.throwIfAborted();
        await sink.send(event, AbortSignal.any([this.#giveUp.signal, AbortSignal.timeout(ATTEMPT_MS)]));
        return true;
      } catch (error) {
        this.#counts.lastError = messageOf(error);
        const isLast = attempt === ATTEMPTS || error instanceof Refused || this.#stopping.signal.aborted;
        if (isLast) {
          log.warn({ err: error, exporter: sink.name, attempt }, 'an audit event could not be exported');
          return false;
        }
        await timer.sleep(backoffDelay(attempt, BACKOFF), this.#stopping.signal);
      }
    }
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, MAX_ERROR);
  const cause = error.cause instanceof Error
    ? `: ${error.cause.message || ('code' in error.cause ? String(error.cause.code) : '')}`
    : '';
  return `${error.message}${cause}`.slice(0, MAX_ERROR);
}
