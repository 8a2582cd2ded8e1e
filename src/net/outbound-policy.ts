import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';
import { classOf, parseIp, within } from './address-class.ts';

/** Which addresses users may make this server call: otherwise they could reach private services through it. */
export interface OutboundSettings {
  /** Whether loopback addresses, or all private ones, may be called. */
  readonly allowPrivate: 'false' | 'loopback' | 'true';
  /** Host names, addresses and networks (`10.1.0.0/16`) that may be called in any case. */
  readonly allowlist: readonly string[];
}

type Network = readonly [IPv4 | IPv6, number];

/** Decides which addresses may be called. */
export class OutboundPolicy {
  readonly #allowPrivate: OutboundSettings['allowPrivate'];
  readonly #hosts = new Set<string>();
  readonly #networks: Network[] = [];

  /** Invalid entries of the list are ignored; `allowlistProblems` reports them. */
  constructor({ allowPrivate, allowlist }: OutboundSettings) {
    this.#allowPrivate = allowPrivate;
    for (const entry of allowlist) {
      const parsed = parseEntry(entry);
      if (typeof parsed === 'string') this.#hosts.add(parsed);
      else if (parsed !== undefined) this.#networks.push(parsed);
    }
  }

  /**
   * Returns why an address of a host may not be called, for an error message; undefined if it may. Link-local, cloud
   * metadata, unspecified, multicast and broadcast addresses are refused to everyone.
   */
  refusal(host: string, address: string): string | undefined {
    const ip = parseIp(address);
    if (ip === undefined) return 'no address';
    const { kind, what } = classOf(ip);
    if (kind === 'forbidden') return what;
    if (kind === 'public' || this.#isListed(host, ip)) return undefined;
    if (kind === 'reserved') return what;
    return this.#allowPrivate === 'true' || this.#allowPrivate === kind ? undefined : what;
  }

  #isListed(host: string, ip: IPv4 | IPv6): boolean {
    return this.#hosts.has(canonicalHost(host)) || this.#networks.some((network) => within(ip, network));
  }
}

/** One line for each entry that is not a host name, an address or a network. */
export function allowlistProblems(allowlist: readonly string[]): string[] {
  return allowlist.filter((entry) => parseEntry(entry) === undefined).map((entry) =>
    `expected host names, addresses and networks such as intranet.example, 10.1.2.3 or 10.1.0.0/16, got "${entry}"`
  );
}

const HOST_NAME = /^[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_](?:[a-z0-9_-]{0,62}))*$/;

function parseEntry(entry: string): string | Network | undefined {
  const text = entry.trim();
  const [address = '', bits] = text.split('/', 2);
  const ip = parseIp(address);
  if (ip !== undefined) return bits === undefined ? [ip, ip.kind() === 'ipv4' ? 32 : 128] : network(text);
  const host = canonicalHost(text);
  return bits === undefined && HOST_NAME.test(host) && !/^[\d.]+$/.test(host) ? host : undefined;
}

function network(text: string): Network | undefined {
  if (!/^[^/]+\/\d{1,3}$/.test(text)) return undefined;
  try {
    return ipaddr.parseCIDR(text);
  } catch {
    return undefined;
  }
}

/** In lower case, without the dot at the end that stands for the root. */
function canonicalHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}
