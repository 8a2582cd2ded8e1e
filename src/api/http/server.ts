import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { bodyError } from '../../errors/index.ts';
import { type Address, formatAddress, startListening } from '../../lib/address.ts';
import { type Log, silentLog } from '../../lib/log.ts';
import { type ClientBounds, usualPace } from '../../lib/slow-bodies.ts';
import { tlsOptions, type TlsSource } from '../../lib/tls.ts';
import { type BodyLimits, BodyWatch } from './body-pace.ts';
import { BrokenRequests, endWith, type RawResponses } from './broken-requests.ts';
import { ConnectionShares, HandedSockets, SilentConnections } from './connections.ts';
import type { ErrorFormat } from './errors.ts';
import { openRequests } from './joined-responses.ts';

const KEEP_ALIVE_MS = 65_000;
const MAX_HEADER_BYTES = 16_384;

/** Limits of a server for slow clients and for many clients. */
export interface ServerLimits {
  /**
   * Milliseconds within which the head of a request must arrive, counted from the connection or from the first byte of
   * the head.
   */
  readonly headMs: number;
  readonly bodies: BodyLimits;
  /** Clients that read nothing of a response for this many milliseconds are disconnected. */
  readonly stallMs: number;
  /** Open connections; further ones are closed at once. */
  readonly connections: number;
  /** Of these, the open connections of one client. */
  readonly connectionsPerClient: number;
}

/** 8,192 connections leave file descriptors for the database. `bodyMs` is the longest for a JSON body. */
export function usualLimits(bodyMs?: number): ServerLimits {
  return {
    headMs: 20_000,
    bodies: { pace: usualPace(bodyMs), maxReadOnMs: 5000, checkMs: 1000 },
    stallMs: 60_000,
    connections: 8192,
    connectionsPerClient: 2048,
  };
}

/** Rejected connections are logged with at most one line a minute. */
const LOG_EVERY_MS = 60_000;

export interface ServerExtras {
  /** Serves over TLS; open connections keep their certificate when a new one is loaded. */
  readonly tls?: TlsSource | undefined;
  readonly log?: Log;
  readonly limits?: ServerLimits;
  /** Bounds what each client may hold; without it, as on connections within a service, nothing is bounded by client. */
  readonly clients?: ClientBounds | undefined;
  /** Accepts the connections; by default, the server itself does. */
  readonly sockets?: SocketSource | undefined;
}

/** The source of a server's connections if the server does not accept them itself. */
export interface SocketSource {
  /**
   * Begins to pass on connections, from which nothing has been read. Resolves with the address that is actually used.
   */
  open(listen: Listen, take: (socket: Socket) => void): Promise<AddressInfo | undefined>;
  /** Stops passing on connections. */
  close(): void;
}

/** Milliseconds between two checks for idle and silent connections while stopping. */
const IDLE_CHECK_MS = 20;

export interface HttpServer {
  /** Base URL for clients on this machine, with the port that is actually used; `unix:/path` for a socket. */
  readonly url: string;
  /**
   * Rejects new connections and waits for the requests in flight; those that are still running after `graceMs` are
   * aborted. Safe to call twice.
   */
  stop(graceMs: number): Promise<void>;
}

/**
 * Listens, over TLS if there are certificates; a unix socket is accessible to the user of this process only. Rejects
 * with a one-line reason if the address is not available.
 */
