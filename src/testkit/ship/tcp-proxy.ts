import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A network between two programs, which a test can interrupt. */
export class TcpProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Number of bytes received from clients. */
  received = 0;
  #isCut = false;
  /** Target of new connections. */
  target: { readonly host: string; readonly port: number };

  private constructor(target: TcpProxy['target']) {
    this.target = target;
    this.#server = createServer((client) => {
      const upstream = connect(this.target);
      for (const socket of [client, upstream]) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
        if (this.#isCut) socket.pause();
      }
      client.on('data', (bytes) => {
        this.received += bytes.length;
        upstream.write(bytes);
      });
      upstream.on('data', (bytes) => client.write(bytes));
      client.on('close', () => upstream.destroy());
      upstream.on('close', () => client.destroy());
      if (this.#isCut) { for (const socket of [client, upstream]) socket.pause(); }
    });
  }

  static async start(target: TcpProxy['target'], host = '127.0.0.1'): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    proxy.#server.listen(0, host);
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** No data passes, and neither side is notified. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** Open connections no longer carry data, without notification; new ones work. */
  strand(): void {
    this.cut();
    this.#isCut = false;
  }

  /** Delivers data that was held back. */
  heal(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.resume();
  }

  /** Breaks all connections; new ones are possible. */
  drop(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.drop();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
