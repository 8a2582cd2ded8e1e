import type { IncomingMessage, ServerResponse } from 'node:http';
import { SLOW_BODY } from '../../lib/request-bytes.ts';

/** The slowest pace at which the body of a request may arrive. */
export interface BodyPace {
  /** Milliseconds of waiting for the client within which `bytes` must arrive. */
  readonly periodMs: number;
  readonly bytes: number;
  /** Milliseconds for which a body is still read after its response was sent, so that a client can read that response. */
  readonly maxReadOnMs: number;
  /** Milliseconds between two checks. */
  readonly checkMs: number;
}

/**
 * 500 bytes a second over 20 seconds, the pace that Apache's mod_reqtimeout requires; a client that keeps this pace may
 * take any time in total.
 */
export const USUAL_PACE: BodyPace = { periodMs: 20_000, bytes: 10_000, maxReadOnMs: 5000, checkMs: 1000 };

interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Milliseconds of this period in which the server waited for the client. */
  waited: number;
  /** Bytes that the connection had received when the period began. */
  bytesBefore: number;
  /** Milliseconds since the response was sent. */
  readOnMs: number;
}

/**
 * Monitors bodies that are arriving. A limit on the total time would cut off large uploads over slow lines, so the pace
 * is limited, and only while the server waits for the client: time in which the server itself does not read is not
 * counted.
 */
export class BodyWatch {
  readonly #pace: BodyPace;
  readonly #onSlow: (request: IncomingMessage, response: ServerResponse) => void;
  readonly #arriving = new Set<Arrival>();
  readonly #timer: NodeJS.Timeout;
  #checkedAt = performance.now();

  /** `onSlow` sends the response for a slow request whose body has no reader that handles it. */
  constructor(pace: BodyPace, onSlow: (request: IncomingMessage, response: ServerResponse) => void) {
    this.#pace = pace;
    this.#onSlow = onSlow;
    this.#timer = setInterval(() => this.#check(), pace.checkMs).unref();
  }

  /** Call this when what arrived with the head has been parsed: then a short body is complete. */
  watch(request: IncomingMessage, response: ServerResponse): void {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
    if (length === '0' && encoding === undefined) return;
    if (!request.complete) this.#begin(request, response);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    const arrival: Arrival = { request, response, waited: 0, bytesBefore: request.socket.bytesRead, readOnMs: 0 };
    this.#arriving.add(arrival);
    request.once('end', () => this.#arriving.delete(arrival));
  }

  #check(): void {
    const now = performance.now();
    // If this process itself was blocked, that time must not count against its clients.
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
    const { periodMs, bytes, maxReadOnMs } = this.#pace;
    if (response.writableFinished) {
      arrival.readOnMs += passed;
      if (arrival.readOnMs >= maxReadOnMs) request.socket.destroy();
      return;
    }
    // Received bytes wait to be read, so the server is the slow side.
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
