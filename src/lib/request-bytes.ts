import type { IncomingMessage } from 'node:http';

/**
 * A body is longer than allowed. The rest of it is read and discarded: if the connection were closed while the client sends, the client's system
 * could discard the response. Whoever supervises requests ends one that goes on for long.
 */
export class BodyTooLarge extends Error {
  constructor(maxBytes: number) {
    super(`body larger than ${maxBytes} bytes`);
    this.name = 'BodyTooLarge';
  }
}

/** A body was given up while it arrived, by the code that supervises requests. Its connection cannot serve another request either. */
export abstract class BodyGivenUp extends Error {}

export class BodyTooSlow extends BodyGivenUp {
  constructor(bytes: number, seconds: number, bytesPerSecond: number) {
    super(`the body of the request came too slowly: ${bytes} bytes in ${seconds} s, and at least ${bytesPerSecond} bytes a second are expected; send less at once, or faster`);
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

/** Declares that a body is processed while it arrives, so that its time is limited by its size; that of other bodies is limited in total. */
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

/** The error for a request whose client has left before anything of its body was read: it emits no further event. Otherwise undefined. */
export function cutOffBefore({ destroyed, errored }: IncomingMessage): BodyCutOff | undefined {
  return destroyed ? new BodyCutOff(errored ?? undefined) : undefined;
}

/** A short body arrives with the head of its request, so that it is there when it is asked for: then it needs neither listeners nor events. */
function arrivedWhole(request: IncomingMessage, maxBytes: number): Promise<Buffer> | undefined {
  if (!request.complete || request.readableFlowing !== null) return undefined;
  if (request.readableLength > maxBytes) return Promise.reject(new BodyTooLarge(maxBytes));
  return Promise.resolve((request.read() as Buffer | null) ?? NOTHING);
}

const NOTHING = Buffer.alloc(0);

function arriving(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const cutOff = (cause?: Error) => reject(new BodyCutOff(cause));
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBytes) return void chunks.push(chunk);
      chunks.length = 0;
      reject(new BodyTooLarge(maxBytes));
    });
    request.once('end', () => {
      if (length <= maxBytes) resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length));
    });
    request.once('error', cutOff);
    request.once('aborted', cutOff);
    request.once(SLOW_BODY, reject);
  });
}
