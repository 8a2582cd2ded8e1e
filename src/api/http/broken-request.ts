import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ServiceError } from '../../errors/index.ts';
import { SECURITY_HEADERS } from '../../lib/security-headers.ts';
import { toServiceError, type ErrorFormat } from './errors.ts';

/**
 * Answers what is not HTTP, so that no request object ever came of it, with an error body like all
 * others, and closes the connection. A client that has gone already is left alone.
 */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex, format: ErrorFormat): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
  const reason = status === 431 ? 'the headers of the request are too large' : 'the request is not valid HTTP';
  const requestId = randomUUID().replaceAll('-', '').slice(0, 16);
  const body = JSON.stringify(format.body(toServiceError(new ServiceError('invalid_argument', reason, { cause: error }), format), requestId));
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
