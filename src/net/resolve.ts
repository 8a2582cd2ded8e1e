import { lookup } from 'node:dns/promises';

/** Resolves a host name to its addresses; rejects if there are none. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/**
 * Half of the thread pool's four threads: the system's resolver occupies a thread for as long as a name server takes,
 * and files and password hashes also need threads.
 */
const AT_ONCE = 2;

/** The system's resolver, which also uses `/etc/hosts` and the names of containers. */
export const systemResolve: Resolve = atMost(AT_ONCE, (hostname) => lookup(hostname, { all: true }));

/** Limits the number of concurrent lookups; others wait for their turn. */
export function atMost(places: number, resolve: Resolve): Resolve {
  const waiting: (() => void)[] = [];
  let free = places;
  return async (hostname) => {
    if (free > 0) free--;
    else await new Promise<void>((turn) => waiting.push(turn));
    try {
      return await resolve(hostname);
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}
