import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AddressKind, allowlistProblems, classOf, OutboundPolicy, parseIp } from './outbound-policy.ts';

/**
 * IANA's registries of special-purpose addresses (IPv4 and IPv6, as of RFC 9637 and RFC 9780), and the ranges that the
 * addressing standards reserve in addition (multicast, RFC 3879's site-local), written a second time, in numbers.
 * Narrower rows come first.
 */
const IPV4: readonly [first: string, last: string, kind: AddressKind][] = [['168.63.129.16', '168.63.129.16',
  'forbidden'], ['100.100.100.200', '100.100.100.200', 'forbidden'], ['192.0.0.192', '192.0.0.192', 'forbidden'], [
  '0.0.0.0',
  '0.255.255.255',
  'forbidden',
], ['10.0.0.0', '10.255.255.255', 'private'], ['100.64.0.0', '100.127.255.255', 'private'], ['127.0.0.0',
  '127.255.255.255', 'loopback'], ['169.254.0.0', '169.254.255.255', 'forbidden'], ['172.16.0.0', '172.31.255.255',
  'private'], ['192.0.0.0', '192.0.0.255', 'reserved'], ['192.0.2.0', '192.0.2.255', 'reserved'], ['192.88.99.0',
  '192.88.99.255', 'reserved'], ['192.168.0.0', '192.168.255.255', 'private'], ['198.18.0.0', '198.19.255.255',
  'private'], ['198.51.100.0', '198.51.100.255', 'reserved'], ['203.0.113.0', '203.0.113.255', 'reserved'], [
  '224.0.0.0',
  '239.255.255.255',
  'forbidden',
], ['255.255.255.255', '255.255.255.255', 'forbidden'], ['240.0.0.0', '255.255.255.254', 'reserved']];

const IPV6: readonly [first: string, last: string, kind: AddressKind][] = [['fd000ec2000000000000000000000254',
  'fd000ec2000000000000000000000254', 'forbidden'], ['fd2000ce000000000000000000000254',
  'fd2000ce000000000000000000000254', 'forbidden'], ['fd000042000000000000000000000042',
  'fd000042000000000000000000000042', 'forbidden'], ['0'.repeat(32), '0'.repeat(32), 'forbidden'], [
  `${'0'.repeat(31)}1`,
  `${'0'.repeat(31)}1`,
  'loopback',
], ['fe80'.padEnd(32, '0'), 'febf'.padEnd(32, 'f'), 'forbidden'], ['ff'.padEnd(32, '0'), 'ff'.padEnd(32, 'f'),
  'forbidden'], ['fec0'.padEnd(32, '0'), 'feff'.padEnd(32, 'f'), 'private'], ['fc'.padEnd(32, '0'),
  'fd'.padEnd(32, 'f'), 'private'], ['20010000'.padEnd(32, '0'), '200101ff'.padEnd(32, 'f'), 'reserved'], [
  '20010db8'.padEnd(32, '0'),
  '20010db8'.padEnd(32, 'f'),
  'reserved',
], ['2002'.padEnd(32, '0'), '2002'.padEnd(32, 'f'), 'reserved'], ['3fff0'.padEnd(32, '0'), '3fff0'.padEnd(32, 'f'),
  'reserved'], ['2'.padEnd(32, '0'), '3'.padEnd(32, 'f'), 'public']];

const MAPPED = 0xffffn << 32n;
const NAT64 = 0x64ff9bn << 96n;

