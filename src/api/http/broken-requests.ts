import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { whenClosed } from '../../lib/when-closed.ts';
import { answerBrokenRequest, type RawResponses } from './broken-request.ts';

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
