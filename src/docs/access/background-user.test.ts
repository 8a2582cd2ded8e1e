import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BackgroundUser } from './index.ts';
import { AccessFixture } from './test-fixture.ts';

describe('work that goes on for a user (decision D-165)', () => {
  let fixture: AccessFixture;
  let ann: BackgroundUser;
  beforeEach(async () => {
    fixture = await AccessFixture.open();
    const credential = await fixture.register('ann');
    await fixture.manage('setPermission', { username: 'ann', collection: 'blog', write: true });
    const identity = await fixture.access.identify(credential);
    ann = { username: 'ann', account: identity!.account! };
  });
  afterEach(() => fixture.close());
  const write = () => fixture.access.standingOf(ann, 'write', 'Blog')!;

  it('has the permissions that the user has by then', async () => {
    const standing = write();
    await standing.requirePermission();
    expect(standing.isPermitted()).toBe(true);
    await fixture.manage('setPermission', { username: 'ann', collection: 'blog' });
    expect(standing.isPermitted()).toBe(false);
    await expect(standing.requirePermission()).rejects.toMatchObject({
      code: 'forbidden',
      message: 'forbidden: no write permission on Blog',
    });
    expect(standing.isPermitted()).toBe(false);
  });

  it('ends with the user, also if another one has the name', async () => {
    await fixture.manage('updateUser', { username: 'ann', disabled: true });
    await expect(write().requirePermission()).rejects.toMatchObject({
      message: expect.stringContaining('ann, whose work this is, is disabled'),
    });
    await fixture.manage('deleteUser', { username: 'ann' });
    await fixture.register('ann', { admin: true });
    await expect(write().requirePermission()).rejects.toMatchObject({
      message: expect.stringContaining('was deleted'),
    });
  });
});

describe('a change of accounts that has to wait (decision D-164)', () => {
  let fixture: AccessFixture;
  beforeEach(async () => {
    fixture = await AccessFixture.open();
  });
  afterEach(() => fixture.close());

  /** Runs `work` when the next transaction is requested, before that. */
  function beforeNextTransaction(work: () => Promise<unknown>): void {
    const { sql } = fixture;
    const transaction = sql.transaction.bind(sql);
    sql.transaction = async (steps, options) => {
      sql.transaction = transaction;
      await work();
      return transaction(steps, options);
    };
  }

  it('is not made by an administrator who was disabled meanwhile', async () => {
    const second = await fixture.register('second', { admin: true });
    beforeNextTransaction(() => fixture.manage('updateUser', { username: 'second', disabled: true }));
    await expect(fixture.call('registerUser', { username: 'backdoor', password: 'secret', admin: true }, second))
      .rejects.toMatchObject({ code: 'unauthenticated' });
    expect((await fixture.manage('listUsers')).users.map(({ username }) => username)).toEqual(['admin', 'second']);
  });

  it('gives no key of a new user to the holder of a former token', async () => {
    const former = await fixture.register('ann');
    beforeNextTransaction(async () => {
      await fixture.manage('deleteUser', { username: 'ann' });
      await fixture.register('ann');
    });
    await expect(fixture.call('createApiKey', {}, former)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect((await fixture.manage('listApiKeys', { username: 'ann' })).keys).toEqual([]);
  });

  it('is made with the rights that the caller has by then', async () => {
    const second = await fixture.register('second', { admin: true });
    await fixture.keyOf(await fixture.register('ann'));
    const { keyHash } = (await fixture.manage('listApiKeys', { username: 'ann' })).keys[0]!;
    beforeNextTransaction(() => fixture.manage('updateUser', { username: 'second', admin: false }));
    await expect(fixture.call('deleteApiKey', { keyHash }, second)).rejects.toMatchObject({ code: 'forbidden' });
  });
});
