import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer, Server as TlsServer } from 'node:https';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { silentLog, type Log } from '../../lib/log.ts';
import { tlsOptions, type TlsSource } from '../../lib/tls.ts';
import { startListening } from '../../lib/unix-socket.ts';
import { Guests } from './guests.ts';
import { BodyWatch, USUAL_PACE, type BodyPace } from './body-pace.ts';
import { answerBrokenRequest } from './broken-request.ts';
import type { ErrorFormat } from './errors.ts';
import { shownListen, type Listen } from './listen-on.ts';

const KEEP_ALIVE_MS = 65_000;
const MAX_HEADER_BYTES = 16_384;

/** What a server puts up with from clients that are slow, or many. */
export interface ServerLimits {
  /** Milliseconds within which the head of a request must be there, counted from the connection or the first of its bytes. */
  readonly headMs: number;
  readonly bodies: BodyPace;
  /** Milliseconds after which a client is given up that takes in nothing of its answer. */
  readonly stallMs: number;
  /** Connections that are open at once; further ones are closed unheard. */
  readonly connections: number;
}

/** Files that the process may open are needed for the database, too. */
export const USUAL_LIMITS: ServerLimits = { headMs: 20_000, bodies: USUAL_PACE, stallMs: 60_000, connections: 8192 };

/** One line a minute says that connections were turned away. */
const TOLD_EVERY_MS = 60_000;

export interface ServerExtras {
  /** Serves over TLS; connections that are open keep the certificate that they began with when another one comes. */
  readonly tls?: TlsSource | undefined;
  readonly log?: Log;
  readonly limits?: ServerLimits;
  /** Who accepts the connections; by default, the server itself does. */
  readonly door?: Door | undefined;
}

/** Where the connections of a server come from that does not accept them itself. */
export interface Door {
  /** Begins to hand over connections, of which nothing has been read. Resolves with the address that was really taken. */
  open(listen: Listen, take: (socket: Socket) => void): Promise<AddressInfo | undefined>;
  /** Hands over no more. */
  close(): void;
}

/** While stopping, how often connections are looked at that have answered their last request. */
const IDLE_CHECK_MS = 20;

export interface HttpServer {
  /** Base URL for clients on this machine, with the port that was really taken; `unix:/path` for a socket. */
  readonly url: string;
  /**
   * Refuses new connections and waits for the requests in flight; those that are still running
   * when the time is up are cut off. Safe to call twice.
   */
  stop(graceMs: number): Promise<void>;
}

/** Listens, over TLS where there are certificates, and on a unix socket for the user of this process only; rejects with a one-line reason when the address cannot be had. */
export async function startHttpServer(listener: RequestListener, listen: Listen, errors: ErrorFormat, { tls, log = silentLog, limits = USUAL_LIMITS, door }: ServerExtras = {}): Promise<HttpServer> {
  const bodies = new BodyWatch(limits.bodies, ({ socket }, { headersSent }) => (headersSent ? socket.destroy() : answerBrokenRequest(tooSlow(), socket, errors)));
  const watched: RequestListener = (request, response) => {
    bodies.watch(request, response);
    // What takes long to be answered has nothing to send meanwhile, and may.
    response.setTimeout(limits.stallMs, () => void (request.socket.writableLength > 0 && request.socket.destroy()));
    listener(request, response);
  };
  const options = optionsOf(limits);
  const server = tls === undefined ? createServer(options, watched) : createTlsServer({ ...options, handshakeTimeout: limits.headMs, ...tlsOptions(tls.current) }, watched);
  const forget = server instanceof TlsServer ? tls?.onChange((material) => server.setSecureContext(tlsOptions(material))) : undefined;
  server.maxConnections = limits.connections;
  tellDrops(server, log, limits);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => answerBrokenRequest(error, socket, errors));
  // An expectation that we do not know may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', watched);
  const shown = shownListen(listen);
  const guests = door && new Guests(server, limits);
  let address: AddressInfo | undefined;
  try {
    address = guests === undefined ? await startListening(server, listen) : await door!.open(listen, (socket) => guests.take(socket));
  } catch (error) {
    bodies.stop();
    forget?.();
    throw new Error(reasonOf(error as NodeJS.ErrnoException, shown), { cause: error });
  }
  const url = 'path' in listen || address === undefined ? shown : urlOf(address, tls !== undefined);
  const close = async (graceMs: number): Promise<void> => {
    door?.close();
    await (guests === undefined ? stop(server, graceMs) : guests.leave(graceMs));
  };
  return { url, stop: stopOnce(close, () => {
    forget?.();
    bodies.stop();
  }) };
}

function urlOf({ port, address }: AddressInfo, isSecure: boolean): string {
  const host = address === '::' || address === '0.0.0.0' ? 'localhost' : address;
  return `${isSecure ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** A limit for whole requests would cut off uploads that are large: `BodyWatch` asks for a pace instead. */
function optionsOf({ headMs }: ServerLimits): ServerOptions {
  return { keepAliveTimeout: KEEP_ALIVE_MS, maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: headMs, requestTimeout: 0, connectionsCheckingInterval: Math.ceil(headMs / 4) };
}

/** As Node calls a head that does not come. */
function tooSlow(): NodeJS.ErrnoException {
  return Object.assign(new Error('the body came too slowly'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
}

function tellDrops(server: Server | TlsServer, log: Log, { connections }: ServerLimits): void {
  let toldAt = -Infinity;
  server.on('drop', () => {
    const now = performance.now();
    if (now - toldAt < TOLD_EVERY_MS) return;
    toldAt = now;
    log.warn({ connections }, 'connections are turned away: there are too many');
  });
}

function reasonOf(error: NodeJS.ErrnoException, address: string): string {
  if (error.code === 'EADDRINUSE') return `address ${address} is already in use; stop the other program or choose another address`;
  if (error.code === 'EACCES') return `address ${address} may not be used by this user; choose a port above 1023, or a socket in a folder of yours`;
  return `cannot listen on ${address}: ${error.message}`;
}

function stopOnce(close: (graceMs: number) => Promise<void>, closed: () => void): (graceMs: number) => Promise<void> {
  let stopping: Promise<void> | undefined;
  return (graceMs) => (stopping ??= close(graceMs).finally(closed));
}

async function stop(server: Server | TlsServer, graceMs: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  // A connection that becomes idle only now would be kept alive for its client's next request.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const late = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
}
