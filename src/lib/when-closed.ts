import type { ServerResponse } from 'node:http';

/**
 * Calls `then` when a response has been sent or its client has left, also if that was before: then no event says so
 * again.
 */
export function whenClosed(response: ServerResponse, then: () => void): void {
  if (response.destroyed || response.writableFinished) then();
  else response.once('close', then);
}
