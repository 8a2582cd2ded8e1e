import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { ServerLimits } from './server.ts';

/** Milliseconds between two checks for idle connections while stopping. */
const IDLE_CHECK_MS = 20;

/** The connections of a server that another component accepts, because the server does not count them itself. */
export class HandedSockets {
  readonly #server: Server | TlsServer;
  readonly #limits: Pick<ServerLimits, 'connections'>;
  readonly #sockets = new Set<Socket>();
  #left: (() => void) | undefined;

  constructor(server: Server | TlsServer, limits: Pick<ServerLimits, 'connections'>) {
    this.#server = server;
    this.#limits = limits;
    // A server enforces the time limits of its requests only after the `listening` event.
    server.emit('listening');
  }

  /** Serves a connection from which nothing has been read. */
  take(socket: Socket): void {
    if (this.#left !== undefined || this.#sockets.size >= this.#limits.connections) {
      if (this.#left === undefined) this.#server.emit('drop', {});
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      if (this.#sockets.size === 0) this.#left?.();
    });
    // As for connections of an HTTP server: a client that has sent everything may close its side.
    socket.allowHalfOpen = true;
    this.#server.emit('connection', socket);
    socket.resume();
  }

  /** Waits for the requests in flight, and aborts those that are still running after `graceMs`. */
  async leave(graceMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#left = resolve;
    if (this.#sockets.size === 0) resolve();
    this.#server.close();
    this.#server.closeIdleConnections();
    const idle = setInterval(() => this.#server.closeIdleConnections(), IDLE_CHECK_MS);
    const late = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, graceMs);
    await promise;
    clearInterval(idle);
    clearTimeout(late);
  }
}
