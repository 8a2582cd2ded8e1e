import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { isInstalled } from '../../lib/files.ts';

/**
 * The package that implements QUIC, which Node lacks. Its native libraries take 120 MB, so users who want HTTP/3
 * install it beside this package.
 */
export const LIBRARY = '@currentspace/http3';

// Declares the part of the library's interface that is used, because the package is optional.

export type Http3Headers = Record<string, string | string[]>;

/** A request and its response: the request's body is read from it, the response's is written to it. */
export interface Http3Stream extends Duplex {
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

export interface Http3Session {
  readonly _connHandle: number;
  readonly alpnProtocol: string;
  readonly remoteAddress: string;
  once(event: 'close', listener: () => void): this;
}

export interface Http3Server extends EventEmitter {
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
