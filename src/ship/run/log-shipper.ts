import { create } from '@bufbuild/protobuf';
import { AppendStatus, type LogLimits, type RunRef, StreamLogsRequestSchema,
  type StreamLogsResponse } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { type Log, RepeatedFailure } from '../../lib/log.ts';
import type { OutputLine, OutputSink } from '../execute/port.ts';
import { RefusedCall, type ShipLink } from '../link.ts';
import { LineSpool } from '../spool/line-spool.ts';
import type { SpoolFile } from '../spool/spool-file.ts';
import { RetryPause, type ShipTime, Signal, sleepUntil, untilAborted } from '../time.ts';

/** Most lines and bytes of one call (decisions, section 4, "Sequencing"). */
const BATCH_LINES = 500;
const BATCH_BYTES = 512 * 1024;
/** How long lines wait for others to be sent with them. */
const LINGER_MS = 100;
/** So long after the end of the work, and after the last success, the server or the disk is given up on. */
const GIVE_UP_MS = 120_000;
/** Where the server names no budget. */
const DEFAULT_LIMITS = { maxBytes: 16 << 20, maxLines: 200_000 };

interface LogShipperOptions {
  readonly ref: RunRef;
  readonly limits: LogLimits | undefined;
  readonly openFile: () => Promise<SpoolFile>;
  readonly link: ShipLink;
  readonly time: ShipTime;
  readonly log: Log;
  /** Whether the server is unreachable and the time does not count. */
  isBridging(): boolean;
  /** Called when the ship no longer holds the attempt. */
  onFenced(): void;
}

/**
 * Sends an attempt's log to the server: each line once, in order, whatever fails on the way. Lines are spooled until
 * the server has them, one call is under way at a time, and the server's `next_seq` says which line is next.
 */
export class LogShipper implements OutputSink {
  readonly #options: LogShipperOptions;
  readonly #spool: LineSpool;
  readonly #news = new Signal();
  readonly #pause: RetryPause;
  readonly #failure: RepeatedFailure;
  /** Aborts when the work has ended and no more lines follow. */
  readonly #closing = new AbortController();
  readonly #stopped = new AbortController();
  #shipping: Promise<void> | undefined;
  #next = 0;
  /** Since when that time counts. */
  #lastSuccess = 0;

