import type { Writable } from 'node:stream';
import type { ClientBase } from 'pg';

/**
 * Sends the statements that are submitted from now on until the caller pauses in one write: otherwise each costs a
 * system call on both sides, and wakes the server's process.
 */
export function inOneWrite(client: ClientBase): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Writable } }).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  queueMicrotask(() => stream.uncork());
}