export async function startHttpServer(listener: RequestListener, listen: Listen, errors: ErrorFormat,
  { tls, log = silentLog, limits = usualLimits(), clients, sockets }: ServerExtras = {}): Promise<HttpServer>
{
  const responses: RawResponses = { format: errors, lingerMs: limits.bodies.maxReadOnMs };
  const bodies = new BodyWatch({
    limits: limits.bodies,
    clients,
    onGivenUp: ({ socket }, { headersSent },
      error) => (headersSent ? socket.destroy() : endWith(bodyError(error), socket, responses)),
  });
  const begin: RequestListener = (request, response) => {
    bodies.watch(request, response);
    // A request that is still being processed has nothing to send, and may take longer; only unread output is limited.
    response.setTimeout(limits.stallMs, () => void (request.socket.writableLength > 0 && request.socket.destroy()));
    listener(request, response);
  };
  const broken = new BrokenRequests(responses);
  // At the end of the turn of the event loop, when a short body has been parsed, which Node does after it has reported
  // the head.
  const watched: RequestListener = (request, response) => {
    broken.note(response);
    openRequests.add(response);
    setImmediate(begin, request, response);
  };
  const options = optionsOf(limits);
  const server = tls === undefined
    ? createServer(options, watched)
    : createTlsServer({ ...options, handshakeTimeout: limits.headMs, ...tlsOptions(tls.current) }, watched);
  const forget = server instanceof TlsServer
    ? tls?.onChange((material) => server.setSecureContext(tlsOptions(material)))
    : undefined;
  server.maxConnections = limits.connections;
  if (clients !== undefined) new ConnectionShares(server, limits.connectionsPerClient, clients.isProxy);
  logDrops(server, log);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => broken.answer(error, socket));
  server.on('checkContinue', (request, response) => {
    continueInTurn(response);
    watched(request, response);
  });
  // An unknown expectation may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', watched);
  const silent = new SilentConnections(server);
  const shown = shownListen(listen);
  const handed = sockets && new HandedSockets(server, limits);
  let address: AddressInfo | undefined;
  try {
    address = handed === undefined
      ? await startListening(server, listen)
      : await sockets!.open(listen, (socket) => handed.take(socket));
  } catch (error) {
    bodies.stop();
    forget?.();
    throw new Error(reasonOf(error as NodeJS.ErrnoException, shown), { cause: error });
  }
  const url = 'path' in listen || address === undefined ? shown : urlOf(address, tls !== undefined);
  const close = async (graceMs: number): Promise<void> => {
    sockets?.close();
    // Not at once: what they have sent may not have been read yet.
    const silence = setInterval(() => silent.close(), IDLE_CHECK_MS);
    await (handed === undefined ? stop(server, graceMs) : handed.leave(graceMs));
    clearInterval(silence);
  };
  return {
    url,
    stop: stopOnce(close, () => {
      forget?.();
      bodies.stop();
    }),
  };
}

function urlOf({ port, address }: AddressInfo, isSecure: boolean): string {
  const host = address === '::' || address === '0.0.0.0' ? 'localhost' : address;
  return `${isSecure ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * Tells the client to send the body, unless there is a response already when it is its turn on the connection. Node
 * would send that between head and body of a response that was written before.
 */
function continueInTurn(response: ServerResponse): void {
  const proceed = (): void => void (response.headersSent || response.writeContinue());
  if (response.socket === null) response.once('socket', proceed);
  else proceed();
}

/**
 * A time limit of Node for whole requests would cut off large uploads and count the server's own time: `BodyWatch`
 * limits bodies instead.
 */
function optionsOf({ headMs }: ServerLimits): ServerOptions {
  return {
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: headMs,
    requestTimeout: 0,
    connectionsCheckingInterval: Math.ceil(headMs / 4),
  };
}

function logDrops(server: Server | TlsServer, log: Log): void {
  let loggedAt = -Infinity;
  server.on('drop', ({ remoteAddress: lastOf } = {}) => {
    const now = performance.now();
    if (now - loggedAt < LOG_EVERY_MS) return;
    loggedAt = now;
    log.warn({ lastOf }, 'connections are rejected: there are too many');
  });
}

function reasonOf(error: NodeJS.ErrnoException, address: string): string {
  if (error.code === 'EADDRINUSE')
    return `address ${address} is already in use; stop the other program or choose another address`;
  if (error.code === 'EACCES')
    return `address ${address} may not be used by this user; choose a port above 1023, or a socket in a folder of yours`;
  return `cannot listen on ${address}: ${error.message}`;
}

function stopOnce(close: (graceMs: number) => Promise<void>, closed: () => void): (graceMs: number) => Promise<void> {
  let stopping: Promise<void> | undefined;
  return (graceMs) => (stopping ??= close(graceMs).finally(closed));
}

async function stop(server: Server | TlsServer, graceMs: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  // A connection that becomes idle only now would otherwise be kept alive for its client's next request.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const late = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
}

/** Where a server listens, in the form that Node's servers accept: a port or a unix socket. */
type Listen = { readonly host?: string; readonly port: number } | { readonly path: string };

export function listenOn(address: Address): Listen {
  if (address.kind === 'unix') return { path: address.path };
  return { port: address.port, host: address.host };
}

/** The address in the form that a user writes. */
function shownListen(listen: Listen): string {
  return 'path' in listen ? formatAddress({ kind: 'unix', path: listen.path }) : `${listen.host ?? ''}:${listen.port}`;
}
