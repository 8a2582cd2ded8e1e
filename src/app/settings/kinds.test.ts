import { describe, expect, it } from 'vitest';
import { address, byteSize, duration, httpUrl, integer, type Kind, listOf, oneOf, optional, origin, parseBoolean,
  timeZone, webOrigins } from './kinds.ts';

const accepts = <T>(kind: Kind<T>, texts: readonly string[]): (T | undefined)[] =>
  texts.map((text) => kind.parse(text));

describe('kinds of settings', () => {
  it('integer keeps its bounds', () => {
    expect(accepts(integer(1, 10), ['1', '10', '0', '11', '1.5', 'x', '', '1e1', '0x1'])).toEqual([1, 10,
      ...Array<undefined>(7).fill(undefined)]);
  });

  it('duration is milliseconds, and bare integers are seconds (decision D-05)', () => {
    expect(accepts(duration(1000, 60_000), ['5s', '60', '500ms', '2m', '-1'])).toEqual([5000, 60_000, undefined,
      undefined, undefined]);
  });

  it('byteSize reads numbers and units', () => {
    expect(accepts(byteSize(1024), ['32MiB', '2048', '1', 'much'])).toEqual([33_554_432, 2048, undefined, undefined]);
  });

  it('oneOf knows aliases and does not mind the case', () => {
    const kind = oneOf(['local', 'none'], { ollama: 'local' });
    expect(accepts(kind, ['local', 'LOCAL', 'ollama', 'other', 'constructor'])).toEqual(['local', 'local', 'local',
      undefined, undefined]);
  });

  it('address takes unix sockets only where a server can', () => {
    expect(address('with sockets').parse('unix:/run/a.sock')).toEqual({ kind: 'unix', path: '/run/a.sock' });
    expect(address('tcp only').parse('unix:/run/a.sock')).toBeUndefined();
    expect(address('tcp only').parse('127.0.0.1:80')).toEqual({ kind: 'tcp', host: '127.0.0.1', port: 80 });
  });

  it('httpUrl drops a final slash and refuses other schemes', () => {
    expect(accepts(httpUrl, ['http://localhost:11434/', 'https://a.example/v1', 'ftp://a.example', 'a.example']))
      .toEqual(['http://localhost:11434', 'https://a.example/v1', undefined, undefined]);
  });

  it('origin is a scheme, a host and a port', () => {
    expect(
      accepts(origin, ['*', 'https://a.example', 'https://a.example/', 'https://a.example/x', 'a.example', 'null']),
    ).toEqual(['*', 'https://a.example', 'https://a.example', undefined, undefined, undefined]);
  });

  it('webOrigins knows an asterisk that somebody wrote from the default', () => {
    expect(accepts(webOrigins, ['*', 'https://a.example, *', 'https://a.example', 'a.example'])).toEqual([{
      listed: [],
      others: 'everything',
    }, { listed: ['https://a.example'], others: 'everything' }, { listed: ['https://a.example'], others: 'nothing' },
      undefined]);
    expect([webOrigins.show({ listed: [], others: 'read' }),
      webOrigins.show({ listed: ['https://a.example'], others: 'everything' })]).toEqual(['', '*,https://a.example']);
  });

  it('timeZone asks the runtime', () => {
    expect(accepts(timeZone, ['UTC', 'Europe/Berlin', 'Mars/Olympus'])).toEqual(['UTC', 'Europe/Berlin', undefined]);
  });

  it('listOf drops empty items and refuses a list with a bad one', () => {
    expect(accepts(listOf(integer(0)), ['1, 2,,3', '', '1,x'])).toEqual([[1, 2, 3], [], undefined]);
  });

  it('optional shows nothing for nothing', () => {
    expect([optional(integer(0)).show(undefined), optional(integer(0)).show(5)]).toEqual(['', '5']);
  });
});

describe('parseBoolean (decision D-05)', () => {
  it.each(['true', '1', 'yes', 'on', 'enable', 'TRUE', 'On'])('%s is true', (text) => {
    expect(parseBoolean(text)).toBe(true);
  });

  it.each(['false', '0', 'no', 'off', 'disable', 'False', 'NO'])('%s is false', (text) => {
    expect(parseBoolean(text)).toBe(false);
  });

  it.each(['', 'y', '2', 'enabled', ' true', 'constructor', '__proto__'])('%j is neither', (text) => {
    expect(parseBoolean(text)).toBeUndefined();
  });
});
