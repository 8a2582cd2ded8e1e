import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';

/**
 * Who wants an answer: a `script` of a page or another program; a `navigation`, which shows the answer as a page; or a
 * `part` of a page, such as an image, a style or a frame, whose content no script receives.
 */
type AskedBy = 'script' | 'navigation' | 'part';

/**
 * Who wants the answer to a request, as its browser says (W3C, Fetch Metadata Request Headers). What a page fetches in
 * advance counts as a navigation. No page can set these headers; other programs do not send them.
 */
export function askedBy(headers: IncomingHttpHeaders): AskedBy {
  const mode = headers['sec-fetch-mode'];
  const destination = headers['sec-fetch-dest'];
  if (mode === 'no-cors' || !(destination === undefined || destination === 'empty' || destination === 'document'))
    return 'part';
  const isByScript = (mode === undefined || mode === 'cors' || mode === 'same-origin') && destination !== 'document';
  return isByScript && !isInAdvance(headers) ? 'script' : 'navigation';
}

/** `Purpose` is that of Safari, `X-Moz` that of earlier Firefox. */
function isInAdvance(headers: IncomingHttpHeaders): boolean {
  return headers['sec-purpose'] !== undefined || headers['purpose'] === 'prefetch' || headers['x-moz'] === 'prefetch';
}

/** What a web page is allowed to do. */
export type WebReach = 'nothing' | 'read' | 'everything';

/** What a browser states about a request: where it is sent, and which page sends it. */
export interface WebRequest {
  /** The header `Host`. */
  readonly host: string | undefined;
  /** The header `Origin`: scheme, host and port of the page; absent for other programs and for plain navigation. */
  readonly origin: string | undefined;
  /**
   * True if `Host` need not be a known name: on a unix socket, which browsers cannot reach, or if a credential is
   * required.
   */
  readonly anyHost: boolean;
}

/** `reason` says what was refused and what to do about it, unless the request is allowed to do everything. */
export type WebVerdict = { readonly may: 'everything' } | { readonly may: 'nothing' | 'read'; readonly reason: string };

export type WebGuard = (request: WebRequest) => WebVerdict;

export interface WebGuardOptions {
  /**
   * Origins whose pages may do everything. Their hosts also count as names of this server, because it may serve one of
   * them.
   */
  readonly origins: readonly string[];
  /** What pages of all other origins may do. With `everything`, `Host` is not checked either. */
  readonly others: WebReach;
  /** Names of this server besides `localhost` and IP addresses. */
  readonly names: readonly string[];
  /** What to do to allow an origin. */
  readonly remedy: (origin: string) => string;
}

const EVERYTHING: WebVerdict = { may: 'everything' };

/**
 * Prevents web pages of strangers from using a server that requires no credential.
 *
 * `Host` must be an IP address or a name of this server: with DNS rebinding, a page's own name resolves to this server;
 * browsers then treat the page as the server's own, and only `Host` reveals it. An IP address cannot be made to point
 * elsewhere. `Origin` must be that of the server itself, a listed origin, or an origin on this machine. A request
 * without `Origin` comes from another program, or from a page that cannot see the answer and cannot send a body.
 */
export function createWebGuard({ origins, others, names, remedy }: WebGuardOptions): WebGuard {
  if (others === 'everything') return () => EVERYTHING;
  const listed = new Set(origins);
  const known = new Set(
    [...names, ...origins.flatMap((origin) => hostOf(origin)?.name ?? [])].map((name) => name.toLowerCase()),
  );
  const isOwnName = (name: string): boolean => isIP(name) !== 0 || isLocalName(name) || known.has(name);
  // Most requests name the same host, and parsing it takes some microseconds.
  let ownHost: string | undefined;
  return ({ host, origin, anyHost }) => {
    if (!anyHost && host !== undefined && host !== ownHost) {
      const own = hostOfHeader(host);
      if (own === undefined || !isOwnName(own.name)) return { may: 'nothing', reason: foreignHost(host, remedy) };
      ownHost = host;
    }
    if (origin === undefined || listed.has(origin)) return EVERYTHING;
    const page = hostOf(origin);
    if (page !== undefined && (isLoopbackName(page.name) || isSame(page, host))) return EVERYTHING;
    return { may: others, reason: foreignOrigin(origin, others, remedy) };
  };
}

interface WebHost {
  readonly scheme: string;
  /** In lower case, without the brackets of an IPv6 address and without the dot at the end of a full name. */
  readonly name: string;
  /** Empty if it is the default port of the scheme. */
  readonly port: string;
}

function hostOf(origin: string): WebHost | undefined {
  const url = URL.parse(origin);
  if (url === null || url.hostname === '') return undefined;
  return {
    scheme: url.protocol,
    name: url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '').toLowerCase(),
    port: url.port,
  };
}

/** Parses a host with an optional port, and nothing else: other parts of a URL would otherwise be ignored silently. */
function hostOfHeader(host: string, scheme = 'http:'): WebHost | undefined {
  return /^[^\s/@?#\\]+$/.test(host) ? hostOf(`${scheme}//${host}`) : undefined;
}

/**
 * Whether a page is the server's own. A proxy may have terminated TLS, so `Host` is read with the scheme of the page.
 */
function isSame(page: WebHost, host: string | undefined): boolean {
  const own = host === undefined ? undefined : hostOfHeader(host, page.scheme);
  return own !== undefined && own.name === page.name && own.port === page.port;
}

/** A name that browsers resolve to their own machine (RFC 6761, section 6.3). */
function isLocalName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

function isLoopbackName(name: string): boolean {
  return isLocalName(name) || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

const SHOWN = 100;

function foreignHost(host: string, remedy: WebGuardOptions['remedy']): string {
  const shown = host.slice(0, SHOWN);
  return `Host "${shown}" is not a known name of this server, and a web page can make any name point here; use an IP address or localhost, or ${
    remedy(`http://${shown}`)
  }`;
}

function foreignOrigin(origin: string, others: WebReach, remedy: WebGuardOptions['remedy']): string {
  const shown = origin.slice(0, SHOWN);
  return `web pages of the origin "${shown}" may ${others === 'read' ? 'only read' : 'not call'}; ${remedy(shown)}`;
}

/** Names under which containers on this machine know it. They end in `.internal`, which cannot be registered. */
const CONTAINER_NAMES = ['host.docker.internal', 'host.containers.internal'];

/**
 * Names of this machine besides `localhost`: its host name, short and as the local network announces it (mDNS), and the
 * name on which a server was configured to listen.
 */
export function ownNames(listening: string | undefined, machine: string = hostname()): string[] {
  const short = machine.split('.')[0]!;
  const names = [machine, short, `${short}.local`, ...CONTAINER_NAMES, ...(listening === undefined ? [] : [listening])];
  return [...new Set(names.filter((name) => name !== '').map((name) => name.toLowerCase()))];
}
