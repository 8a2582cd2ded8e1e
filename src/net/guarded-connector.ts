import { lookup } from 'node:dns/promises';
import { createRequire } from 'node:module';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type * as Undici from 'undici';
import type { buildConnector as Connectors } from 'undici';
import { type OutboundPolicy, RefusedRequest } from './outbound-policy.ts';

/** Resolves a host name to its addresses; rejects if there are none. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

interface ResolvedAddress {
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

/**
 * When it is loaded, the package replaces the client behind the global `fetch`. The global client belongs to the
 * operator of the server (`NODE_USE_ENV_PROXY`), so it is restored.
 */
function withoutReplacing<T>(load: () => T): T {
  const places = globalThis as unknown as Record<symbol, unknown>;
  const place = Symbol.for('undici.globalDispatcher.1');
  const before = places[place];
  const result = load();
  places[place] = before;
  return result;
}

let loaded: typeof Undici | undefined;

/**
 * Loaded with the first request: its hundred modules are a twentieth of the time in which a service starts, and few
 * services send any.
 */
export const undici =
  (): typeof Undici => (loaded ??= withoutReplacing(() => createRequire(import.meta.url)('undici') as typeof Undici));

/** Time limit for a connection, including name resolution and the TLS handshake. */
const CONNECT_MS = 10_000;

/**
 * Connects to addresses that the policy permits. A name is resolved once for each connection, and the socket receives
 * exactly the addresses that were checked. There is no second lookup, so a name that changes its addresses in between
 * (DNS rebinding) gains nothing. Of several addresses, the permitted ones are tried.
 */
export function guardedConnector(policy: OutboundPolicy, resolve: Resolve = systemResolve): Connectors.connector {
  const connect = undici().buildConnector({
    lookup: guardedLookup(policy, resolve),
    timeout: CONNECT_MS,
    allowH2: false,
  });
  return (options, callback) => {
    const host = bare(options.hostname);
    const literal = isIP(host) === 0 ? undefined : refusalOf(policy, host, host); // sockets do no lookup for these
    if (literal !== undefined) return callback(literal, null);
    connect(options, (...result) => {
      const [error, socket] = result;
      // Checks the address of the actual connection as well, before anything of the request is sent.
      const refusal = error === null ? refusalOf(policy, host, remote(socket)) : undefined;
      if (refusal === undefined) return callback(...result);
      socket?.destroy();
      callback(refusal, null);
    });
  };
}

function guardedLookup(policy: OutboundPolicy, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    permitted(policy, hostname, resolve).then((addresses) => {
      if (options.all === true) callback(null, addresses);
      else callback(null, addresses[0]!.address, addresses[0]!.family);
    }, (error: NodeJS.ErrnoException) => callback(error, ''));
  };
}

async function permitted(policy: OutboundPolicy, hostname: string, resolve: Resolve): Promise<ResolvedAddress[]> {
  const found = await resolve(hostname);
  const good = found.filter(({ address }) => policy.refusal(hostname, address) === undefined);
  if (good.length > 0) return good;
  throw found[0] === undefined
    ? new Error(`the host ${hostname} has no address`)
    : refusalOf(policy, hostname, found[0].address)!;
}

function refusalOf(policy: OutboundPolicy, host: string, address: string): RefusedRequest | undefined {
  const what = policy.refusal(host, address);
  return what === undefined
    ? undefined
    : new RefusedRequest('address', `the host ${host} is at ${what}, which this server must not call`);
}

const remote = (socket: Socket | null): string => socket?.remoteAddress ?? '';

/** Removes the brackets around IPv6 addresses in URLs. */
function bare(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/**
 * Throws `RefusedRequest` for everything that is wrong with a URL without resolving its name: a scheme other than http
 * and https, a user name or password, or an address that the policy forbids. Parsing the URL has already normalised
 * numeric hosts: `http://2130706433/` and `http://0x7f.1/` are 127.0.0.1.
 */
export function checkUrl(url: URL, policy: OutboundPolicy): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new RefusedRequest('scheme', `the URL must begin with http:// or https://, got ${url.protocol}`);
  if (url.username !== '' || url.password !== '')
    throw new RefusedRequest('credentials', 'the URL must not hold a user name or password');
  const host = bare(url.hostname);
  const refusal = isIP(host) === 0 ? undefined : refusalOf(policy, host, host);
  if (refusal !== undefined) throw refusal;
}
