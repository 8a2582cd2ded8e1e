import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { clientNetwork } from '../../lib/trusted-proxies.ts';

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
