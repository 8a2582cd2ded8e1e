import type { IncomingMessage, ServerResponse } from 'node:http';
import { SLOW_BODY } from '../../lib/request-bytes.ts';

/** How slowly the body of a request may come. */
export interface BodyPace {
  /** Milliseconds of waiting in which so many bytes must come. */
  readonly periodMs: number;
  readonly bytes: number;
  /** How long a body is still taken in after its answer was sent, so that a client can read that answer. */
  readonly lingerMs: number;
  /** How often it is looked. */
  readonly checkMs: number;
}

/** 500 bytes a second over 20 seconds, the pace that Apache's mod_reqtimeout asks for: who sends with it may take as long as it takes. */
export const USUAL_PACE: BodyPace = { periodMs: 20_000, bytes: 10_000, lingerMs: 5000, checkMs: 1000 };

interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Milliseconds of this period in which it was the client's turn. */
  waited: number;
  /** Bytes of the connection when the period began. */
  bytesBefore: number;
  /** Milliseconds since the answer was sent. */
  lingered: number;
}

/**
 * Watches over the bodies that are on their way. A limit of the whole time would cut off large uploads over slow lines,
 * so it is the pace that counts, and only while the server waits for the client: what the server itself is slow to
 * read is not held against it.
 */
export class BodyWatch {
  readonly #pace: BodyPace;
  readonly #onSlow: (request: IncomingMessage, response: ServerResponse) => void;
  readonly #arriving = new Set<Arrival>();
  readonly #timer: NodeJS.Timeout;
  #checkedAt = performance.now();

  /** `onSlow` answers a request whose body nobody is reading as a whole. */
  constructor(pace: BodyPace, onSlow: (request: IncomingMessage, response: ServerResponse) => void) {
    this.#pace = pace;
    this.#onSlow = onSlow;
    this.#timer = setInterval(() => this.#check(), pace.checkMs).unref();
  }

  watch(request: IncomingMessage, response: ServerResponse): void {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
    if (length === '0' && encoding === undefined) return;
    const arrival: Arrival = { request, response, waited: 0, bytesBefore: request.socket.bytesRead, lingered: 0 };
    this.#arriving.add(arrival);
    request.once('end', () => this.#arriving.delete(arrival));
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const now = performance.now();
    // A process that stood still is not to blame its clients.
    const passed = Math.min(now - this.#checkedAt, 2 * this.#pace.checkMs);
    this.#checkedAt = now;
    for (const arrival of this.#arriving) {
      const { request } = arrival;
      if (request.complete || request.socket.destroyed) this.#arriving.delete(arrival);
      else this.#look(arrival, passed);
    }
  }

  #look(arrival: Arrival, passed: number): void {
    const { request, response } = arrival;
    const { periodMs, bytes, lingerMs } = this.#pace;
    if (response.writableFinished) {
      arrival.lingered += passed;
      if (arrival.lingered >= lingerMs) request.socket.destroy();
      return;
    }
    // What has come waits to be read.
    if (request.readableLength > 0) return;
    arrival.waited += passed;
    if (arrival.waited < periodMs) return;
    const { bytesRead } = request.socket;
    const isSlow = bytesRead - arrival.bytesBefore < bytes;
    arrival.waited = 0;
    arrival.bytesBefore = bytesRead;
    if (!isSlow) return;
    this.#arriving.delete(arrival);
    if (!request.emit(SLOW_BODY)) this.#onSlow(request, response);
  }
}
