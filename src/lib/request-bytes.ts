import type { IncomingMessage } from 'node:http';
import { turns } from './turns.ts';

/**
 * A body is longer than allowed. The rest of it is read and discarded: if the connection were closed while the client
 * sends, the client's system could discard the response. Whoever supervises requests ends one that goes on for long.
 */
export class BodyTooLarge extends Error {
  constructor(maxBytes: number) {
    super(`body larger than ${maxBytes} bytes`);
    this.name = 'BodyTooLarge';
  }
}

/**
 * A body was given up while it arrived, by the code that supervises requests. Its connection cannot serve another
 * request either.
 */
export abstract class BodyGivenUp extends Error {}

export class BodyTooSlow extends BodyGivenUp {
  constructor(bytes: number, seconds: number, bytesPerSecond: number) {
    super(
      `the body of the request came too slowly: ${bytes} bytes in ${seconds} s, and at least ${bytesPerSecond} ` +
        'bytes a second are expected; send less at once, or faster',
    );
    this.name = 'BodyTooSlow';
  }
}

/** Too many bodies of the same client were arriving slowly. */
export class TooManySlowBodies extends BodyGivenUp {
  constructor() {
    super('too many requests from your address are arriving slowly; send fewer at once');
    this.name = 'TooManySlowBodies';
  }
}

/** The event that tells a request's reader that its body is given up; the argument is a `BodyGivenUp`. */
export const SLOW_BODY = Symbol('slow body');

const streamed = new WeakSet<IncomingMessage>();

/**
 * Declares that a body is processed while it arrives, so that its time is limited by its size; that of other bodies is
 * limited in total.
 */
export function expectStream(request: IncomingMessage): void {
  streamed.add(request);
}

export function isStreamed(request: IncomingMessage): boolean {
  return streamed.has(request);
}

/** A request ended in the middle of its body. */
export class BodyCutOff extends Error {
  constructor(cause?: Error) {
    super('the request ended before its body was complete', { cause });
    this.name = 'BodyCutOff';
  }
}

/**
 * Reads all bytes of a request's body. Rejects with `BodyTooLarge` as soon as there are more than `maxBytes`, and with
 * `BodyGivenUp` or `BodyCutOff`. Uses events, because iterating costs three times as much.
 */
export function readRequestBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(new BodyTooLarge(maxBytes));
  const cutOff = cutOffBefore(request);
  return cutOff === undefined ? arrivedWhole(request, maxBytes) ?? arriving(request, maxBytes) : Promise.reject(cutOff);
}

/**
 * The error for a request whose client has left before anything of its body was read: it emits no further event.
 * Otherwise undefined.
 */
export function cutOffBefore({ destroyed, errored }: IncomingMessage): BodyCutOff | undefined {
  return destroyed ? new BodyCutOff(errored ?? undefined) : undefined;
}

/**
 * A short body arrives with the head of its request, so that it is there when it is asked for: then it needs neither
 * listeners nor events.
 */
function arrivedWhole(request: IncomingMessage, maxBytes: number): Promise<Buffer> | undefined {
  if (!request.complete || request.readableFlowing !== null) return undefined;
  if (request.readableLength > maxBytes) return Promise.reject(new BodyTooLarge(maxBytes));
  return Promise.resolve((request.read() as Buffer | null) ?? NOTHING);
}

const NOTHING = Buffer.alloc(0);

function arriving(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const arrived = new ArrivedBytes(Number(request.headers['content-length'] ?? 0));
    const cutOff = (cause?: Error) => reject(new BodyCutOff(cause));
    request.on('data', (chunk: Buffer) => {
      if (arrived.length + chunk.length <= maxBytes) {
        arrived.add(chunk);
        if (arrived.length > SHORT_BYTES && turns.isOver) restFrom(request);
        return;
      }
      arrived.clear();
      reject(new BodyTooLarge(maxBytes));
    });
    request.once('end', () => {
      if (arrived.length <= maxBytes) resolve(arrived.whole());
    });
    request.once('error', cutOff);
    request.once('aborted', cutOff);
    request.once(SLOW_BODY, reject);
  });
}

/** Bodies up to this size are read as they come. */
const SHORT_BYTES = 64 * 1024;

/** Goes on in a later turn of the event loop: in one turn the platform reads up to 2 MiB from each of all sockets. */
function restFrom(request: IncomingMessage): void {
  request.pause();
  void turns.loop().then(() => request.resume());
}

/** Up to this size, pieces are joined at the end. */
const JOINED_BYTES = 1024 * 1024;

/**
 * Collects the pieces of a body. Those of a long one are copied as they come: to join 32 MiB at its end takes 60 ms.
 */
class ArrivedBytes {
  /** The length that the client has announced; 0 if none. */
  readonly #announced: number;
  #pieces: Buffer[] = [];
  /** Begins with the pieces of a long body. A client must have sent some of it before it costs memory. */
  #long: Buffer | undefined;
  length = 0;

  constructor(announced: number) {
    this.#announced = announced;
  }

  add(piece: Buffer): void {
    const start = this.length;
    this.length += piece.length;
    if (this.length <= JOINED_BYTES) return void this.#pieces.push(piece);
    if (this.#long === undefined || this.#long.length < this.length) this.#grow(start);
    piece.copy(this.#long!, start);
  }

  clear(): void {
    this.#pieces = [];
    this.#long = undefined;
    // Whatever comes is too much.
    this.length = Infinity;
  }

  whole(): Buffer {
    if (this.#long !== undefined) return this.#long.subarray(0, this.length);
    return this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces, this.length);
  }

  #grow(used: number): void {
    const before = this.#long === undefined ? this.#pieces : [this.#long.subarray(0, used)];
    this.#long = Buffer.allocUnsafeSlow(Math.max(this.#announced, 2 * used, this.length));
    let at = 0;
    for (const piece of before) at += piece.copy(this.#long, at);
    this.#pieces = [];
  }
}
