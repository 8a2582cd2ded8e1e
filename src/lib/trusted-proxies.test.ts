import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientNetwork, createAddressReader, type Network, parseNetwork, plainAddress } from './trusted-proxies.ts';

const networks = (...texts: string[]): Network[] => texts.map((text) => parseNetwork(text)!);

describe('parseNetwork', () => {
  it.each([['10.0.0.1', '10.0.0.1', '10.0.0.2'], ['10.0.0.0/8', '10.255.0.1', '11.0.0.1'], ['10.1.2.3/8', '10.255.0.1',
    '11.0.0.1'], ['::1', '::1', '::2'], ['2001:db8::/32', '2001:db8:1::5', '2001:db9::5'], ['::ffff:10.0.0.0/104',
    '10.1.1.1', '11.1.1.1'], ['10.0.0.0/8', '::ffff:10.1.1.1', '::ffff:11.1.1.1'], ['0.0.0.0/0', '1.2.3.4', '::1']])(
      '%s holds %s and not %s',
      (text, inside, outside) => {
        const network = parseNetwork(text)!;
        expect([network.contains(inside), network.contains(outside)]).toEqual([true, false]);
      },
    );

  it.each(['', 'proxy.example', '10.0.0', '10.0.0.0/33', '::/129', '10.0.0.0/-1', '10.0.0.0/8/8', '10.0.0.0/',
    '010.0.0.1', '0x7f.1', '::ffff:10.0.0.0/8', 'localhost'])('%j is none', (text) => {
      expect(parseNetwork(text)).toBeUndefined();
    });

  it('knows the ranges that hold everything', () => {
    expect(['0.0.0.0/0', '::/0', '10.0.0.0/8'].map((text) => parseNetwork(text)!.isEverything)).toEqual([true, true,
      false]);
  });

  it('holds nothing that is no address', () => {
    expect(parseNetwork('::/0')!.contains('unknown')).toBe(false);
  });
});

describe('plainAddress', () => {
  it.each([['1.2.3.4', '1.2.3.4'], ['::ffff:1.2.3.4', '1.2.3.4'], ['2001:DB8:0::1', '2001:db8::1'], ['fe80::1%eth0',
    'fe80::1'], ['nobody', undefined], ['', undefined]])('%s is %s', (text, expected) => {
      expect(plainAddress(text)).toBe(expected);
    });
});

describe('clientNetwork', () => {
  it.each([['192.0.2.7', '192.0.2.7'], ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'], [
    '2001:db8:1:2:ffff:ffff:ffff:ffff',
    '2001:db8:1:2::/64',
  ], ['2001:db8:1:3::', '2001:db8:1:3::/64'], ['::1', '::/64']])('of %s is %s', (address, expected) => {
    expect(clientNetwork(address)).toBe(expected);
  });
});

describe('createAddressReader', () => {
  const read = createAddressReader(networks('10.0.0.0/8', '2001:db8::/64'));

  it.each([['believes nobody who is not trusted', '192.0.2.1', '203.0.113.9', '192.0.2.1'], ['believes a proxy',
    '10.0.0.1', '203.0.113.9', '203.0.113.9'], ['believes a chain of them', '10.0.0.1',
    '203.0.113.9, 10.0.0.3,10.0.0.2', '203.0.113.9'], [
    'takes the rightmost that is not trusted, whatever the client wrote before it',
    '10.0.0.1',
    '127.0.0.1, 10.0.0.9, 203.0.113.9',
    '203.0.113.9',
  ], ['takes the leftmost where all are trusted', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'], [
    'stays with the proxy where the next one is no address',
    '10.0.0.1',
    '203.0.113.9, unknown',
    '10.0.0.1',
  ], ['stays with the proxy where the header is empty', '10.0.0.1', '', '10.0.0.1'], ['reads entries with ports',
    '10.0.0.1', '203.0.113.9:5123', '203.0.113.9'], ['reads IPv6 with ports', '2001:db8::9', '[2001:db9::1]:443',
    '2001:db9::1'], ['knows a proxy on a socket of both kinds', '::ffff:10.0.0.1', '::ffff:203.0.113.9',
    '203.0.113.9']])('%s', (_, peer, forwarded, expected) => {
      expect(read(peer, forwarded)).toBe(expected);
    });

  it('without a header it is the peer, and without a peer nobody', () => {
    expect([read('10.0.0.1', undefined), read(undefined, '203.0.113.9'),
      createAddressReader([])('10.0.0.1', '203.0.113.9')]).toEqual(['10.0.0.1', undefined, '10.0.0.1']);
  });

  it('a client that writes what it likes changes nothing that its proxy appended', () => {
    const hop = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string(), fc.constant('10.0.0.5'));
    fc.assert(
      fc.property(fc.array(hop, { maxLength: 6 }), fc.ipV4().filter((address) => !address.startsWith('10.')),
        (written, client) => {
          expect(read('10.0.0.1', [...written, client].join(', '))).toBe(client);
        }),
    );
  });
});
