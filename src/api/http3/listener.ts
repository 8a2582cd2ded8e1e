import { type EventEmitter, once } from 'node:events';
import { type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { isInstalled } from '../../lib/files.ts';
import type { TlsMaterial, TlsSource } from '../../lib/tls.ts';

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

interface QuicListenerOptions {
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

/**
 * The package that implements QUIC, which Node lacks. Its native libraries take 120 MB, so users who want HTTP/3
 * install it beside this package.
 */
export const LIBRARY = '@currentspace/http3';

// Declares the part of the library's interface that is used, because the package is optional.

type Http3Headers = Record<string, string | string[]>;

/** A request and its response: the request's body is read from it, the response's is written to it. */
interface Http3Stream extends Duplex {
  /**
   * Identifies the connection; its sessions have the same number. -1 for HTTP/2, which the library serves over TCP on
   * the same port.
   */
  readonly _connHandle: number;
  respond(headers: Http3Headers, options?: { readonly endStream?: boolean }): void;
  /** Resets the stream with a code of RFC 9114, section 8.1. */
  close(code?: number): void;
  setTimeout(ms: number, callback?: () => void): this;
}

interface Http3Session {
  readonly _connHandle: number;
  readonly alpnProtocol: string;
  readonly remoteAddress: string;
  once(event: 'close', listener: () => void): this;
}

interface Http3Server extends EventEmitter {
  on(event: 'session', listener: (session: Http3Session) => void): this;
  on(event: 'stream',
    listener: (stream: Http3Stream, headers: Http3Headers, flags: { readonly endStream: boolean }) => void): this;
  on(event: 'listening', listener: () => void): this;
  on(event: 'error', listener: (error: Error) => void): this;
  listen(port: number, host?: string): this;
  address(): { readonly address: string; readonly family: string; readonly port: number } | null;
  close(): Promise<void>;
}

export interface Http3Library {
  createSecureServer(options: {
    readonly key: Buffer;
    readonly cert: Buffer;
    readonly runtimeMode: 'portable';
    readonly maxConnections: number;
    readonly initialMaxStreamsBidi: number;
    readonly maxIdleTimeoutMs: number;
  }): Http3Server;
}

/**
 * Loads the library; undefined if it is not installed. Rejects if it is installed but cannot be loaded, for example on
 * a system for which it has no native library.
 */
export async function loadLibrary(name = LIBRARY): Promise<Http3Library | undefined> {
  return isInstalled(name) ? await import(name) as Http3Library : undefined;
}

/** Header fields of HTTP/1.1 connections, which HTTP/3 does not use and forbids (RFC 9114, section 4.2). */
const OF_CONNECTION = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade']);

/** Error codes of RFC 9114, section 8.1. */
const INTERNAL_ERROR = 0x0102;
const MESSAGE_ERROR = 0x010e;

interface Arrival {
  readonly stream: Http3Stream;
  readonly headers: Http3Headers;
  /** True if the request has no body. */
  readonly isWhole: boolean;
  /** Address of the client. */
  readonly remoteAddress: string;
}

/**
 * Carries one request of HTTP/3 to a server of Node, and its response back, over a connection within the process that
 * uses HTTP/1.1: so parsing, back-pressure, limits and aborts are the same as for every other request. `take` serves
 * the server's end of the connection. Resets the stream if the request is malformed (RFC 9114, section 4.1.2).
 */
function carry(arrival: Arrival, take: (socket: Socket) => void): void {
  const { stream, isWhole } = arrival;
  const [ours, theirs] = duplexPair();
  let sent: ClientRequest;
  try {
    sent = request({ ...requestOf(arrival), setHost: false, createConnection: () => ours });
  } catch {
    stream.close(MESSAGE_ERROR);
    return;
  }
  ours.once('close', () => theirs.destroy());
  // Once the server has written the whole response, what has not been read of it yet is read to its end.
  theirs.once('close', () => theirs.writableFinished || ours.destroy());
  take(asSocket(theirs, arrival));
  if (isWhole) {
    stream.resume();
    sent.end();
  } else sendBody(arrival, sent);
  sent.once('response', (response) => returnResponse(stream, response));
  sent.on('error', () => stream.destroyed || stream.close(INTERNAL_ERROR));
  stream.on('error', () => sent.destroy());
  stream.once('close', () => sent.destroy());
}

function requestOf({ headers, isWhole }: Arrival): { method: string; path: string; headers: OutgoingHttpHeaders } {
  const { ':method': method = '', ':path': path = '', ':authority': authority, 'content-length': length = '0' } =
    headers;
  // A tunnel is not a request to a resource, and nothing here is the end of a tunnel.
  if (method === 'CONNECT' || path === '') throw new Error('a request has a method and a path');
  // The server would wait for it.
  if (isWhole && Number(length) !== 0) throw new Error('a body was announced, and there is none');
  const fields: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    if (OF_CONNECTION.has(name)) throw new Error(`${name} is of HTTP/1.1`);
    if (!name.startsWith(':')) fields[name] = name === 'cookie' ? [value].flat().join('; ') : value;
  }
  if (authority !== undefined) fields['host'] = String(authority);
  return { method: String(method), path: String(path), headers: fields };
}

/** A body whose length differs from the announced one makes a request malformed. */
function sendBody({ stream, headers: { 'content-length': length } }: Arrival, sent: ClientRequest): void {
  if (length === undefined) {
    stream.pipe(sent);
    return;
  }
  let missing = Number(length);
  stream.on('data', (chunk: Buffer) => {
    missing -= chunk.length;
    if (missing < 0) stream.close(MESSAGE_ERROR);
  });
  stream.once('end', () => missing > 0 && stream.close(MESSAGE_ERROR));
  stream.pipe(sent);
}

function returnResponse(stream: Http3Stream, response: IncomingMessage): void {
  const headers: Http3Headers = { ':status': String(response.statusCode) };
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined && !OF_CONNECTION.has(name)) headers[name] = value;
  }
  stream.respond(headers);
  response.pipe(stream);
  // A partial response must not look like a complete one.
  response.once('error', () => stream.close(INTERNAL_ERROR));
}

/** The properties of a connection, besides its bytes, that a server of Node needs. */
function asSocket(end: Duplex, { stream, remoteAddress }: Arrival): Socket {
  let bytesRead = 0;
  stream.on('data', (chunk: Buffer) => (bytesRead += chunk.length));
  stream.pause();
  Object.defineProperty(end, 'bytesRead', { get: () => bytesRead });
  return Object.assign(end, {
    encrypted: true,
    remoteAddress,
    setTimeout(ms: number) {
      stream.setTimeout(ms, () => end.emit('timeout'));
      return end;
    },
    setNoDelay: () => end,
    setKeepAlive: () => end,
  }) as unknown as Socket;
}