  constructor(options: LogShipperOptions) {
    this.#options = options;
    const { limits, time } = options;
    this.#pause = new RetryPause(time.timer, time.random);
    this.#failure = new RepeatedFailure(options.log, 'cannot send the log of a run now');
    this.#spool = new LineSpool({
      maxBytes: Number(limits?.maxBytes ?? 0n) || DEFAULT_LIMITS.maxBytes,
      maxLines: Number(limits?.maxEvents ?? 0n) || DEFAULT_LIMITS.maxLines,
      openFile: options.openFile,
      now: () => time.clock.now(),
      onChange: () => this.#news.ring(),
      onFailure: (err) =>
        options.log.error({ err }, 'the disk does not take the log of a run; what does not fit in memory is lost'),
    });
  }

  /** Lines to send so far, including lines that the server did not receive or dropped. */
  get total(): number {
    return this.#spool.total;
  }

  /** Omitted lines: the middle of a log above its budget, and lines that could not be written to disk. */
  get leftOut(): number {
    return this.#spool.leftOut;
  }

  keep(step: string | null): void {
    this.#spool.keep(step);
  }

  write(line: OutputLine): void | Promise<void> {
    this.#shipping ??= this.#ship();
    return this.#spool.append(line);
  }

  /** The server has responded and expects line `next`; undefined if it did not say. */
  resume(next: number | undefined): void {
    if (next !== undefined) this.#goOnFrom(next);
    this.#pause.hurry();
  }

  /**
   * Resolves when the server has all lines, wants no more, or is given up on. No line may be written after this call.
   */
  async finish(): Promise<void> {
    await this.#spool.end();
    this.#lastSuccess = this.#options.time.monotonic();
    this.#closing.abort('no more lines follow'); // a reason of its own saves an exception
    this.#news.ring();
    await this.#shipping;
  }

  /** Stops sending and discards the lines. Later lines are only counted. */
  stop(): void {
    this.#stopped.abort('stopped');
    this.#spool.stop();
  }

  async remove(): Promise<void> {
    this.stop();
    await this.#shipping;
    await this.#spool.remove();
  }

  async #ship(): Promise<void> {
    const { timer } = this.#options.time;
    while (!this.#stopped.signal.aborted) {
      const waiting = this.#spool.readable - this.#next;
      if (waiting <= 0) {
        if (this.#closing.signal.aborted) return;
        await this.#news.wait(this.#stopped.signal);
        continue;
      }
      if (waiting < BATCH_LINES) await sleepUntil(timer, LINGER_MS, this.#closing.signal, this.#stopped.signal);
      // Meanwhile the server may have confirmed these lines.
      if (this.#next < this.#spool.readable) await this.#send();
    }
  }

  async #send(): Promise<void> {
    const { ref, link, log } = this.#options;
    const firstSeq = this.#next;
    try {
      const lines = await this.#spool.read(firstSeq, BATCH_LINES, BATCH_BYTES);
      const request = create(StreamLogsRequestSchema, {
        ref,
        firstSeq: BigInt(firstSeq),
        lines,
        truncated: this.#spool.isTruncated,
      });
      const answer = await untilAborted(link.appendLogs(request), this.#stopped.signal);
      if (answer !== undefined) await this.#take(answer, firstSeq);
    } catch (err) {
      if (err instanceof RefusedCall) {
        log.error({ err }, 'the server refuses the log of a run; the rest of it is lost');
        this.stop();
        return;
      }
      this.#failure.note(err, { firstSeq });
      await this.#afterFailure();
    }
  }

  async #take({ status, nextSeq }: Pick<StreamLogsResponse, 'status' | 'nextSeq'>, firstSeq: number): Promise<void> {
    switch (status) {
      case AppendStatus.STORED:
        this.#goOnFrom(Number(nextSeq));
        break;
      case AppendStatus.GAP:
        if (nextSeq < BigInt(this.#spool.first)) {
          this.#options.log.error({ stored: Number(nextSeq), lines: this.total },
            'the server has lost lines of a log that it had stored; the rest of it is lost');
          return this.stop();
        }
        this.#goOnFrom(Number(nextSeq));
        break;
      case AppendStatus.BUDGET:
        this.stop();
        return;
      case AppendStatus.APPEND_FENCED:
        this.stop();
        this.#options.onFenced();
        return;
    }
    if (this.#next > firstSeq || (status === AppendStatus.GAP && this.#next < firstSeq)) this.#succeeded();
    else await this.#afterFailure();
  }

  #goOnFrom(next: number): void {
    // An earlier response of the server may arrive later.
    this.#next = Math.max(this.#spool.first, Math.min(next, this.#spool.readable));
    this.#spool.sent(this.#next);
  }

  #succeeded(): void {
    this.#lastSuccess = this.#options.time.monotonic();
    this.#pause.succeeded();
    this.#failure.over();
  }

  async #afterFailure(): Promise<void> {
    if (this.#options.isBridging()) this.#lastSuccess = this.#options.time.monotonic();
    if (this.#hasTriedLongEnough()) {
      this.#options.log.error({ stored: this.#next, lines: this.total },
        'the log of a run could not be sent; the rest of it is lost');
      return this.stop();
    }
    const atMost = this.#closing.signal.aborted
      ? this.#lastSuccess + GIVE_UP_MS - this.#options.time.monotonic()
      : Infinity;
    await this.#pause.afterFailure(this.#stopped.signal, atMost);
  }

  #hasTriedLongEnough(): boolean {
    return this.#closing.signal.aborted && this.#options.time.monotonic() - this.#lastSuccess >= GIVE_UP_MS;
  }
}