const numberOf = (dotted: string): bigint => dotted.split('.').reduce((sum, octet) => sum * 256n + BigInt(octet), 0n);
const dotted = (value: bigint): string => [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');
const hextets = (value: bigint): string => value.toString(16).padStart(32, '0').match(/.{4}/g)!.join(':');

function kindOfIpv4(value: bigint): AddressKind {
  return IPV4.find(([first, last]) => value >= numberOf(first) && value <= numberOf(last))?.[2] ?? 'public';
}

function kindOfIpv6(value: bigint): AddressKind {
  const low = value & 0xffffffffn;
  if (value - low === MAPPED || value - low === NAT64) return kindOfIpv4(low);
  return IPV6.find(([first, last]) => value >= BigInt(`0x${first}`) && value <= BigInt(`0x${last}`))?.[2] ?? 'reserved';
}

const kindOf = (text: string): AddressKind | undefined => {
  const ip = parseIp(text);
  return ip && classOf(ip).kind;
};

/** Every number that begins or ends a range, and the numbers next to it. */
const edges = (ends: readonly bigint[], bits: bigint): bigint[] =>
  ends.flatMap((end) => [end - 1n, end, end + 1n]).filter((value) => value >= 0n && value < 1n << bits);

describe('the class of an address', () => {
  const edges4 = edges(IPV4.flatMap(([first, last]) => [numberOf(first), numberOf(last)]), 32n);
  const edges6 = edges([...IPV6.flatMap(([first, last]) => [BigInt(`0x${first}`), BigInt(`0x${last}`)]), MAPPED, NAT64,
    MAPPED + 0xffffffffn, NAT64 + 0xffffffffn], 128n);

  it("is the registries' at the edges of every range", () => {
    for (const value of edges4)
      expect([dotted(value), kindOf(dotted(value))]).toEqual([dotted(value), kindOfIpv4(value)]);
    for (const value of edges6)
      expect([hextets(value), kindOf(hextets(value))]).toEqual([hextets(value), kindOfIpv6(value)]);
  });

  it("is the registries' everywhere", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 32n) - 1n }),
        (value) => kindOf(dotted(value)) === kindOfIpv4(value)),
      { numRuns: 2000 },
    );
    const anywhere = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n });
    const nearAnEdge = fc.tuple(fc.constantFrom(...edges6), fc.bigInt({ min: 0n, max: 1n << 64n })).map((
      [edge, more],
    ) => (edge + more) % (1n << 128n));
    fc.assert(fc.property(fc.oneof(anywhere, nearAnEdge), (value) => kindOf(hextets(value)) === kindOfIpv6(value)), {
      numRuns: 2000,
    });
  });

  it('is the same in every dress of IPv6', () => {
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(...edges4), fc.bigInt({ min: 0n, max: (1n << 32n) - 1n })), (value) => {
        const expected = kindOfIpv4(value);
        expect(
          [`::ffff:${dotted(value)}`, hextets(MAPPED + value), hextets(NAT64 + value).toUpperCase(),
            `64:ff9b::${dotted(value)}`].map(kindOf),
        ).toEqual([expected, expected, expected, expected]);
      }),
    );
  });

  it.each(['', 'localhost', '127.1', '0177.0.0.1', '2130706433', '0x7f000001', '127.0.0.1 ', '1.2.3.4/8', '[::1]',
    '::1::'])('is none for %j, which is no address in full', (text) => {
      expect(parseIp(text)).toBeUndefined();
    });

  it('takes the zone of a link-local address', () => {
    expect(kindOf('fe80::1%eth0')).toBe('forbidden');
  });
});

const may = (allowPrivate: 'false' | 'loopback' | 'true', allowlist: string[], host: string, address: string) =>
  new OutboundPolicy({ allowPrivate, allowlist }).refusal(host, address) === undefined;

describe('what may be called (decision D-21)', () => {
  it.each([['8.8.8.8', true, true, true], ['2606:4700::1', true, true, true], ['127.0.0.1', false, true, true], ['::1',
    false, true, true], ['::ffff:127.0.0.1', false, true, true], ['10.0.0.5', false, false, true], ['100.64.0.1', false,
    false, true], ['fd12::1', false, false, true], ['64:ff9b::10.0.0.5', false, false, true], ['192.0.2.1', false,
    false, false], ['2001:db8::1', false, false, false], ['2002:7f00:1::', false, false, false], ['0.0.0.0', false,
    false, false], ['169.254.169.254', false, false, false], ['::ffff:169.254.169.254', false, false, false], [
    'fd00:ec2::254',
    false,
    false,
    false,
  ], ['100.100.100.200', false, false, false], ['no address', false, false, false]])(
    '%s: %s with false, %s with loopback, %s with true',
    (address, ...expected) => {
      expect((['false', 'loopback', 'true'] as const).map((allowed) => may(allowed, [], 'h', address))).toEqual(
        expected,
      );
    },
  );

  it.each([['gpu.lan', 'gpu.lan', '10.0.0.5', true], ['GPU.lan.', 'gpu.LAN', '10.0.0.5', true], ['gpu.lan',
    'other.gpu.lan', '10.0.0.5', false], ['10.0.0.0/8', 'any', '10.255.0.5', true], ['10.0.0.0/8', 'any',
    '::ffff:10.255.0.5', true], ['10.0.0.0/8', 'any', '11.0.0.1', true], ['10.0.0.5', 'any', '10.0.0.5', true], [
    '10.0.0.5',
    'any',
    '10.0.0.6',
    false,
  ], ['fd12::/16', 'any', 'fd12::9', true], ['192.0.2.0/24', 'any', '192.0.2.9', true], ['0.0.0.0/0', 'any',
    '169.254.169.254', false], ['169.254.169.254', 'any', '169.254.169.254', false], ['metadata.google.internal',
    'metadata.google.internal', '169.254.169.254', false], ['::/0', 'any', 'fe80::1', false]])(
      'the list %s for the host %s at %s: %s',
      (entry, host, address, expected) => {
        expect(may('false', [entry], host, address)).toBe(expected);
      },
    );

  it('names the entries of the list that are none', () => {
    const good = ['intranet.example', 'a_b.c', '10.1.2.3', '10.1.0.0/16', 'fd12::/16', '::1', 'localhost'];
    const bad = ['', 'http://a', 'a/b', '10.0.0.0/33', '10.0.0.0/', '10.0.0.300', '127.1', 'a b', '*.example',
      'host:80', '::1/200'];
    expect(allowlistProblems(good)).toEqual([]);
    expect(allowlistProblems(bad)).toEqual(bad.map((entry) => expect.stringContaining(`got "${entry}"`) as string));
  });
});
