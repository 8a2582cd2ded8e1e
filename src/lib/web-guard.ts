import { isIP } from 'node:net';

/** How much a web page may do. */
export type WebReach = 'nothing' | 'read' | 'everything';

/** What a browser says of a request: where it is sent to, and the page that sends it. */
export interface WebRequest {
  /** The header `Host`. */
  readonly host: string | undefined;
  /** The header `Origin`: scheme, host and port of the page; absent for other programs and for plain navigation. */
  readonly origin: string | undefined;
  /** True where `Host` need not be a known name: on a unix socket, which no browser reaches, or where a credential is asked for. */
  readonly anyHost: boolean;
}

/** `reason` says what was refused and what to do about it, wherever the request may not do everything. */
export type WebVerdict =
  | { readonly may: 'everything' }
  | { readonly may: 'nothing' | 'read'; readonly reason: string };

export type WebGuard = (request: WebRequest) => WebVerdict;

export interface WebGuardOptions {
  /** Origins whose pages may do everything; their hosts are names of this server, too, for it may be one of them. */
  readonly origins: readonly string[];
  /** What pages of all other origins may do. With `everything`, `Host` does not matter either. */
  readonly others: WebReach;
  /** Names of this server beside `localhost` and IP addresses. */
  readonly names: readonly string[];
  /** What to do so that an origin is let in. */
  readonly remedy: (origin: string) => string;
}

const EVERYTHING: WebVerdict = { may: 'everything' };

/**
 * Keeps web pages of strangers from using a server that asks for no credential (decisions D-114 and D-140).
 *
 * `Host` must be an IP address or a name of this server: a page whose own name was made to point here (DNS rebinding)
 * counts as the server's own for a browser, and only `Host` tells. An IP address cannot be made to point elsewhere.
 * `Origin` must be that of the server itself, a listed one, or of this machine. A request without `Origin` comes
 * from another program, or from a page that cannot see the answer and cannot send a body.
 */
export function createWebGuard({ origins, others, names, remedy }: WebGuardOptions): WebGuard {
  if (others === 'everything') return () => EVERYTHING;
  const listed = new Set(origins);
  const known = new Set([...names, ...origins.flatMap((origin) => hostOf(origin)?.name ?? [])].map((name) => name.toLowerCase()));
  const isOwnName = (name: string): boolean => isIP(name) !== 0 || isLocalName(name) || known.has(name);
  // Most requests name the same host, and reading it takes some microseconds.
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
  /** In lower case, without the brackets of an IPv6 address and the dot after a full name. */
  readonly name: string;
  /** Empty where it is the usual one of the scheme. */
  readonly port: string;
}

function hostOf(origin: string): WebHost | undefined {
  const url = URL.parse(origin);
  if (url === null || url.hostname === '') return undefined;
  return { scheme: url.protocol, name: url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '').toLowerCase(), port: url.port };
}

/** Only a host and a port: what a URL may have around them would be read past here. */
function hostOfHeader(host: string, scheme = 'http:'): WebHost | undefined {
  return /^[^\s/@?#\\]+$/.test(host) ? hostOf(`${scheme}//${host}`) : undefined;
}

/** Whether a page is the server's own. A proxy may have ended TLS, so the scheme is believed as the page has it. */
function isSame(page: WebHost, host: string | undefined): boolean {
  const own = host === undefined ? undefined : hostOfHeader(host, page.scheme);
  return own !== undefined && own.name === page.name && own.port === page.port;
}

/** A name that browsers look up on their own machine (RFC 6761, section 6.3). */
function isLocalName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

function isLoopbackName(name: string): boolean {
  return isLocalName(name) || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

const SHOWN = 100;

function foreignHost(host: string, remedy: WebGuardOptions['remedy']): string {
  const shown = host.slice(0, SHOWN);
  return `Host "${shown}" is not a known name of this server, and a web page can make any name point here; use an IP address or localhost, or ${remedy(`http://${shown}`)}`;
}

function foreignOrigin(origin: string, others: WebReach, remedy: WebGuardOptions['remedy']): string {
  const shown = origin.slice(0, SHOWN);
  return `web pages of the origin "${shown}" may ${others === 'read' ? 'only read' : 'not call'}; ${remedy(shown)}`;
}
