import { Server, type ServerCredentials, type ServerInterceptor, type ServerOptions } from '@grpc/grpc-js';
import { formatAddress, type Address } from '../../lib/address.ts';
import { forOwnerOnly, removeStaleSocket } from '../../lib/unix-socket.ts';
import { EndlessCalls } from './endless-calls.ts';
import { addHealth } from './health.ts';
import { observeCalls, type GrpcExchange } from './observe-calls.ts';
import { addReflection } from './reflection.ts';
import type { Schema } from './message/index.ts';

export interface GrpcServerOptions {
  readonly address: Address;
  readonly credentials: ServerCredentials;
  readonly schema: Schema;
  /** Full names of the services that the health service reports on. */
  readonly services: readonly string[];
  /** Calls its listener with whether the server is ready, now and whenever that changes. */
  readonly followReadiness?: (listener: (ready: boolean) => void) => void;
  /** Offers reflection, so that clients need no proto files. */
  readonly reflection: boolean;
  /** Largest message in either direction, in bytes. */
  readonly maxMessageBytes: number;
  /** Told of each call when it has ended; must not throw. */
  readonly observe?: (exchange: GrpcExchange) => void;
  /** What stands before every call. */
  readonly gate?: ServerInterceptor;
  /** Adds the services themselves. */
  readonly serve: (server: Server) => void;
}

export interface GrpcServer {
  /** The target that clients connect to: `host:port`, or `unix:/path`. */
  readonly url: string;
  /** Reports NOT_SERVING, ends endless calls, waits for the others, and cuts off those that take longer. Safe twice. */
  stop(graceMs: number): Promise<void>;
}

/** A client that is gone without a word is noticed within these; one that is idle is let go after a while. */
const CONNECTIONS: ServerOptions = {
  'grpc.keepalive_time_ms': 60_000,
  'grpc.keepalive_timeout_ms': 20_000,
  'grpc.max_connection_idle_ms': 30 * 60_000,
  'grpc.max_concurrent_streams': 1000,
};

/** Serves; rejects with a one-line reason when the address cannot be had. */
export async function startGrpcServer(options: GrpcServerOptions): Promise<GrpcServer> {
  const { address, maxMessageBytes, schema } = options;
  const endless = new EndlessCalls();
  const server = new Server({
    ...CONNECTIONS,
    'grpc.max_receive_message_length': maxMessageBytes,
    // What is too much for an answer is refused by name where it is encoded.
    'grpc.max_send_message_length': -1,
    interceptors: [...(options.observe ? [observeCalls(options.observe)] : []), endless.interceptor, ...(options.gate ? [options.gate] : [])],
  });
  options.serve(server);
  if (options.reflection) addReflection(server, schema);
  const health = addHealth(server, options.services, options.followReadiness);
  if (address.kind === 'unix') await removeStaleSocket(address.path);
  const port = await bind(server, address, options.credentials);
  if (address.kind === 'unix') await forOwnerOnly(address.path, () => server.forceShutdown());
  const url = address.kind === 'unix' ? formatAddress(address) : formatAddress({ ...address, host: shownHost(address.host), port });
  return { url, stop: stopOnce(server, () => {
    health.stop();
    endless.end();
  }) };
}

/** As clients on this machine write it. */
const shownHost = (host: string | undefined): string => (host === undefined || host === '::' || host === '0.0.0.0' ? 'localhost' : host);

/** Without a host on every interface, also where there is no IPv6. */
export async function bind(server: Server, address: Address, credentials: ServerCredentials): Promise<number> {
  const targets = address.kind === 'tcp' && address.host === undefined ? [`[::]:${address.port}`, `0.0.0.0:${address.port}`] : [formatAddress(address)];
  let failure: Error | undefined;
  for (const target of targets) {
    try {
      return await bindTo(server, target, credentials);
    } catch (error) {
      failure ??= error as Error;
      if (!(error as Error).message.includes('EAFNOSUPPORT')) break;
    }
  }
  throw new Error(reasonOf(failure!.message, formatAddress(address)), { cause: failure });
}

function bindTo(server: Server, target: string, credentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(target, credentials, (error, port) => (error === null ? resolve(port) : reject(error)));
  });
}

function reasonOf(message: string, address: string): string {
  if (message.includes('EADDRINUSE')) return `address ${address} is already in use; stop the other program or choose another address`;
  if (message.includes('EACCES')) return `address ${address} may not be used by this user; choose another one`;
  return `cannot listen on ${address}: ${message}`;
}

/** Stops a server as `GrpcServer.stop` says. `announce` is called first. */
export function stopOnce(server: Server, announce: () => void): GrpcServer['stop'] {
  let stopping: Promise<void> | undefined;
  return (graceMs) => (stopping ??= stop(server, announce, graceMs));
}

/** A connection that broke in the middle of something may never be told to have closed; it is waited for no longer than this. */
const CUT_OFF_MS = 1000;

async function stop(server: Server, announce: () => void, graceMs: number): Promise<void> {
  announce();
  const done = Promise.withResolvers<void>();
  server.tryShutdown(() => done.resolve());
  let last: NodeJS.Timeout | undefined;
  const late = setTimeout(() => {
    server.forceShutdown();
    last = setTimeout(done.resolve, CUT_OFF_MS);
  }, graceMs);
  await done.promise;
  clearTimeout(late);
  clearTimeout(last);
}
