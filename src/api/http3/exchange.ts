import { type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import type { Http3Headers, Http3Stream } from './library.ts';

/** Header fields of HTTP/1.1 connections, which HTTP/3 does not use and forbids (RFC 9114, section 4.2). */
const OF_CONNECTION = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade']);

/** Error codes of RFC 9114, section 8.1. */
const INTERNAL_ERROR = 0x0102;
const MESSAGE_ERROR = 0x010e;

export interface Arrival {
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
export function carry(arrival: Arrival, take: (socket: Socket) => void): void {
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
