import { randomUUID } from 'node:crypto';

/** The id of a request: the client's own where it is fit for a log, so that its logs and ours can be joined, and else a new one. */
export function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.-]{8,64}$/.test(given) ? given : randomUUID().replaceAll('-', '').slice(0, 16);
}
