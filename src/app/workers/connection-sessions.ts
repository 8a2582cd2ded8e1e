import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { LSN_HEADER, MIN_LSN_HEADER } from '../../operations/index.ts';

const LSN = LSN_HEADER.toLowerCase();
const MIN_LSN = MIN_LSN_HEADER.toLowerCase();

/**
 * The LSN that each connection has written, so that its later reads see the write here, although the primary wrote it.
 */
export class ConnectionSessions {
  readonly #written = new WeakMap<Socket, number>();

  /** Records the LSN of a response that the primary sent. */
  note({ socket }: IncomingMessage, answer: IncomingHttpHeaders): void {
    const lsn = Number(answer[LSN]);
    if (lsn > (this.#written.get(socket) ?? 0)) this.#written.set(socket, lsn);
  }

  /** Makes a request wait for what its connection has written. An invalid header is kept, so that it is rejected. */
  continue({ socket, headers }: IncomingMessage): void {
    const written = this.#written.get(socket);
    if (written === undefined) return;
    const named = headers[MIN_LSN];
    if (named === undefined || Number(named) < written) headers[MIN_LSN] = String(written);
  }
}
