import type { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type EventLoop, nodeLoop } from '../../lib/turns.ts';

/** The requests of the servers of this thread that have no complete response yet. */
export class OpenRequests {
  #count = 0;

  /** Call this when a request has arrived. */
  add(response: Pick<EventEmitter, 'on'>): void {
    this.#count++;
    response.on('close', this.#leave);
  }

  /** Whether there is one and no other. */
  get isOne(): boolean {
    return this.#count === 1;
  }

  readonly #leave = (): void => {
    this.#count--;
  };
}

export const openRequests = new OpenRequests();

/**
 * Milliseconds for which a complete response waits for others at most, except while one request works without a pause.
 */
const MAX_WAIT_MS = 1;

type Response = Pick<ServerResponse, 'end'>;

/**
 * Sends the responses that become complete in the same turn of the event loop together, at the end of the turn. A
 * client that waits for a response sleeps, and the write that wakes it costs the server more than everything else in a
 * small request. Written one by one, each response wakes the client again, as it has handled the former one meanwhile;
 * written in a row, they wake it once. The response to the only open request is sent at once.
 *
 * It is no `Batcher`, nor are the messages that streams of log lines send together: the end of a turn ends a batch, and
 * sending has no outcome to wait for.
 */
export class JoinedResponses {
  readonly #loop: Pick<EventLoop, 'now' | 'soon'>;
  readonly #open: Pick<OpenRequests, 'isOne'>;
  #waiting: { readonly response: Response; readonly body: string | Buffer }[] = [];
  /** When the first of them began to wait. */
  #since = 0;

  constructor(loop: Pick<EventLoop, 'now' | 'soon'> = nodeLoop, open: Pick<OpenRequests, 'isOne'> = openRequests) {
    this.#loop = loop;
    this.#open = open;
  }

  /** Ends a response, whose head is written, with its body. */
  end(response: Response, body: string | Buffer): void {
    const isFirst = this.#waiting.length === 0;
    if (isFirst && this.#open.isOne) {
      response.end(body);
      return;
    }
    this.#waiting.push({ response, body });
    if (!isFirst) return this.relieve(this.#loop.now());
    this.#since = this.#loop.now();
    this.#loop.soon(this.#flush);
  }

  /** Sends what has waited for long enough. Called when a request begins, too, because that may work for some time. */
  relieve(now: number): void {
    if (this.#waiting.length > 0 && now - this.#since >= MAX_WAIT_MS) this.#flush();
  }

  /** Also called when everything has been sent already. */
  readonly #flush = (): void => {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { response, body } of waiting) response.end(body);
  };
}

/** The responses of this thread. */
export const joinedResponses = new JoinedResponses();
