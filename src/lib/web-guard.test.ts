import { describe, expect, it } from 'vitest';
import { createWebGuard, ownNames, type WebGuardOptions } from './web-guard.ts';

const NAMES = ['desk.example.org', 'desk', 'desk.local'];

function judge(request: { host?: string; origin?: string; anyHost?: boolean },
  options: Partial<WebGuardOptions> = {}): string
{
  const guard = createWebGuard({
    origins: [],
    others: 'nothing',
    names: NAMES,
    remedy: (origin) => `allow ${origin}`,
    ...options,
  });
  return guard({ host: 'localhost:11023', origin: undefined, anyHost: false, ...request }).may;
}

describe('a Host', () => {
  it.each(['localhost', 'localhost:11023', 'LOCALHOST', 'localhost.', 'docs.localhost:80', '127.0.0.1',
    '127.0.0.1:11023', '[::1]:11023', '192.168.1.5:11023', '10.0.0.1', '[fe80::1]', '[2001:db8::7]:443', 'desk',
    'desk:11023', 'DESK.local', 'desk.example.org'])('%s is one of this server', (host) => {
      expect(judge({ host })).toBe('everything');
    });

  it.each(['evil.example', 'evil.example:11023', 'localhost.evil.example', '127.0.0.1.evil.example', '127.0.0.1.nip.io',
    'evillocalhost', 'quire', 'e vil', 'evil.example@localhost', 'localhost/evil', 'localhost:port', '', '999.1.1.1',
    'localhost?x', 'localhost#'])('%j is refused, whatever pages may do', (host) => {
      expect([judge({ host }), judge({ host }, { others: 'read' })]).toEqual(['nothing', 'nothing']);
    });

  it('is refused with a way to allow it', () => {
    const guard = createWebGuard({ origins: [], others: 'read', names: [], remedy: (origin) => `allow ${origin}` });
    expect(guard({ host: 'quire:11023', origin: undefined, anyHost: false })).toEqual({
      may: 'nothing',
      reason:
        'Host "quire:11023" is not a known name of this server, and a web page can make any name point here; use ' +
        'an IP address or localhost, or allow http://quire:11023',
    });
  });

  it('of a listed origin is a name of this server, on every port', () => {
    const options = { origins: ['https://docs.example.org'] };
    expect([judge({ host: 'docs.example.org' }, options), judge({ host: 'DOCS.example.org:11023' }, options),
      judge({ host: 'other.example.org' }, options)]).toEqual(['everything', 'everything', 'nothing']);
  });

  it('does not matter on a unix socket, where it is absent, and where every origin may do everything', () => {
    expect(judge({ host: 'anything', anyHost: true })).toBe('everything');
    expect(createWebGuard({ origins: [], others: 'nothing', names: [], remedy: String })({
      host: undefined,
      origin: undefined,
      anyHost: false,
    }).may).toBe('everything');
    expect(judge({ host: 'evil.example', origin: 'http://evil.example' }, { others: 'everything' })).toBe('everything');
  });
});

describe('an Origin', () => {
  it.each(['http://localhost:3000', 'https://localhost', 'http://127.0.0.1:8080', 'http://127.8.9.1',
    'http://[::1]:5173', 'http://app.localhost:3000'])('%s is one of this machine', (origin) => {
      expect(judge({ origin })).toBe('everything');
    });

  it.each([
    ['http://192.168.1.5:11023', '192.168.1.5:11023'],
    ['http://desk', 'desk:80'],
    ['http://DESK:11023', 'desk:11023'],
    // A proxy terminated TLS and passed on the Host.
    ['https://desk.example.org', 'desk.example.org'],
    ['https://desk.example.org', 'desk.example.org:443'],
  ])('%s is that of a server reached as %s', (origin, host) => {
    expect(judge({ origin, host })).toBe('everything');
  });

  it.each([['https://evil.example', 'localhost:11023'], ['null', 'localhost:11023'], ['http://localhost.evil.example',
    'localhost:11023'], ['http://127.0.0.1.evil.example', 'localhost:11023'], ['http://192.168.1.5:8080',
    '192.168.1.5:11023'], ['http://192.168.1.6:11023', '192.168.1.5:11023'], ['http://10.0.0.1', 'localhost:11023'], [
    'file://',
    'localhost:11023',
  ], ['', 'localhost:11023']])('%j is foreign to a server reached as %s: the verdict says what its pages may do',
    (origin, host) => {
      expect((['nothing', 'read', 'everything'] as const).map((others) => judge({ origin, host }, { others }))).toEqual(
        ['nothing', 'read', 'everything'],
      );
    });

  it('that is listed may do everything, and its neighbours may not', () => {
    const options = { origins: ['https://app.example.org'] };
    expect(
      ['https://app.example.org', 'http://app.example.org', 'https://app.example.org:8443', 'https://x.app.example.org']
        .map((origin) => judge({ origin }, options)),
    ).toEqual(['everything', 'nothing', 'nothing', 'nothing']);
  });

  it('that is not the one of a page behind a Host that is known does not become so on a socket', () => {
    expect(judge({ host: 'localhost', origin: 'https://evil.example', anyHost: true })).toBe('nothing');
  });
});

describe('the names of a machine', () => {
  it('are its own, short and of the local network, and what a server listens on', () => {
    expect(ownNames('Docs.Example.org', 'Desk.example.org')).toEqual(['desk.example.org', 'desk', 'desk.local',
      'host.docker.internal', 'host.containers.internal', 'docs.example.org']);
    expect(ownNames(undefined, 'desk')).toEqual(['desk', 'desk.local', 'host.docker.internal',
      'host.containers.internal']);
  });
});
