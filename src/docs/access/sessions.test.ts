import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccessFixture, START, token } from './test-fixture.ts';

const DAY = 86_400;

let fixture: AccessFixture;
beforeEach(async () => {
  fixture = await AccessFixture.open({ auth: { sessionMaxMs: 3 * DAY * 1000 } });
});
afterEach(() => fixture.close());

const isValid = async (credential: ReturnType<typeof token>): Promise<boolean> =>
  (await fixture.access.identify(credential)) !== undefined;

describe('a session', () => {
  it('is renewed until it ends, however often', async () => {
    let credential = await fixture.register('ann');
    for (const day of [1, 2]) {
      fixture.advance(DAY - 60);
      const renewed = await fixture.call('refreshSession', {}, credential);
      expect(renewed).toMatchObject({
        expiresAt: Math.min(START + day * (DAY - 60) + DAY, START + 3 * DAY),
        sessionEndsAt: START + 3 * DAY,
      });
      credential = token(renewed.token);
    }
    fixture.advance(DAY - 60);
    const last = await fixture.call('refreshSession', {}, credential);
    expect(last.expiresAt).toBe(START + 3 * DAY);
    fixture.advance(60 + 61 + 120);
    await expect(fixture.call('refreshSession', {}, token(last.token))).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });

  it('ends with all its tokens and streams when the user signs out, and other sessions do not', async () => {
    const first = await fixture.register('ann');
    const renewed = token((await fixture.call('refreshSession', {}, first)).token);
    const other = await fixture.login('ann');
    const standing = fixture.access.follow({ protocol: 'http', requestId: 't', credential: renewed });
    await standing.ready;
    const ended = new Promise((resolve) => standing.signal.addEventListener('abort', resolve));
    expect(await fixture.call('logout', {}, first)).toEqual({ status: 'signed out' });
    await ended;
    expect(await Promise.all([first, renewed, other].map(isValid))).toEqual([false, false, true]);
    await fixture.restart();
    expect(await Promise.all([first, renewed, other].map(isValid))).toEqual([false, false, true]);
  });

  it('ends everywhere if that is wanted, while keys stay good', async () => {
    const [first, other] = [await fixture.register('ann'), await fixture.login('ann')];
    const { credential: apiKey } = await fixture.keyOf(first);
    await fixture.call('logout', { everywhere: true }, first);
    expect(await Promise.all([first, other, apiKey].map(isValid))).toEqual([false, false, true]);
    expect(await isValid(await fixture.login('ann'))).toBe(true);
  });

  it('is nothing that an API key has', async () => {
    const { credential } = await fixture.keyOf(await fixture.register('ann'));
    for (const id of ['refreshSession', 'logout'] as const)
      await expect(fixture.call(id, {}, credential)).rejects.toMatchObject({
        code: 'unauthenticated',
        message: expect.stringContaining('needs a token from login') as string,
      });
  });

  it('can be ended, but not renewed, before a password is changed that must be', async () => {
    const credential = await fixture.register('ann', { mustChangePassword: true });
    await expect(fixture.call('refreshSession', {}, credential)).rejects.toMatchObject({ code: 'forbidden' });
    await fixture.call('logout', {}, credential);
    expect(await isValid(credential)).toBe(false);
  });

  it('that has ended is forgotten when its tokens have expired', async () => {
    await fixture.call('logout', {}, await fixture.register('ann'));
    const stored = () => fixture.sql.all("SELECT name FROM settings WHERE name LIKE 'ended_session:%'");
    expect(await stored()).toHaveLength(1);
    fixture.advance(4 * DAY);
    await fixture.call('logout', {}, await fixture.login('ann'));
    expect(await stored()).toHaveLength(1);
  });
});

describe('API keys of others', () => {
  it('are listed and revoked by administrators, and by nobody else', async () => {
    const [ann, bob] = [await fixture.register('ann'), await fixture.register('bob')];
    const { keyHash } = await fixture.keyOf(ann, { description: 'of ann' });
    await fixture.keyOf(bob, { description: 'of bob' });
    const listed = async (username: string) =>
      (await fixture.manage('listApiKeys', { username })).keys.map((key) => [key.username, key.description]);
    expect([await listed('ann'), await listed('*')]).toEqual([[['ann', 'of ann']], [['ann', 'of ann'], ['bob',
      'of bob']]]);
    expect((await fixture.call('listApiKeys', { username: 'ann' }, ann)).keys).toHaveLength(1);
    for (const username of ['ann', '*', 'nobody'])
      await expect(fixture.call('listApiKeys', { username }, bob)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(listed('nobody')).rejects.toMatchObject({ code: 'not_found' });
    await expect(fixture.call('revokeApiKey', { keyHash }, bob)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await fixture.manage('revokeApiKey', { keyHash })).toMatchObject({ username: 'ann', revokedAt: START });
  });
});
