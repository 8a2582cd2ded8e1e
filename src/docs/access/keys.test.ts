import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Identity } from '../../operations/index.ts';
import { AccessFixture, key } from './test-fixture.ts';

let fixture: AccessFixture;
beforeEach(async () => {
  fixture = await AccessFixture.open();
});
afterEach(() => fixture.close());

async function identityOf(more: object, user = 'ann'): Promise<Identity | undefined> {
  const credential = await fixture.login(user);
  return fixture.access.identify((await fixture.keyOf(credential, more)).credential);
}

describe('an API key with a scope', () => {
  it('is for its collections and permissions, as far as its owner has them', async () => {
    await fixture.register('ann');
    await fixture.manage('setPermission', { username: 'ann', collection: '*', read: true, write: true });
    const identity = await identityOf({ collections: ['Blog'], operations: ['read', 'addDocument'] });
    const rights = (['read', 'write', 'admin'] as const).map((
      permission,
    ) => [identity!.may(permission, 'BLOG'), identity!.may(permission, 'wiki')]);
    expect(rights).toEqual([[true, false], [true, false], [false, false]]);
    await fixture.manage('setPermission', { username: 'ann', collection: 'blog', read: true });
    const narrowed = await identityOf({ operations: ['write'] });
    expect([narrowed!.may('write', 'blog'), narrowed!.may('write', 'wiki')]).toEqual([false, true]);
  });

  it('of an administrator manages no accounts, unless it names the operation', async () => {
    await fixture.register('ann', { admin: true });
    const credential = await fixture.login('ann');
    const call = async (more: object) =>
      fixture.call('listUsers', {}, (await fixture.keyOf(credential, more)).credential);
    for (const more of [{ operations: ['read', 'write', 'admin'] }, { collections: ['*'] }])
      await expect(call(more)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(call({ operations: ['listUsers'], collections: ['*'] })).rejects.toMatchObject({
      code: 'admin_required',
    });
    expect((await call({ operations: ['listUsers'] })).users).toHaveLength(2);
  });

  it('for searches opens no streams', async () => {
    await fixture.register('ann', { admin: true });
    const { credential } = await fixture.keyOf(await fixture.login('ann'), { operations: ['search'] });
    const accessWatch = fixture.access.follow({ protocol: 'grpc', requestId: 't', credential });
    await expect(accessWatch.ready).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('names operations that there are', async () => {
    await fixture.register('ann');
    await expect(identityOf({ operations: ['toString'] })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('operations') as string,
    });
  });
});

describe('locking out', () => {
  it('ends tokens, keys and streams at once, and tokens for good', async () => {
    const credential = await fixture.register('ann');
    const { credential: apiKey } = await fixture.keyOf(credential);
    const accessWatch = fixture.access.follow({ protocol: 'http', requestId: 't', credential: apiKey });
    await accessWatch.ready;
    const ended = new Promise((resolve) => accessWatch.signal.addEventListener('abort', resolve));
    await fixture.manage('updateUser', { username: 'ann', disabled: true });
    await ended;
    expect(await Promise.all([credential, apiKey].map((each) => fixture.access.identify(each)))).toEqual([undefined,
      undefined]);
    await fixture.manage('updateUser', { username: 'ann', disabled: false });
    expect(
      (await Promise.all([credential, apiKey].map((each) => fixture.access.identify(each)))).map((each) =>
        each?.username
      ),
    ).toEqual([undefined, 'ann']);
  });

  it('leaves the last administrator', async () => {
    for (const change of [{ disabled: true }, { admin: false }])
      await expect(fixture.manage('updateUser', { username: 'admin', ...change })).rejects.toThrow(
        "the last administrator can't be disabled or demoted",
      );
    await fixture.register('ann');
    await fixture.manage('setUserRoles', { username: 'ann', roles: ['admin'] });
    await fixture.manage('updateUser', { username: 'admin', admin: false });
    await expect(fixture.call('setUserRoles', { username: 'ann', roles: [] }, await fixture.login('ann'))).rejects
      .toThrow('the last administrator');
  });

  it('does not outlast the expiry of a reset, nor does a token come back', async () => {
    await fixture.register('ann');
    const { token } = await fixture.manage('createPasswordReset', { username: 'ann', expiresIn: 60 });
    fixture.advance(61);
    await expect(fixture.call('redeemPasswordReset', { username: 'ann', token, newPassword: 'another secret' })).rejects
      .toMatchObject({ code: 'invalid_credentials' });
    expect(JSON.stringify(await fixture.sql.all('SELECT * FROM password_resets'))).not.toContain(token);
  });

  it('a key that was revoked is unknown', async () => {
    const credential = await fixture.register('ann');
    const made = await fixture.keyOf(credential);
    await fixture.call('revokeApiKey', { keyHash: made.keyHash }, credential);
    expect(await fixture.access.identify(made.credential)).toBeUndefined();
    expect(await fixture.access.identify(key('svc_live_none'))).toBeUndefined();
  });
});
