import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';
import { isIP } from 'node:net';

/** The rule that an outgoing request broke. */
export type RefusalRule = 'scheme' | 'credentials' | 'address' | 'header' | 'redirect' | 'size' | 'time';

/**
 * An outgoing request that this server refused or aborted by its own rules. Another attempt changes nothing, except for
 * `time`. The message may be shown to users: it names the rule and the host that was requested, never an address to
 * which a name was resolved.
 */
export class RefusedRequest extends Error {
  readonly rule: RefusalRule;

  constructor(rule: RefusalRule, message: string) {
    super(message);
    this.name = 'RefusedRequest';
    this.rule = rule;
  }
}

/**
 * Which addresses may be called: `public` always; `loopback` and `private` by policy; `reserved` (documentation,
 * tunnels, unassigned ranges) only if an operator lists the address; `forbidden` never, because credentials of the
 * machine are served there, or because it is another name of this machine or of a whole network.
 */
export type AddressKind = 'public' | 'loopback' | 'private' | 'reserved' | 'forbidden';

interface AddressClass {
  readonly kind: AddressKind;
  /** For error messages: `a link-local address`. */
  readonly what: string;
}

type Range = readonly [IPv4 | IPv6, number];

interface Row extends AddressClass {
  readonly ranges: readonly Range[];
}

const row = (kind: AddressKind, what: string, ...ranges: readonly string[]): Row => ({
  kind,
  what,
  ranges: ranges.map((range) => ipaddr.parseCIDR(range)),
});

const METADATA = 'an address of cloud metadata';
const PUBLIC: AddressClass = { kind: 'public', what: 'a public address' };

/**
 * The first row that contains an address decides. Sources are IANA's registries of special-purpose addresses
 * (RFC 6890), and the vendors' documentation of metadata services outside the link-local range:
 * Alibaba Cloud, Azure, Oracle, Amazon, Google, Scaleway. Stricter than the registries in two points:
 * protocol assignments are refused including their exceptions, because no web server is at the anycast address of a NAT
 * gateway; tunnels (6to4, Teredo) are also refused, because their far end may be any address.
 */
const ROWS: readonly Row[] = [
  row('forbidden', METADATA, '100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32', 'fd00:ec2::254/128',
    'fd20:ce::254/128', 'fd00:42::42/128'),
  row('forbidden', 'an unspecified address', '0.0.0.0/8', '::/128'),
  row('forbidden', 'a link-local address', '169.254.0.0/16', 'fe80::/10'),
  row('forbidden', 'a multicast address', '224.0.0.0/4', 'ff00::/8'),
  row('forbidden', 'a broadcast address', '255.255.255.255/32'),
  row('loopback', 'a loopback address', '127.0.0.0/8', '::1/128'),
  row('private', 'a private address', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '198.18.0.0/15',
    'fc00::/7', 'fec0::/10'),
  row('reserved', 'a reserved address', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.51.100.0/24',
    '203.0.113.0/24', '240.0.0.0/4'),
  row('reserved', 'a reserved address', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'),
  row('public', PUBLIC.what, '2000::/3'),
  row('reserved', 'a reserved address', '::/0'),
];

// IPv4 addresses embedded in IPv6: mapped (RFC 4291, section 2.5.5.2), and translated by NAT64 (RFC 6052).
const EMBEDDING: readonly Range[] = [ipaddr.parseCIDR('::ffff:0:0/96'), ipaddr.parseCIDR('64:ff9b::/96')];

/**
 * Parses an address as returned by a resolver or a socket; returns undefined for everything else, including short and
 * octal spellings.
 */
export function parseIp(text: string): IPv4 | IPv6 | undefined {
  const bare = text.replace(/%.*/s, ''); // the zone of a link-local address
  if (isIP(bare) === 0) return undefined;
  const address = ipaddr.parse(bare);
  return EMBEDDING.some((range) => within(address, range)) ? embedded(address as IPv6) : address;
}

export function classOf(address: IPv4 | IPv6): AddressClass {
  return ROWS.find(({ ranges }) => ranges.some((range) => within(address, range))) ?? PUBLIC;
}

/** Returns false for a network of the other address family. */
function within(address: IPv4 | IPv6, [network, bits]: Range): boolean {
  return address.kind() === network.kind() && (address as IPv4).match(network as IPv4, bits);
}

function embedded(address: IPv6): IPv4 {
  return ipaddr.fromByteArray(address.toByteArray().slice(12)) as IPv4;
}

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
