import type { Dispatcher } from 'undici';
import type { Timer } from '../lib/clock.ts';
import { currentTracing } from '../lib/tracing.ts';
import { checkUrl } from './guarded-connector.ts';
import { badHeader, outgoingSpan, recordStatus } from './guarded-fetch.ts';
import { type OutboundPolicy, RefusedRequest } from './outbound-policy.ts';

/** A request for which only the head of the response matters. */
interface Sending {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent for no body. */
  readonly body?: Uint8Array;
}

export interface AnswerHead {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * Rejects with `RefusedRequest` for requests that the server's own rules refuse, with the signal's reason, or with the
 * error of the connection.
 */
export type Send = (sending: Sending, signal: AbortSignal) => Promise<AnswerHead>;

interface GuardedSenderDeps {
  readonly policy: OutboundPolicy;
  /** Checks each address when it connects. */
  readonly dispatcher: () => Dispatcher;
  readonly timer: Timer;
  /**
   * Time limit for the whole response, in milliseconds. It may be up to a twentieth shorter, because requests share
   * their timers.
   */
  readonly timeoutMs: number;
  /** Number of bytes of a body that are read so that the connection can be reused; if there are more, it is closed. */
  readonly maxBytes: number;
}

/** Requests that begin within this fraction of the time limit share a timer. */
const SHARE = 1 / 20;

/** Something that can be aborted. */
interface Pending {
  cut(reason: Error): void;
}

/**
 * Sends under the same rules as `guardedFetch`, without following redirects and without keeping the body. Meant for
 * many small requests: `fetch`, with its streams, signals and timers, takes several times as long for each.
 */
export function guardedSender({ policy, dispatcher, timer, timeoutMs, maxBytes }: GuardedSenderDeps): Send {
  const late = () => new RefusedRequest('time', `no complete response within ${timeoutMs / 1000} s`);
  let current: Set<Pending> | undefined;
  const deadline = (): Set<Pending> => {
    if (current !== undefined) return current;
    const group = (current = new Set<Pending>());
    void timer.sleep(timeoutMs * SHARE).then(() => (current = undefined));
    void timer.sleep(timeoutMs).then(() => group.forEach((pending) => pending.cut(late())));
    return group;
  };
  const send: Send = async (sending, signal) => {
    const url = checked(sending, policy);
    signal.throwIfAborted();
    const group = deadline();
    const exchange = new Exchange(maxBytes);
    const onAbort = () => exchange.cut(signal.reason as Error);
    group.add(exchange);
    signal.addEventListener('abort', onAbort);
    try {
      dispatcher().dispatch({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: sending.method,
        headers: sending.headers,
        body: sending.body ?? null,
      }, exchange);
      return await exchange.ended;
    } finally {
      group.delete(exchange);
      signal.removeEventListener('abort', onAbort);
    }
  };
  return (sending, signal) => {
    const tracing = currentTracing();
    const url = tracing === undefined ? null : URL.parse(sending.url);
    if (tracing === undefined || url === null) return send(sending, signal);
    return tracing.within(outgoingSpan(sending.method, url), async (span) => {
      const head = await send({ ...sending, headers: { ...sending.headers, traceparent: span.traceparent } }, signal);
      recordStatus(span, head.status);
      return head;
    });
  };
}

function checked({ url, headers }: Sending, policy: OutboundPolicy): URL {
  const bad = badHeader(Object.keys(headers));
  if (bad !== undefined) throw bad;
  const parsed = URL.parse(url);
  if (parsed === null) throw new TypeError('expected an absolute URL');
  checkUrl(parsed, policy);
  if (BAD_PORTS.has(parsed.port)) throw new RefusedRequest('address', `the port ${parsed.port} must not be called`);
  return parsed;
}

/** One request and its result. */
class Exchange implements Pending, Dispatcher.DispatchHandler {
  readonly #outcome = Promise.withResolvers<AnswerHead>();
  readonly #maxBytes: number;
  #controller: Dispatcher.DispatchController | undefined;
  #reason: Error | undefined;
  #head: AnswerHead | undefined;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get ended(): Promise<AnswerHead> {
    return this.#outcome.promise;
  }

  cut(reason: Error): void {
    this.#reason ??= reason;
    this.#controller?.abort(reason);
    this.#outcome.reject(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Its time may have run out while it waited for a connection.
    if (this.#reason !== undefined) controller.abort(this.#reason);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: AnswerHead['headers']): void {
    if (status >= 200) this.#head = { status, headers };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= this.#maxBytes || this.#head === undefined) return;
    this.#outcome.resolve(this.#head);
    controller.abort(new RefusedRequest('size', `the response has more than ${this.#maxBytes} bytes`));
  }

  onResponseEnd(): void {
    this.#outcome.resolve(this.#head!);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#outcome.reject(this.#reason ?? error);
  }
}

/**
 * Ports of protocols for which a request could be mistaken (Fetch standard, "bad port"). `fetch` itself refuses them.
 */
const BAD_PORTS: ReadonlySet<string> = new Set(`
  1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 137 139 143 161 179
  389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061
  6000 6566 6665 6666 6667 6668 6669 6679 6697 10080
`.trim().split(/\s+/));
