import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { operations } from '../../../generated/docs/operations.ts';
import { STRICT_TRANSPORT } from '../../lib/headers.ts';
import { expectStream } from '../../lib/request-bytes.ts';
import type { ReadAddress } from '../../lib/trusted-proxies.ts';
import { type EventLoop, nodeLoop } from '../../lib/turns.ts';
import type { OperationSpec } from '../../operations/index.ts';

/**
 * Tells requests when everything is loaded that was committed before they arrived. A request begins at the end of the
 * turn of the event loop in which it arrived, after all others of that turn have arrived, so they share one look at the
 * database.
 */
export class Arrivals {
  readonly #refresh: () => Promise<void>;
  readonly #loop: Pick<EventLoop, 'turn'>;
  #turn = -1;
  #current: Promise<boolean> = Promise.resolve(false);

  /** `refresh` rejects if it cannot load the current state. */
  constructor(refresh: () => Promise<void>, loop: Pick<EventLoop, 'turn'> = nodeLoop) {
    this.#refresh = refresh;
    this.#loop = loop;
  }

  /** Call this at the end of a turn. Resolves with whether the current state is loaded. */
  current(): Promise<boolean> {
    const turn = this.#loop.turn();
    if (turn !== this.#turn) {
      this.#turn = turn;
      this.#current = this.#refresh().then(() => true, () => false);
    }
    return this.#current;
  }
}

/** Headers that belong to one connection, not to the request (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade',
  'expect'];

/**
 * Headers that belong to the request whatever `Connection` names. Without its length, a body would be sent bare, and
 * the primary would read it as the next request.
 */
const END_TO_END = ['content-length', 'host'];

interface ForwarderOptions {
  /** Unix socket of the primary. */
  readonly socket: string;
  /** Returns the address under which a request is counted and logged; the primary trusts the worker's value. */
  readonly readAddress: ReadAddress;
}

/** Forwards whole requests to the primary, streams bodies and responses, and aborts if either side does. */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  /** `onHead` is called with the headers of the response before they are sent on. */
  forward(incoming: IncomingMessage, response: ServerResponse,
    onHead: (headers: IncomingMessage['headers']) => void): void
  {
    // A client that has left would end neither the body nor what waits for it.
    if (response.destroyed) return;
    // The primary knows whether it is one.
    expectStream(incoming);
    const outgoing = request({
      socketPath: this.#options.socket,
      agent: this.#agent,
      method: incoming.method,
      path: incoming.url,
      headers: this.#headersOf(incoming),
      setHost: false,
    });
    outgoing.on('response', (answer) => {
      onHead(answer.headers);
      sendHead(answer, response, 'encrypted' in incoming.socket);
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    // If a body was rejected, it is not read to its end, and its response is on the way. Otherwise the primary has
    // died, and this process will end shortly. Whether a write was made is unknown, so no response is sent.
    outgoing.on('error', () => void (response.headersSent || response.destroy()));
    response.on('close', () => void (response.writableFinished || outgoing.destroy()));
    // The rest of a body that was answered early is discarded, because the next request follows it.
    response.on('finish', () => void incoming.unpipe(outgoing).resume());
    incoming.pipe(outgoing);
  }

  close(): void {
    this.#agent.destroy();
  }

  #headersOf({ headers, rawHeaders, socket }: IncomingMessage): string[] {
    const named = new Set([...HOP_BY_HOP,
      ...(headers.connection ?? '').toLowerCase().split(',').map((name) => name.trim()), 'x-forwarded-for']);
    for (const name of END_TO_END) named.delete(name);
    const kept: string[] = [];
    for (let i = 0; i < rawHeaders.length; i += 2)
      if (!named.has(rawHeaders[i]!.toLowerCase())) kept.push(rawHeaders[i]!, rawHeaders[i + 1]!);
    const address = this.#options.readAddress(socket.remoteAddress, headers['x-forwarded-for'] as string | undefined);
    if (address !== undefined) kept.push('X-Forwarded-For', address);
    // Without this header the length would be unknown, and the body would not be read.
    if (headers['transfer-encoding'] !== undefined) kept.push('Transfer-Encoding', 'chunked');
    return kept;
  }
}

function sendHead({ statusCode = 502, headers, rawHeaders }: IncomingMessage, response: ServerResponse,
  isSecure: boolean): void
{
  const kept: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (!HOP_BY_HOP.includes(rawHeaders[i]!.toLowerCase())) kept.push(rawHeaders[i]!, rawHeaders[i + 1]!);
  if (headers.connection === 'close') kept.push('Connection', 'close');
  if (isSecure) kept.push(...STRICT_TRANSPORT);
  response.writeHead(statusCode, kept);
}

/** The operations that a worker serves itself (`x-local`); all others go to the primary, which notes reads. */
export function localOperations({ notesReads }: { readonly notesReads: boolean }): OperationSpec[] {
  return Object.values<OperationSpec>(operations).filter(({ local, noted }) =>
    local === true && !(notesReads && noted)
  );
}
