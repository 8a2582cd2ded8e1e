import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Parsed = ReturnType<typeof ipaddr.process>;

/** A range of addresses: one address, or all that share its first bits. */
export interface Network {
  /** As it was written. */
  readonly text: string;
  /** The range holds every address that there is. */
  readonly isEverything: boolean;
  contains(address: string): boolean;
}

/** Bits by which an IPv6 client is known: a household or a server is given this much of an address, and may use all of the rest. */
const CLIENT_BITS = 64;
const IPV4_BITS = 32;
/** Bits before the IPv4 address in one that is written as IPv6 (RFC 4291, section 2.5.5.2). */
const MAPPED_BITS = 96;

/** Reads `10.0.0.1`, `10.0.0.0/8`, `::1` or `2001:db8::/32`; undefined for everything else. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', length, ...rest] = text.split('/');
  if (isIP(address) === 0 || rest.length > 0 || (length !== undefined && !/^\d{1,3}$/.test(length))) return undefined;
  const written = ipaddr.parse(address);
  const base = plain(address);
  const isMapped = written.kind() !== base.kind();
  const bits = length === undefined ? bitsOf(base) : Number(length) - (isMapped ? MAPPED_BITS : 0);
  if (bits < 0 || bits > bitsOf(base)) return undefined;
  return { text, isEverything: bits === 0, contains: (other) => matches(other, base, bits) };
}

function matches(address: string, base: Parsed, bits: number): boolean {
  if (isIP(address) === 0) return false;
  const other = plain(address);
  if (other.kind() !== base.kind()) return false;
  return other.match(base as never, bits);
}

const bitsOf = (address: Parsed): number => (address.kind() === 'ipv4' ? IPV4_BITS : 128);

/** IPv4 where it is written as IPv6, and without the interface that a local address may name. */
function plain(address: string): Parsed {
  return ipaddr.process(address.replace(/%.*$/, ''));
}

/**
 * An address in the one spelling under which it is counted and logged: an IPv4 client that came through a socket of
 * both kinds is written as IPv4. Undefined for what is no address.
 */
export function plainAddress(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const kind = isIP(text);
  // What nearly all are needs no parsing.
  if (kind === 4) return text;
  return kind === 6 ? plain(text).toString() : undefined;
}

/** The part of an address that is one client's: of IPv6 the first 64 bits, since whoever has one address has all that follow them. */
export function clientNetwork(address: string): string {
  if (isIP(address) !== 6) return address;
  const parsed = plain(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const parts = (parsed as ipaddr.IPv6).parts.map((part, i) => (i < CLIENT_BITS / 16 ? part : 0));
  return `${new ipaddr.IPv6(parts).toString()}/${CLIENT_BITS}`;
}

/** Who sent a request, by the address of its connection and what `X-Forwarded-For` says. */
export type ReadAddress = (peer: string | undefined, forwarded: string | undefined) => string | undefined;

/**
 * Reads the address of clients behind proxies: each proxy appends the address of whom it serves, so the list is
 * read from its end, for as long as the last one found is a proxy that is trusted. What a stranger wrote further
 * left is never reached. An entry that is no address ends the walk at the proxy that passed it on.
 */
export function createAddressReader(trusted: readonly Network[]): ReadAddress {
  const isTrusted = (address: string): boolean => trusted.some((network) => network.contains(address));
  return (peer, forwarded) => {
    let client = plainAddress(peer);
    if (client === undefined || forwarded === undefined || !isTrusted(client)) return client;
    for (const hop of forwarded.split(',').reverse()) {
      const address = plainAddress(withoutPort(hop.trim()));
      if (address === undefined) break;
      client = address;
      if (!isTrusted(client)) break;
    }
    return client;
  };
}

/** Some proxies write the port, too: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  return /^\[(.+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop;
}
