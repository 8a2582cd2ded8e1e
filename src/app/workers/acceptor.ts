import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { SocketSource } from '../../api/http/index.ts';
import { startListening } from '../../lib/address.ts';

/** A process that takes connections: a worker, or the primary itself. */
export interface Taker {
  /** Neither throws nor waits. */
  take(socket: Socket): void;
}

/**
 * Accepts the connections of a port in the primary and hands them out in turn, to the primary itself as well. No data
 * is read from a connection before it is assigned to a process, so a connection that a dying worker has not taken is
 * given to another.
 */
export class Acceptor implements SocketSource {
  readonly #workers: () => readonly Taker[];
  #server: Server | undefined;
  #own: Taker | undefined;
  #turn = 0;

  /** `workers` returns those that can currently take a connection. */
  constructor(workers: () => readonly Taker[]) {
    this.#workers = workers;
  }

  async open(listen: Parameters<SocketSource['open']>[0],
    take: (socket: Socket) => void): Promise<AddressInfo | undefined>
  {
    this.#own = { take };
    const server = createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true }, (socket) => {
      // A client that disconnects before it is served is not an error.
      socket.on('error', () => undefined);
      this.hand(socket);
    });
    this.#server = server;
    return startListening(server, listen);
  }

  close(): void {
    this.#server?.close();
  }

  /** Hands a connection to the process whose turn it is. */
  hand(socket: Socket): void {
    const takers = [this.#own!, ...this.#workers()];
    this.#turn = (this.#turn + 1) % takers.length;
    takers[this.#turn]!.take(socket);
  }
}
