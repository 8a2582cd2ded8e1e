import type { ServerInterceptingCallInterface } from '@grpc/grpc-js';
import { bodyError, ServiceError } from '../../errors/index.ts';
import { requestIdOf } from '../../lib/headers.ts';
import { BodyTooSlow, TooManySlowBodies } from '../../lib/request-bytes.ts';
import { type LeastRate, missedRate, type SlowBody, type SlowBodyReports, usualPace } from '../../lib/slow-bodies.ts';
import { clientNetwork } from '../../lib/trusted-proxies.ts';
import { statusOf } from './status.ts';

/** How long the server waits for messages, in milliseconds. */
export interface Waits {
  /** For the single message of a call, and for the next message of a stream to which the server responds once. */
  readonly messageMs: number;
  /** For the next message of a stream that is answered message by message, where clients ask infrequently. */
  readonly conversationMs: number;
  /** How fast the messages of a stream to which the server responds once must arrive on average. */
  readonly rates: readonly LeastRate[];
  /** A call is slow while the server has waited for its client for longer than this. */
  readonly slowAfterMs: number;
  /** Between two checks. */
  readonly checkMs: number;
}

/** `messageMs` is that of a JSON body. */
export function usualWaits(messageMs?: number): Waits {
  const { whole: [total], stream, slowAfterMs } = usualPace(messageMs);
  return { messageMs: total!.afterMs, conversationMs: 10 * 60_000, rates: stream, slowAfterMs, checkMs: 1000 };
}

export type CallKind = 'one message' | 'stream' | 'conversation';

/** A call for whose client the server may wait. */
export class WaitingCall {
  readonly call: ServerInterceptingCallInterface;
  readonly kind: CallKind;
  /** The address of the client; called once the call is slow. */
  readonly address: () => string | undefined;
  /** Milliseconds in which the server waited for the client: in all, and for the present message. */
  waited = 0;
  waitedNow = 0;
  bytes = 0;
  client: string | undefined;

  constructor(call: ServerInterceptingCallInterface, kind: CallKind, address: () => string | undefined) {
    this.call = call;
    this.kind = kind;
    this.address = address;
  }
}

/**
 * Ends calls whose messages do not arrive in time, and reports those that are slow. A server that asks for a message
 * waits for the client; one that does not is busy itself. Short calls cost an entry in a set; the clock is read only
 * while calls are waiting.
 */
export class MessageWaits {
  readonly #waits: Waits;
  readonly #slowBodies: SlowBodyReports | undefined;
  readonly #waiting = new Set<WaitingCall>();
  #timer: NodeJS.Timeout | undefined;
  #checkedAt = 0;

  constructor(waits: Waits, slowBodies: SlowBodyReports | undefined) {
    this.#waits = waits;
    this.#slowBodies = slowBodies;
  }

  begin(waiting: WaitingCall): void {
    if (waiting.kind !== 'one message') waiting.waitedNow = 0;
    this.#waiting.add(waiting);
    if (this.#timer !== undefined) return;
    this.#checkedAt = performance.now();
    this.#timer = setInterval(() => this.#check(), this.#waits.checkMs).unref();
  }

  end(waiting: WaitingCall): void {
    this.#waiting.delete(waiting);
  }

  #check(): void {
    const now = performance.now();
    // If this process itself was blocked, that time must not count against its clients.
    const passed = Math.min(now - this.#checkedAt, 2 * this.#waits.checkMs);
    this.#checkedAt = now;
    const slow: SlowBody[] = [];
    for (const waiting of this.#waiting) this.#wait(waiting, passed, slow);
    this.#slowBodies?.report(this, slow);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #wait(waiting: WaitingCall, passed: number, slow: SlowBody[]): void {
    waiting.waited += passed;
    waiting.waitedNow += passed;
    const error = this.#judge(waiting);
    if (error !== undefined) return this.#giveUp(waiting, error);
    if (waiting.waited < this.#waits.slowAfterMs) return;
    const client = (waiting.client ??= clientNetwork(waiting.address() ?? ''));
    if (client === '') return;
    slow.push({
      client,
      rate: waiting.bytes / waiting.waited * 1000,
      end: () => this.#giveUp(waiting, bodyError(new TooManySlowBodies())),
    });
  }

  #judge({ kind, waited, waitedNow, bytes }: WaitingCall): ServiceError | undefined {
    const { messageMs, conversationMs, rates } = this.#waits;
    const most = kind === 'conversation' ? conversationMs : messageMs;
    if (waitedNow >= most)
      return new ServiceError('request_timeout',
        kind === 'one message'
          ? `the message did not arrive within ${most / 1000} s`
          : `the next message did not arrive within ${most / 1000} s; end the call while there is nothing to send`);
    const missed = kind === 'stream' ? missedRate(rates, waited, bytes) : undefined;
    return missed && bodyError(new BodyTooSlow(bytes, Math.round(waited / 1000), missed.bytesPerSecond));
  }

  #giveUp(waiting: WaitingCall, error: ServiceError): void {
    this.#waiting.delete(waiting);
    waiting.call.sendStatus(statusOf(error, requestIdOf(undefined)));
  }
}
