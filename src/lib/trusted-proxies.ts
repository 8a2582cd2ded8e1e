import ipaddr from 'ipaddr.js';
import { isIP } from 'node:net';

type Parsed = ReturnType<typeof ipaddr.process>;

/** A range of addresses: one address, or all addresses with the same first bits. */
export interface Network {
  /** The text as it was written. */
  readonly text: string;
  /** Whether the range holds all addresses. */
  readonly isEverything: boolean;
  contains(address: string): boolean;
}

/**
 * Number of bits that identify an IPv6 client: a household or a server is assigned a prefix of this length and may use
 * all addresses in it.
 */
const CLIENT_BITS = 64;
const IPV4_BITS = 32;
/** Number of bits before the IPv4 address in an IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2). */
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

/** Converts an IPv4-mapped address to IPv4, and removes the interface that a local address may name. */
function plain(address: string): Parsed {
  return ipaddr.process(address.replace(/%.*$/, ''));
}

/**
 * Normalises an address to the only spelling under which it is counted and logged: an IPv4 client that connected
 * through a dual-stack socket is written as IPv4. Returns undefined if the text is not an address.
 */
export function plainAddress(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const kind = isIP(text);
  // Nearly all addresses have this form, which needs no parsing.
  if (kind === 4) return text;
  return kind === 6 ? plain(text).toString() : undefined;
}

/**
 * The part of an address that identifies one client: the first 64 bits of an IPv6 address, because a client that has
 * one address has all others with that prefix.
 */
export function clientNetwork(address: string): string {
  if (isIP(address) !== 6) return address;
  const parsed = plain(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const parts = (parsed as ipaddr.IPv6).parts.map((part, i) => (i < CLIENT_BITS / 16 ? part : 0));
  return `${new ipaddr.IPv6(parts).toString()}/${CLIENT_BITS}`;
}

/** Determines the sender of a request from the address of its connection and from `X-Forwarded-For`. */
export type ReadAddress = (peer: string | undefined, forwarded: string | undefined) => string | undefined;

/**
 * Determines the address of clients behind proxies. Each proxy appends the address of its client, so the list is read
 * from its end for as long as the last address found is a trusted proxy. Entries further left, which a stranger may
 * have written, are never reached. An entry that is not an address ends the walk at the proxy that passed it on.
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

/** Some proxies also write the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  return /^\[(.+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop;
}
