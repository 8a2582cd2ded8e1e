import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type TlsMaterial, tlsOptions } from '../../lib/tls.ts';
import { answerBrokenRequest } from './broken-request.ts';
import type { ErrorFormat } from './errors.ts';

const KEEP_ALIVE_MS = 65_000;
const MAX_HEADER_BYTES = 16_384;

/** While stopping, how often connections are looked at that have answered their last request. */
const IDLE_CHECK_MS = 20;

export interface HttpServer {
  /** Where it listens, with the port that was really taken. */
  readonly address: { readonly host: string; readonly port: number };
  /** Base URL for clients on this machine. */
  readonly url: string;
  /**
   * Refuses new connections and waits for the requests in flight; those that are still running
   * when the time is up are cut off. Safe to call twice.
   */
  stop(graceMs: number): Promise<void>;
}

/** Listens, over TLS where there are certificates; rejects with a one-line reason when the address cannot be had. */
export async function startHttpServer(listener: RequestListener, listen: { host?: string; port: number }, errors: ErrorFormat, tls?: TlsMaterial): Promise<HttpServer> {
  const options = { keepAliveTimeout: KEEP_ALIVE_MS, maxHeaderSize: MAX_HEADER_BYTES };
  const server = tls === undefined ? createServer(options, listener) : createTlsServer({ ...options, ...tlsOptions(tls) }, listener);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => answerBrokenRequest(error, socket, errors));
  // An expectation that we do not know may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', listener);
  const shown = `${listen.host ?? ''}:${listen.port}`;
  try {
    server.listen(listen);
    await once(server, 'listening');
  } catch (error) {
    throw new Error(reasonOf(error as NodeJS.ErrnoException, shown), { cause: error });
  }
  const { port, address } = server.address() as AddressInfo;
  const host = address === '::' || address === '0.0.0.0' ? 'localhost' : address;
  return { address: { host: address, port }, url: `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`, stop: stopOnce(server) };
}

function reasonOf(error: NodeJS.ErrnoException, address: string): string {
  if (error.code === 'EADDRINUSE') return `address ${address} is already in use; stop the other program or choose another address`;
  if (error.code === 'EACCES') return `address ${address} may not be used by this user; choose a port above 1023`;
  return `cannot listen on ${address}: ${error.message}`;
}

function stopOnce(server: Server | TlsServer): (graceMs: number) => Promise<void> {
  let stopping: Promise<void> | undefined;
  return (graceMs) => (stopping ??= stop(server, graceMs));
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
