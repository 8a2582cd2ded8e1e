import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A network between two programs that a test can interrupt. */
export class TcpProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Bytes that came from clients. */
  received = 0;
  #isCut = false;
  /** Where new connections go. */
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
      if (this.#isCut) for (const socket of [client, upstream]) socket.pause();
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

  /** Nothing passes, and nobody is told. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** Connections that are open carry nothing any more, and nobody is told; new ones work. */
  strand(): void {
    this.cut();
    this.#isCut = false;
  }

  /** What was on its way arrives. */
  mend(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.resume();
  }

  /** Breaks all connections; new ones can be made. */
  drop(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.drop();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
