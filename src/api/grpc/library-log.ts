import { setLogger } from '@grpc/grpc-js';
import { stderr } from 'node:process';
import { format } from 'node:util';

/**
 * What the library prints about an address that cannot be bound; the server rejects with the reason, which is then
 * printed alone.
 */
const TOLD = /^No address added out of total/;

/** Prints what the library logs (`GRPC_VERBOSITY`) as it does itself, except what is told otherwise. */
export function filterLibraryLog(): void {
  const line = (severity: string) => (message: unknown, ...more: unknown[]): void => {
    if (!TOLD.test(String(message))) stderr.write(`${format(`${severity} ${String(message)}`, ...more)}\n`);
  };
  setLogger({ error: line('E'), info: line('I'), debug: line('D') });
}
