import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, ServiceError } from '../../errors/index.ts';
import { SECURITY_HEADERS } from '../../lib/security-headers.ts';
import { type ErrorFormat, toServiceError } from './errors.ts';

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
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex, responses: RawResponses): void {
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
  const shown = toServiceError(error, format);
  const body = JSON.stringify(format.body(shown, requestId));
  const headers = Object.entries({ ...Object.fromEntries(SECURITY_HEADERS), ...shown.headers, Connection: 'close' });
  socket.end(
    [`HTTP/1.1 ${status ?? shown.status} ${STATUS_CODES[status ?? shown.status]}`,
      'Content-Type: application/json; charset=utf-8', `Content-Length: ${Buffer.byteLength(body)}`,
      ...headers.map(([name, value]) => `${name}: ${value}`), '', body].join('\r\n'),
  );
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
