import type { IncomingMessage, ServerResponse } from 'node:http';
import { type BodyGivenUp, BodyTooSlow, isStreamed, SLOW_BODY, TooManySlowBodies } from '../../lib/request-bytes.ts';
import { type ArrivalPace, type ClientBounds, missedRate, type SlowBody } from '../../lib/slow-bodies.ts';
import { clientNetwork } from '../../lib/trusted-proxies.ts';

export interface BodyLimits {
  readonly pace: ArrivalPace;
  /**
   * Milliseconds for which a connection is still read after the last response was sent on it, so that a client can read
   * that response.
   */
  readonly maxReadOnMs: number;
  /** Milliseconds between two checks. */
  readonly checkMs: number;
}

export interface BodyWatchOptions {
  readonly limits: BodyLimits;
  /** Bounds the slow bodies of each client; absent for connections within the service. */
  readonly clients?: ClientBounds | undefined;
  /** Sends the response to a request whose body is given up and has no reader that handles it. */
  readonly onGivenUp: (request: IncomingMessage, response: ServerResponse, error: BodyGivenUp) => void;
}

interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Bytes that the connection had received when the body began, and when the present period began. */
  readonly bytesBefore: number;
  periodBytesBefore: number;
  /** Milliseconds in which the server waited for the client: in all, and in the present period. */
  waited: number;
  periodWaited: number;
  /** Milliseconds since the response was sent. */
  readOn: number;
  isGivenUp: boolean;
  /** The client, once the body is slow; empty if it is not known. */
  client: string | undefined;
}

/**
 * Monitors bodies that are arriving. Only time in which the server waits for the client counts: a client is not slow
 * because the server itself does not read.
 */
export class BodyWatch {
  readonly #options: BodyWatchOptions;
  readonly #arriving = new Set<Arrival>();
  readonly #timer: NodeJS.Timeout;
  #checkedAt = performance.now();

  constructor(options: BodyWatchOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#check(), options.limits.checkMs).unref();
  }

  /** Call this when what arrived with the head has been parsed: then a short body is complete. */
  watch(request: IncomingMessage, response: ServerResponse): void {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
    if (length === '0' && encoding === undefined) return;
    if (!request.complete) this.#begin(request, response);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#options.clients?.slowBodies.report(this, []);
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    const bytesBefore = request.socket.bytesRead;
    const arrival: Arrival = {
      request,
      response,
      bytesBefore,
      periodBytesBefore: bytesBefore,
      waited: 0,
      periodWaited: 0,
      readOn: 0,
      isGivenUp: false,
      client: undefined,
    };
    this.#arriving.add(arrival);
    request.once('end', () => this.#arriving.delete(arrival));
  }

  #check(): void {
    const now = performance.now();
    // If this process itself was blocked, that time must not count against its clients.
    const passed = Math.min(now - this.#checkedAt, 2 * this.#options.limits.checkMs);
    this.#checkedAt = now;
    const slow: SlowBody[] = [];
    for (const arrival of this.#arriving) {
      const { request, response, isGivenUp } = arrival;
      if (request.complete || request.socket.destroyed) this.#arriving.delete(arrival);
      else if (response.writableFinished) this.#readOn(arrival, passed);
      else if (!isGivenUp) this.#wait(arrival, passed, slow);
    }
    this.#options.clients?.slowBodies.report(this, slow);
  }

  #readOn(arrival: Arrival, passed: number): void {
    arrival.readOn += passed;
    if (arrival.readOn >= this.#options.limits.maxReadOnMs) arrival.request.socket.destroy();
  }

  /** Adds the body to `slow` if it is. */
  #wait(arrival: Arrival, passed: number, slow: SlowBody[]): void {
    // Received bytes wait to be read, so the server is the slow side.
    if (arrival.request.readableLength === 0) {
      arrival.waited += passed;
      arrival.periodWaited += passed;
      const error = this.#judge(arrival);
      if (error !== undefined) return this.#giveUp(arrival, error);
    }
    if (arrival.waited < this.#options.limits.pace.slowAfterMs) return;
    const client = (arrival.client ??= this.#clientOf(arrival.request));
    if (client === '') return;
    slow.push({
      client,
      rate: bytesOf(arrival) / arrival.waited * 1000,
      end: () => this.#giveUp(arrival, new TooManySlowBodies()),
    });
  }

  #judge(arrival: Arrival): BodyTooSlow | undefined {
    const { stall, whole, stream } = this.#options.limits.pace;
    const bytes = bytesOf(arrival);
    const missed = missedRate(isStreamed(arrival.request) ? stream : whole, arrival.waited, bytes);
    if (missed !== undefined) return new BodyTooSlow(bytes, seconds(arrival.waited), missed.bytesPerSecond);
    if (arrival.periodWaited < stall.periodMs) return undefined;
    const { bytesRead } = arrival.request.socket;
    const period = bytesRead - arrival.periodBytesBefore;
    const { periodWaited } = arrival;
    [arrival.periodWaited, arrival.periodBytesBefore] = [0, bytesRead];
    return period < stall.bytes
      ? new BodyTooSlow(period, seconds(periodWaited), Math.round(stall.bytes / stall.periodMs * 1000))
      : undefined;
  }

  #giveUp(arrival: Arrival, error: BodyGivenUp): void {
    const { request, response } = arrival;
    arrival.isGivenUp = true;
    if (!request.emit(SLOW_BODY, error)) this.#options.onGivenUp(request, response, error);
  }

  #clientOf({ socket, headers }: IncomingMessage): string {
    const address = this.#options.clients?.readAddress(socket.remoteAddress,
      headers['x-forwarded-for'] as string | undefined);
    return address === undefined ? '' : clientNetwork(address);
  }
}

function bytesOf({ request, bytesBefore }: Arrival): number {
  return request.socket.bytesRead - bytesBefore;
}

const seconds = (milliseconds: number): number => Math.round(milliseconds / 100) / 10;
