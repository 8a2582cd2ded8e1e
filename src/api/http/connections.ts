import type { Server } from 'node:http';
import { Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { clientNetwork } from '../../lib/trusted-proxies.ts';
import type { ServerLimits } from './server.ts';

/**
 * The connections of a server that have sent nothing, which clients open in advance. Node counts them as busy until the
 * time limit for the head of their first request.
 */
export class SilentConnections {
  readonly #sockets = new Set<Socket>();

  constructor(server: Server | TlsServer) {
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  close(): void {
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
  }
}

/**
 * Closes connections of a client that has many already, so that one client cannot take all that a server has, whether
 * it sends nothing, half a head, or requests. Connections of proxies and of unix sockets are not counted.
 */
export class ConnectionShares {
  readonly #most: number;
  readonly #open = new Map<string, number>();

  /** `most` is the number of connections of one client; each connection that is closed emits `drop`. */
  constructor(server: Server | TlsServer, most: number, isProxy: (address: string) => boolean) {
    this.#most = most;
    server.on('connection', (socket: Socket) => {
      const address = socket.remoteAddress;
      if (address === undefined || isProxy(address)) return;
      if (this.#take(socket, clientNetwork(address))) return;
      server.emit('drop', { remoteAddress: address });
      socket.destroy();
    });
  }

  #take(socket: Socket, client: string): boolean {
    const open = this.#open.get(client) ?? 0;
    if (open >= this.#most) return false;
    this.#open.set(client, open + 1);
    socket.once('close', () => this.#leave(client));
    return true;
  }

  #leave(client: string): void {
    const left = this.#open.get(client)! - 1;
    if (left === 0) this.#open.delete(client);
    else this.#open.set(client, left);
  }
}

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
