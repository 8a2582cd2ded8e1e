import { Server, type ServerCredentials, ServerInterceptingCall, type ServerInterceptingCallInterface,
  type ServerInterceptor, type ServerOptions, setLogger, status } from '@grpc/grpc-js';
import { stderr } from 'node:process';
import { format } from 'node:util';
import { type Address, formatAddress, forOwnerOnly, removeStaleSocket } from '../../lib/address.ts';
import type { Schema } from './message/plan.ts';
import { addHealth, addReflection } from './standard-services.ts';

export interface GrpcServerOptions {
  readonly address: Address;
  readonly credentials: ServerCredentials;
  readonly schema: Schema;
  /** Full names of the services that the health service reports. */
  readonly services: readonly string[];
  /** Calls its listener with the server's readiness, immediately and at each change. */
  readonly followReadiness?: (listener: (ready: boolean) => void) => void;
  /** Offers reflection, so that clients need no proto files. */
  readonly reflection: boolean;
  /** Largest message in either direction, in bytes. */
  readonly maxMessageBytes: number;
  /** Called when a call has ended; must not throw. */
  readonly observe?: (exchange: GrpcExchange) => void;
  /** Interceptors that run before every call. */
  readonly gate?: ServerInterceptor;
  /** Registers the services. */
  readonly serve: (server: Server) => void;
}

export interface GrpcServer {
  /** The target that clients connect to: `host:port`, or `unix:/path`. */
  readonly url: string;
  /**
   * Reports NOT_SERVING, ends endless calls, waits for the others, and aborts those that take longer. Safe to call
   * twice.
   */
  stop(graceMs: number): Promise<void>;
}

/**
 * A client that disappeared without closing its connection is detected after the keepalive time and timeout; an idle
 * client is disconnected after 30 minutes.
 */
const CONNECTIONS: ServerOptions = {
  'grpc.keepalive_time_ms': 60_000,
  'grpc.keepalive_timeout_ms': 20_000,
  'grpc.max_connection_idle_ms': 30 * 60_000,
  'grpc.max_concurrent_streams': 1000,
};

/** Starts the server; rejects with a one-line reason if the address is not available. */
export async function startGrpcServer(options: GrpcServerOptions): Promise<GrpcServer> {
  const { address, maxMessageBytes, schema } = options;
  const endless = new EndlessCalls();
  const server = new Server({
    ...CONNECTIONS,
    'grpc.max_receive_message_length': maxMessageBytes,
    // Responses that are too large are rejected with a named error where they are encoded.
    'grpc.max_send_message_length': -1,
    interceptors: [...(options.observe ? [observeCalls(options.observe)] : []), endless.interceptor,
      ...(options.gate ? [options.gate] : [])],
  });
  options.serve(server);
  if (options.reflection) addReflection(server, schema);
  const health = addHealth(server, options.services, options.followReadiness);
  if (address.kind === 'unix') await removeStaleSocket(address.path);
  const port = await bind(server, address, options.credentials);
  if (address.kind === 'unix') await forOwnerOnly(address.path, () => server.forceShutdown());
  const url = address.kind === 'unix'
    ? formatAddress(address)
    : formatAddress({ ...address, host: shownHost(address.host), port });
  return {
    url,
    stop: stopOnce(server, () => {
      health.stop();
      endless.end();
    }),
  };
}

/** The address as clients on this machine write it. */
const shownHost = (
  host: string | undefined,
): string => (host === undefined || host === '::' || host === '0.0.0.0' ? 'localhost' : host);

/** Without a host, listens on every interface, also where there is no IPv6. */
export async function bind(server: Server, address: Address, credentials: ServerCredentials): Promise<number> {
  const targets = address.kind === 'tcp' && address.host === undefined
    ? [`[::]:${address.port}`, `0.0.0.0:${address.port}`]
    : [formatAddress(address)];
  filterLibraryLog();
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
  if (message.includes('EADDRINUSE'))
    return `address ${address} is already in use; stop the other program or choose another address`;
  if (message.includes('EACCES')) return `address ${address} may not be used by this user; choose another one`;
  return `cannot listen on ${address}: ${message}`;
}

/** Stops a server, as described at `GrpcServer.stop`. `announce` is called first. */
export function stopOnce(server: Server, announce: () => void): GrpcServer['stop'] {
  let stopping: Promise<void> | undefined;
  return (graceMs) => (stopping ??= stop(server, announce, graceMs));
}

/**
 * A connection that broke during a call may never be reported as closed; the server waits for it no longer than this.
 */
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

/**
 * What the library prints about an address that cannot be bound; the server rejects with the reason, which is then
 * printed alone.
 */
const TOLD = /^No address added out of total/;

/** Prints what the library logs (`GRPC_VERBOSITY`) as it does itself, except what is told otherwise. */
function filterLibraryLog(): void {
  const line = (severity: string) => (message: unknown, ...more: unknown[]): void => {
    if (!TOLD.test(String(message))) stderr.write(`${format(`${severity} ${String(message)}`, ...more)}\n`);
  };
  setLogger({ error: line('E'), info: line('I'), debug: line('D') });
}

/** Calls without an end of their own, by their paths. */
const ENDLESS = /\/(Watch|StreamBinlog|ServerReflectionInfo)$/;

/** The open calls that would prevent a server from stopping. */
class EndlessCalls {
  readonly #open = new Set<ServerInterceptingCallInterface>();

  /** Tracks the endless calls of a server. */
  readonly interceptor: ServerInterceptor = (method, call) => {
    if (!ENDLESS.test(method.path)) return call as ServerInterceptingCall;
    this.#open.add(call);
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onCancel: () => void this.#open.delete(call),
        }),
    });
  };

  /** Ends all of them with a status that tells the client to reconnect, to another server or later. */
  end(): void {
    for (const call of this.#open) call.sendStatus({ code: status.UNAVAILABLE, details: 'the server is stopping' });
    this.#open.clear();
  }
}

/** One ended call; `method` is the full name of a method that the server has. */
interface GrpcExchange {
  readonly method: string;
  /** Name of the status, such as `OK`. */
  readonly code: string;
}

/**
 * Reports each call once, when its status is sent or its client has disconnected (`CANCELLED`). It must be the first
 * interceptor, so that it sees what the others send. Calls of unknown methods never reach it.
 */
function observeCalls(observe: (exchange: GrpcExchange) => void): ServerInterceptor {
  return ({ path }, call) => {
    const method = path.slice(1);
    let isObserved = false;
    const onEnd = (code: status): void => {
      if (isObserved) return;
      isObserved = true;
      observe({ method, code: status[code] });
    };
    return new ObservedCall(call, onEnd);
  };
}

class ObservedCall extends ServerInterceptingCall {
  readonly #onEnd: (code: status) => void;

  constructor(call: ServerInterceptingCallInterface, onEnd: (code: status) => void) {
    super(call, { start: (next) => next({ onCancel: () => onEnd(status.CANCELLED) }) });
    this.#onEnd = onEnd;
  }

  override sendStatus(ending: Parameters<ServerInterceptingCall['sendStatus']>[0]): void {
    this.#onEnd(ending.code);
    super.sendStatus(ending);
  }
}
