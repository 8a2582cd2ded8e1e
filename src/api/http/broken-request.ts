import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ServiceError, type ErrorCode } from '../../errors/index.ts';
import { SECURITY_HEADERS } from '../../lib/security-headers.ts';
import { toServiceError, type ErrorFormat } from './errors.ts';

interface Fault {
  readonly status: number;
  readonly code: ErrorCode;
  readonly reason: string;
}

/** By the error codes of Node and its parser. */
const FAULTS: Readonly<Record<string, Fault>> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'invalid_argument', reason: 'the headers of the request are too large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, code: 'payload_too_large', reason: 'the chunk extensions of the body are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'request_timeout', reason: 'the request did not arrive in time' },
};

const INVALID: Fault = { status: 400, code: 'invalid_argument', reason: 'the request is not valid HTTP' };

/**
 * Responds to bytes that are not HTTP, for which no request object exists, with an error body in the usual form, and
 * closes the connection. Does nothing if the client has already disconnected.
 */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex, format: ErrorFormat): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, code, reason } = FAULTS[error.code ?? ''] ?? INVALID;
  const requestId = randomUUID().replaceAll('-', '').slice(0, 16);
  const body = JSON.stringify(format.body(toServiceError(new ServiceError(code, reason, { cause: error }), format), requestId));
  socket.end([
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...SECURITY_HEADERS.map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
    '',
    body,
  ].join('\r\n'));
}
