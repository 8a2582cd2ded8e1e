import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { TlsMaterial, TlsSource } from '../../lib/tls.ts';
import { carry } from './exchange.ts';
import type { Http3Library, Http3Server, Http3Session, Http3Stream } from './library.ts';

/** Requests in progress on one connection, the same limit as browsers' HTTP/2. */
const STREAMS = 100;
const CONNECTIONS = 8192;
const IDLE_MS = 65_000;
const ATTEMPTS = 20;
const ATTEMPT_EVERY_MS = 100;

/** Port 0 lets the operating system choose. */
interface PortToTake {
  readonly port: number;
  readonly host?: string;
}

export interface QuicListenerOptions {
  readonly library: Http3Library;
  readonly tls: TlsSource;
  /** Called if the port could not be opened again after the certificate was replaced. */
  readonly onLost: (error: Error) => void;
}

/**
 * The QUIC port of a server (RFC 9114): passes on each request as a connection of its own. A new certificate requires
 * reopening the port, which ends the open connections; their clients reconnect.
 */
export class QuicListener {
  readonly #options: QuicListenerOptions;
  readonly #sessions = new Map<number, Http3Session>();
  #server: Http3Server | undefined;
  #forget: () => void = () => undefined;
  #changing: Promise<void> = Promise.resolve();
  #take: ((socket: Socket) => void) | undefined;

  constructor(options: QuicListenerOptions) {
    this.#options = options;
  }

  /** Rejects if the port is not available. */
  async open(listen: PortToTake, take: (socket: Socket) => void): Promise<AddressInfo> {
    this.#take = take;
    const address = await this.#listen(this.#options.tls.current, listen);
    const again = { ...listen, port: address.port };
    this.#forget = this.#options.tls.onChange((material) => {
      this.#changing = this.#changing.then(() => this.#replace(material, again)).catch(this.#options.onLost);
    });
    return address;
  }

  /** Rejects new requests; those in progress continue. */
  close(): void {
    this.#take = undefined;
    this.#forget();
  }

  /** Ends the connections and closes the port. */
  async shut(): Promise<void> {
    this.close();
    await this.#changing;
    await this.#server?.close();
  }

  async #replace(material: TlsMaterial, listen: PortToTake): Promise<void> {
    await this.#server?.close();
    this.#sessions.clear();
    await this.#listen(material, listen);
  }

  /**
   * The library also opens the TCP port with the same number. One of the two may be in use: by another process, or for
   * a moment by the previous server.
   */
  async #listen(material: TlsMaterial, listen: PortToTake): Promise<AddressInfo> {
    for (let attempt = 1;; attempt++) {
      try {
        return await this.#listenOnce(material, listen);
      } catch (error) {
        const mayPass = listen.port === 0 || this.#server !== undefined;
        if (!mayPass || attempt === ATTEMPTS) throw error;
        await setTimeout(ATTEMPT_EVERY_MS);
      }
    }
  }

  async #listenOnce({ key, cert }: TlsMaterial, { port, host }: PortToTake): Promise<AddressInfo> {
    const server = this.#options.library.createSecureServer({
      key,
      cert,
      runtimeMode: 'portable',
      maxConnections: CONNECTIONS,
      initialMaxStreamsBidi: STREAMS,
      maxIdleTimeoutMs: IDLE_MS,
    });
    server.on('session', (session) => this.#know(session));
    server.on('stream', (stream, headers, { endStream }) => this.#serve(stream, headers, endStream));
    server.listen(port, host);
    await once(server, 'listening');
    // Errors of a single connection are ignored, because they concern its client only.
    server.on('error', () => undefined);
    this.#server = server;
    return server.address()!;
  }

  #know(session: Http3Session): void {
    if (session.alpnProtocol !== 'h3') return;
    this.#sessions.set(session._connHandle, session);
    session.once('close', () => this.#sessions.delete(session._connHandle));
  }

  #serve(stream: Http3Stream, headers: Record<string, string | string[]>, isWhole: boolean): void {
    const session = this.#sessions.get(stream._connHandle);
    // The library also serves HTTP/2 on the TCP port with the same number; there the client's address is unknown.
    if (session === undefined) refuse(stream, 421);
    else if (this.#take === undefined) refuse(stream, 503);
    else carry({ stream, headers, isWhole, remoteAddress: session.remoteAddress }, this.#take);
  }
}

function refuse(stream: Http3Stream, status: 421 | 503): void {
  stream.on('error', () => undefined);
  stream.respond({ ':status': String(status) });
  stream.end();
}
