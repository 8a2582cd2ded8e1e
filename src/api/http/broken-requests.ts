import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, ServiceError } from '../../errors/index.ts';
import { SECURITY_HEADERS } from '../../lib/headers.ts';
import { whenClosed } from '../../lib/responses.ts';
import { type ErrorFormat, errorOf } from './errors.ts';

/**
 * Responds to bytes that are not HTTP when every request before them on their connection has its response. Otherwise
 * those responses would be lost, and the client would take the error for the response to the first of these requests,
 * which may have written something.
 */
export class BrokenRequests {
  readonly #responses: RawResponses;
  readonly #last = new WeakMap<Duplex, ServerResponse>();
  readonly #broken = new WeakSet<Duplex>();
  readonly #answered = new WeakSet<Duplex>();

  constructor(responses: RawResponses) {
    this.#responses = responses;
  }

  /** Call this for each request as soon as its head has been parsed. */
  note(response: ServerResponse): void {
    this.#last.set(response.req.socket, response);
  }

  /** What the connection receives afterwards is ignored until the response is sent, and then ends it. */
  answer(error: NodeJS.ErrnoException, socket: Duplex): void {
    if (this.#answered.has(socket)) socket.destroy();
    if (this.#broken.has(socket)) return;
    this.#broken.add(socket);
    const last = this.#last.get(socket);
    const end = (): void => this.#end(error, socket);
    if (last === undefined || error.code === 'ECONNRESET') end();
    else if (last.req.complete) whenClosed(last, end);
    // Its own body is broken; it has its socket when it is its turn.
    else if (last.socket === null && !last.destroyed) last.once('socket', end);
    else end();
  }

  #end(error: NodeJS.ErrnoException, socket: Duplex): void {
    // The last response has closed the connection.
    if (socket.writableEnded) return;
    this.#answered.add(socket);
    answerBrokenRequest(error, socket, this.#responses);
  }
}

interface Fault {
  readonly status: number;
  readonly code: ErrorCode;
  readonly reason: string;
}

/** By the error codes of Node and its parser. */
const FAULTS: Readonly<Record<string, Fault>> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'invalid_argument', reason: 'the headers of the request are too large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    code: 'payload_too_large',
    reason: 'the chunk extensions of the body are too large',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'request_timeout', reason: 'the request did not arrive in time' },
};

const INVALID: Fault = { status: 400, code: 'invalid_argument', reason: 'the request is not valid HTTP' };

export interface RawResponses {
  readonly format: ErrorFormat;
  /**
   * Milliseconds after which a connection is cut off whose client has been sent a response and does not close its side.
   */
  readonly lingerMs: number;
}

/**
 * Responds to bytes that are not HTTP, for which no request object exists, with an error body in the usual form, and
 * closes the connection. Does nothing if the client has already disconnected.
 */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex, responses: RawResponses): void {
  if (error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { status, code, reason } = FAULTS[error.code ?? ''] ?? INVALID;
  endWith(new ServiceError(code, reason, { cause: error }), socket, responses, status);
}

/**
 * Responds to a request in place of its handler, and closes the connection; `status` if it is not that of the error.
 */
export function endWith(error: ServiceError, socket: Duplex, { format, lingerMs }: RawResponses,
  status?: number): void
{
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID().replaceAll('-', '').slice(0, 16);
  const shown = errorOf(error, format);
  const body = JSON.stringify(format.body(shown, requestId));
  const headers = Object.entries({ ...Object.fromEntries(SECURITY_HEADERS), ...shown.headers, Connection: 'close' });
  socket.end(
    [`HTTP/1.1 ${status ?? shown.status} ${STATUS_CODES[status ?? shown.status]}`,
      'Content-Type: application/json; charset=utf-8', `Content-Length: ${Buffer.byteLength(body)}`,
      ...headers.map(([name, value]) => `${name}: ${value}`), '', body].join('\r\n'),
  );
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
