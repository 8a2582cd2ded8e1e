import { describe, expect, it } from 'vitest';
import { allowlistProblems, OutboundPolicy } from './outbound-policy.ts';

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
