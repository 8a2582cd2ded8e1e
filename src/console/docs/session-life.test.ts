import { beforeAll, describe, expect, it, vi } from 'vitest';
import type * as SessionLife from './session-life.ts';

let life: typeof SessionLife;
beforeAll(async () => {
  vi.stubGlobal('sessionStorage', { getItem: () => null });
  life = await import('./session-life.ts');
});

const token = (iat: number): string =>
  `e30.${Buffer.from(JSON.stringify({ iat, name: 'ä?>' })).toString('base64url')}.s`;
const NOW = 5_000_000;

describe('the session of a token', () => {
  it('is renewed after half of its life if it is used, whatever the time of the server is', () => {
    const session = life.sessionOf({ token: token(1000), expiresAt: 1000 + 600, sessionEndsAt: 9000 }, NOW);
    expect(session).toEqual({ kind: 'token', value: token(1000), renewAt: NOW + 300_000 });
    expect([life.dueFor(session, true, NOW + 299_000), life.dueFor(session, false, NOW + 301_000),
      life.dueFor(session, true, NOW + 301_000)]).toEqual([undefined, undefined, 'renewal']);
  });

  it('that cannot be renewed is announced to end', () => {
    const session = life.sessionOf({ token: token(1000), expiresAt: 1000 + 600, sessionEndsAt: 1600 }, NOW);
    expect([life.dueFor(session, true, NOW + 299_000), life.dueFor(session, false, NOW + 301_000)]).toEqual([undefined,
      'notice']);
  });

  it('does not concern API keys', () => {
    expect(life.dueFor({ kind: 'key', value: 'svc_live_1' }, true, NOW)).toBeUndefined();
  });
});
