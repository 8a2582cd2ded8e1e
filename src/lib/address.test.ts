import { describe, expect, it } from 'vitest';
import { formatAddress, isLoopback, parseAddress, parsePort } from './address.ts';

describe('parseAddress', () => {
  it.each([[':11023', { kind: 'tcp', port: 11023 }], [':0', { kind: 'tcp', port: 0 }], ['127.0.0.1:80', {
    kind: 'tcp',
    host: '127.0.0.1',
    port: 80,
  }], ['db.example.org:65535', { kind: 'tcp', host: 'db.example.org', port: 65535 }], ['[::1]:9000', {
    kind: 'tcp',
    host: '::1',
    port: 9000,
  }], ['unix:/run/quire.sock', { kind: 'unix', path: '/run/quire.sock' }]])('reads %s, and writes it back',
    (text, expected) => {
      expect(parseAddress(text)).toEqual(expected);
      expect(formatAddress(parseAddress(text)!)).toBe(text);
    });

  it.each(['', '11023', ':', ':65536', ':-1', ':1.5', 'host', 'host:', 'host:port', '::1:80', '[::1]', '[127.0.0.1]:80',
    '300.1.1.1:80', '1.2.3:80', 'a b:80', 'http://host:80', '-x:80', 'unix:relative.sock', 'unix:/', 'unix:',
    `unix:/${'x'.repeat(110)}`])('refuses %j', (text) => {
      expect(parseAddress(text)).toBeUndefined();
    });
});

describe('parsePort', () => {
  it('reads 0 to 65535', () => {
    expect([parsePort('0'), parsePort('65535'), parsePort('65536'), parsePort('x'), parsePort('')]).toEqual([0, 65535,
      undefined, undefined, undefined]);
  });
});

describe('isLoopback', () => {
  it.each([['127.0.0.1:1', true], ['127.9.9.9:1', true], ['localhost:1', true], ['[::1]:1', true], ['unix:/a', true], [
    ':1',
    false,
  ], ['0.0.0.0:1', false], ['127.example.org:1', false]])('%s: %s', (text, expected) => {
    expect(isLoopback(parseAddress(text)!)).toBe(expected);
  });
});
