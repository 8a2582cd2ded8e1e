import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { isInstalled } from '../../lib/is-installed.ts';

/** The package that brings QUIC, which Node has not. Its native libraries weigh 120 MB, so it is installed beside this package by those who want it. */
export const LIBRARY = '@currentspace/http3';

// The part of the library's interface that is used, written down here because the package is optional.

export type Http3Headers = Record<string, string | string[]>;

/** A request and its response: the request's body is read from it, the response's is written to it. */
export interface Http3Stream extends Duplex {
  /** Names the connection; its sessions have the same number. -1 for HTTP/2, which the library serves over TCP on the same port. */
  readonly _connHandle: number;
  respond(headers: Http3Headers, options?: { readonly endStream?: boolean }): void;
  /** Resets the stream with a code of RFC 9114, section 8.1. */
  close(code?: number): void;
  setTimeout(ms: number, callback?: () => void): this;
}

export interface Http3Session {
  readonly _connHandle: number;
  readonly alpnProtocol: string;
  readonly remoteAddress: string;
  once(event: 'close', listener: () => void): this;
}

export interface Http3Server extends EventEmitter {
  on(event: 'session', listener: (session: Http3Session) => void): this;
  on(event: 'stream', listener: (stream: Http3Stream, headers: Http3Headers, flags: { readonly endStream: boolean }) => void): this;
  on(event: 'listening', listener: () => void): this;
  on(event: 'error', listener: (error: Error) => void): this;
  listen(port: number, host?: string): this;
  address(): { readonly address: string; readonly family: string; readonly port: number } | null;
  close(): Promise<void>;
}

export interface Http3Library {
  createSecureServer(options: {
    readonly key: Buffer; readonly cert: Buffer; readonly runtimeMode: 'portable';
    readonly maxConnections: number; readonly initialMaxStreamsBidi: number; readonly maxIdleTimeoutMs: number;
  }): Http3Server;
}

/** The library, or undefined where it is not installed. Rejects when it is there and cannot be loaded, as on a system without native libraries for it. */
export async function loadLibrary(name = LIBRARY): Promise<Http3Library | undefined> {
  return isInstalled(name) ? await import(name) as Http3Library : undefined;
}
