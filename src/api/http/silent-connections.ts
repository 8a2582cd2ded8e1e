import type { Server } from 'node:http';
import { Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';

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
