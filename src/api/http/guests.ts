import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { ServerLimits } from './server.ts';

/** While leaving, how often connections are looked at that have answered their last request. */
const IDLE_CHECK_MS = 20;

/** The connections of a server that others accept: it does not count them itself. */
export class Guests {
  readonly #server: Server | TlsServer;
  readonly #limits: Pick<ServerLimits, 'connections'>;
  readonly #sockets = new Set<Socket>();
  #left: (() => void) | undefined;

  constructor(server: Server | TlsServer, limits: Pick<ServerLimits, 'connections'>) {
    this.#server = server;
    this.#limits = limits;
    // A server watches the time of its requests from the moment at which it listens.
    server.emit('listening');
  }

  /** Serves a connection of which nothing has been read. */
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
    // As the connections of an HTTP server are: a client that has sent all may close its side.
    socket.allowHalfOpen = true;
    this.#server.emit('connection', socket);
    socket.resume();
  }

  /** Waits for the requests in flight and cuts off those that are still running when the time is up. */
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
