import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { AccessFixture, type AccessFixtureOptions, key, START, token } from './test-fixture.ts';

const fixtures: AccessFixture[] = [];
afterEach(async () => {
  for (const fixture of fixtures.splice(0)) await fixture.close();
});
async function open(options?: AccessFixtureOptions): Promise<AccessFixture> {
  const fixture = await AccessFixture.open(options);
  fixtures.push(fixture);
  return fixture;
}

const INVALID = { code: 'unauthenticated', message: 'invalid token' };
const BAD_LOGIN = { code: 'invalid_credentials', message: 'invalid credentials' };
const LAST_ADMIN = {
  code: 'invalid_argument',
  message: expect.stringMatching(/^the last administrator can't /) as string,
};

describe.each(['node:sqlite', 'sql.js'] as const)('access over %s (contract section 5)', (driver) => {
  it('signs users in, who may then say who they are', async () => {
    const fixture = await open({ driver });
    const ann = await fixture.register('ann');
    expect(await fixture.call('getCurrentUser', {}, ann)).toEqual({
      username: 'ann',
      createdAt: START,
      disabled: false,
      admin: false,
      groups: [],
    });
    await expect(fixture.call('getCurrentUser')).rejects.toMatchObject({
      code: 'unauthenticated',
      message: 'missing authentication',
      headers: { 'WWW-Authenticate': 'Bearer realm="quire"' },
    });
  });

  it('knows no difference between an unknown, a disabled and a wrong login, nor between such credentials', async () => {
    const fixture = await open({ driver });
    const ann = await fixture.register('ann');
    const annsKey = await fixture.keyOf(ann);
    await fixture.sql.transaction((tx) => tx.run("UPDATE users SET disabled = 1 WHERE username = 'ann'"));
    await fixture.manage('createGroup', { name: 'whatever makes it forget' });
    for (const [username, password] of [['ann', 'secret'], ['ann', 'wrong'], ['ben', 'secret'], ['Admin',
      'first password'], ['__proto__', 'secret']])
    {
      await expect(fixture.login(username!, password)).rejects.toMatchObject(BAD_LOGIN);
    }
    for (const credential of [ann, annsKey.credential, key('svc_live_unknown'), key(''), token('nonsense')]) {
      await expect(fixture.call('getCurrentUser', {}, credential)).rejects.toMatchObject(INVALID);
    }
  });

  it('takes everything of a deleted user along, and leaves nothing to the next one of that name', async () => {
    const fixture = await open({ driver });
    const ann = await fixture.register('ann');
    const { credential } = await fixture.keyOf(ann);
    await fixture.manage('createGroup', { name: 'editors', members: ['ann', 'ben'] });
    await fixture.manage('setGroupPermission', { group: 'editors', collection: 'blog', read: true });
    await fixture.manage('setPermission', { username: 'ann', collection: 'blog', write: true });
    await fixture.call('getCurrentUser', {}, credential);
    expect(await fixture.manage('deleteUser', { username: 'ann' })).toEqual({ status: 'deleted', username: 'ann' });
    const again = await fixture.register('ann');
    for (const former of [ann, credential])
      await expect(fixture.call('getCurrentUser', {}, former)).rejects.toMatchObject(INVALID);
    expect(await fixture.call('getCurrentUser', {}, again)).toMatchObject({ groups: [] });
    expect(await fixture.call('listApiKeys', {}, again)).toEqual({ keys: [] });
    expect(await fixture.manage('listPermissions', { username: 'ann' })).toEqual([]);
    expect(await fixture.manage('getGroup', { name: 'editors' })).toMatchObject({ members: ['ben'] });
  });

  it('counts a membership from the moment that there is a user of that name', async () => {
    const fixture = await open({ driver });
    await fixture.manage('createGroup', { name: 'admins', members: ['ann'] });
    await fixture.manage('setGroupPermission', { group: 'admins', collection: '*', admin: true });
    const ann = await fixture.register('ann');
    expect(await fixture.call('getCurrentUser', {}, ann)).toMatchObject({ admin: true, groups: ['admins'] });
    expect((await fixture.call('listUsers', {}, ann)).users.map(({ username, admin }) => [username, admin])).toEqual([[
      'admin',
      true,
    ], ['ann', true]]);
    await fixture.manage('updateGroup', { name: 'admins' });
    await expect(fixture.call('listUsers', {}, ann)).rejects.toMatchObject({
      code: 'admin_required',
      message: 'admin permission required',
    });
  });

  it('puts every change in the feed, and no secret', async () => {
    const fixture = await open({ driver });
    const ann = await fixture.register('ann');
    const { credential, keyHash } = await fixture.keyOf(ann);
    const mcp = await fixture.manage('createMcpKey', { name: 'plugin' });
    await fixture.manage('setPermission', { username: 'ann', collection: 'a', read: true });
    await fixture.call('deleteApiKey', { keyHash }, ann);
    const changes = await fixture.feed.read(0, 100);
    expect(changes.map(({ kind, key: name }) => [kind, name])).toEqual([['user.put', 'admin'], ['user.put', 'ann'], [
      'api-key.put',
      'ann',
    ], ['mcp-key.put', mcp.fingerprint], ['permission.put', 'ann'], ['api-key.delete', keyHash]]);
    for (const secret of [credential.value, mcp.key, 'first password', '$2b$'])
      expect(JSON.stringify(changes)).not.toContain(secret);
  });
});

describe('API keys (contract section 5, rule 4)', () => {
  it('are stored as a hash alone', async () => {
    const fixture = await open();
    const { credential, keyHash } = await fixture.keyOf(await fixture.register('ann'));
    expect(credential.value).toMatch(/^svc_live_[0-9a-f]{48}$/);
    expect(keyHash).toBe(createHash('sha256').update(credential.value).digest('hex'));
    expect(JSON.stringify(await fixture.sql.all('SELECT * FROM api_keys'))).not.toContain(credential.value.slice(9));
  });

  it('work until they expire, as a bearer too, and make no other keys', async () => {
    const fixture = await open();
    const ann = await fixture.register('ann');
    const { credential } = await fixture.keyOf(ann, { expiresAt: START + 60 });
    for (const each of [credential, token(credential.value)]) {
      expect(await fixture.call('getCurrentUser', {}, each)).toMatchObject({ username: 'ann' });
      await expect(fixture.call('createApiKey', {}, each)).rejects.toMatchObject({
        code: 'unauthenticated',
        message: 'missing authentication: creating an API key needs a token from login',
      });
    }
    await expect(fixture.call('getCurrentUser', {}, { ...ann, scheme: 'api-key' })).rejects.toMatchObject(INVALID);
    await expect(fixture.keyOf(ann, { expiresAt: START })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: `expiresAt must be in the future, or 0 for never, got ${START}`,
    });
    fixture.advance(60);
    await expect(fixture.call('getCurrentUser', {}, credential)).rejects.toMatchObject(INVALID);
  });

  it('stop at once when they are deleted, by their user or an administrator and nobody else', async () => {
    const fixture = await open();
    const [ann, ben] = [await fixture.register('ann'), await fixture.register('ben')];
    const first = await fixture.keyOf(ann);
    const second = await fixture.keyOf(ann);
    await fixture.call('getCurrentUser', {}, first.credential);
    await expect(fixture.call('deleteApiKey', { keyHash: first.keyHash }, ben)).rejects.toMatchObject({
      code: 'forbidden',
    });
    await fixture.call('deleteApiKey', { keyHash: first.keyHash }, first.credential);
    await expect(fixture.call('getCurrentUser', {}, first.credential)).rejects.toMatchObject(INVALID);
    await fixture.manage('deleteApiKey', { keyHash: second.keyHash });
    expect(await fixture.call('listApiKeys', {}, ann)).toEqual({ keys: [] });
    await expect(fixture.call('deleteApiKey', { keyHash: 'none' }, ann)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are made by one who may do nothing else, and stop with what the user may do', async () => {
    const fixture = await open();
    const ann = await fixture.register('ann', { admin: true });
    const { credential } = await fixture.keyOf(ann);
    expect((await fixture.call('listUsers', {}, credential)).users).toHaveLength(2);
    await fixture.manage('deleteUser', { username: 'ann' });
    await expect(fixture.call('createApiKey', {}, ann)).rejects.toMatchObject(INVALID);
  });

  it('report when they were last used: at once, and after a restart what was written', async () => {
    const fixture = await open();
    const ann = await fixture.register('ann');
    const { credential } = await fixture.keyOf(ann);
    const lastUsedAt = async () => (await fixture.call('listApiKeys', {}, ann)).keys[0]!.lastUsedAt;
    expect(await lastUsedAt()).toBe(0);
    for (const seconds of [100, 10, 10]) {
      fixture.advance(seconds);
      await fixture.call('getCurrentUser', {}, credential);
      expect(await lastUsedAt()).toBe(Math.floor(fixture.clock.now() / 1000));
    }
    await fixture.restart();
    expect(await lastUsedAt()).toBe(START + 120);
  });

  it('write nothing of it where nothing may be written', async () => {
    const fixture = await open({ mode: 'read' });
    const ann = await fixture.register('ann');
    const { credential } = await fixture.keyOf(ann);
    fixture.advance(100);
    await fixture.call('getCurrentUser', {}, credential);
    await fixture.restart();
    expect((await fixture.call('listApiKeys', {}, ann)).keys[0]!.lastUsedAt).toBe(0);
  });
});

describe('MCP keys', () => {
  it('are found by themselves or their hash until they are disabled, deleted or expired', async () => {
    const fixture = await open();
    const create = (more = {}) => fixture.manage('createMcpKey', { name: 'plugin', ...more });
    const [first, second, third] = [await create(), await create(), await create({ expiresAt: START + 60 })];
    const { access } = fixture;
    expect(await access.checkMcpKey(first.key)).toEqual({ name: 'plugin' });
    expect(await access.findMcpKey(createHash('sha256').update(first.key).digest('hex'))).toEqual({ name: 'plugin' });
    let changes = 0;
    access.onChange(() => (changes += 1));
    await fixture.manage('disableMcpKey', { key: first.key });
    await fixture.manage('deleteMcpKey', { key: second.key });
    expect(changes).toBe(2);
    expect(await access.checkMcpKey(third.key)).toBeDefined();
    fixture.advance(60);
    for (const { key: value } of [first, second, third]) expect(await access.checkMcpKey(value)).toBeUndefined();
    for (const value of ['', 'mcp_', 'nonsense']) expect(await access.checkMcpKey(value)).toBeUndefined();
    const { keys, total } = await fixture.manage('listMcpKeys');
    expect(keys.map(({ disabled }) => disabled)).toEqual([true, false]);
    expect(total).toBe(2);
  });

  it('are no credential of other protocols (decisions section 5.1)', async () => {
    const fixture = await open();
    const { key: value } = await fixture.manage('createMcpKey', { name: 'plugin' });
    for (const credential of [key(value), token(value)])
      await expect(fixture.call('getCurrentUser', {}, credential)).rejects.toMatchObject(INVALID);
  });

  it('are not kept while MCP is off', async () => {
    const fixture = await open({ mcp: false });
    for (const [id, input] of [['createMcpKey', { name: 'a' }], ['listMcpKeys', {}], ['deleteMcpKey', { key: 'a' }], [
      'disableMcpKey',
      { key: 'a' },
    ]] as const) {
      await expect(fixture.manage(id, input)).rejects.toMatchObject({
        code: 'unavailable',
        message: 'MCP key store is not initialised',
      });
    }
  });

  it('vouch for their holder only where the protocol says so itself', async () => {
    const fixture = await open();
    expect((await fixture.call('listUsers', {}, undefined, { protocol: 'mcp', trustedAs: 'plugin' })).users)
      .toHaveLength(1);
  });
});

describe('the last administrator', () => {
  it('can neither be deleted nor lose what makes one', async () => {
    const fixture = await open();
    await expect(fixture.manage('deleteUser', { username: 'admin' })).rejects.toMatchObject({
      ...LAST_ADMIN,
      message: "the last administrator can't be deleted",
    });
    const ann = await fixture.register('ann');
    await fixture.manage('setPermission', { username: 'ann', collection: '*', admin: true });
    await fixture.call('deleteUser', { username: 'admin' }, ann);
    await expect(fixture.call('setPermission', { username: 'ann', collection: '*', read: true }, ann)).rejects
      .toMatchObject(LAST_ADMIN);
    await fixture.call('createGroup', { name: 'admins', members: ['ann'] }, ann);
    await fixture.call('setGroupPermission', { group: 'admins', collection: '*', admin: true }, ann);
    await fixture.call('setPermission', { username: 'ann', collection: '*' }, ann);
    for (const [id, input] of [['updateGroup', { name: 'admins', members: ['ben'] }], ['deleteGroup', {
      name: 'admins',
    }], ['setGroupPermission', { group: 'admins', collection: '*', write: true }], ['deleteUser', {
      username: 'ann',
    }]] as const) await expect(fixture.call(id, input, ann)).rejects.toMatchObject(LAST_ADMIN);
    expect(await fixture.call('getCurrentUser', {}, ann)).toMatchObject({ admin: true, groups: ['admins'] });
    expect(await fixture.call('getGroup', { name: 'admins' }, ann)).toMatchObject({ members: ['ann'] });
  });

  it('is one who can sign in: a disabled one does not count', async () => {
    const fixture = await open();
    await fixture.register('ann', { admin: true });
    await fixture.sql.transaction((tx) => tx.run("UPDATE users SET disabled = 1 WHERE username = 'ann'"));
    await expect(fixture.manage('deleteUser', { username: 'admin' })).rejects.toMatchObject(LAST_ADMIN);
  });
});

describe('the first administrator (decisions section 5.1)', () => {
  it('is created once, and never changed in silence', async () => {
    const fixture = await open();
    const admin = await fixture.login('admin', 'first password');
    await fixture.restart({ adminPassword: 'second password' });
    expect(await fixture.call('getCurrentUser', {}, admin)).toMatchObject({ admin: true });
    await expect(fixture.login('admin', 'second password')).rejects.toMatchObject(BAD_LOGIN);
    expect(fixture.logged.map(({ message }) => message)).toEqual(['administrator created']);
  });

  it('is reset when configured, once, which signs out all sessions of the administrator', async () => {
    const fixture = await open();
    const admin = await fixture.login('admin', 'first password');
    const { credential } = await fixture.keyOf(admin);
    await fixture.sql.transaction((tx) => tx.run('UPDATE users SET disabled = 1, admin = 0'));
    await fixture.restart({ adminPassword: 'second password', adminReset: true });
    await expect(fixture.call('getCurrentUser', {}, admin)).rejects.toMatchObject(INVALID);
    const again = await fixture.login('admin', 'second password');
    expect(await fixture.call('getCurrentUser', {}, again)).toMatchObject({
      admin: true,
      disabled: false,
      createdAt: START,
    });
    expect(await fixture.call('getCurrentUser', {}, credential)).toMatchObject({ username: 'admin' });
    await fixture.restart({ adminPassword: 'second password', adminReset: true });
    expect(await fixture.call('getCurrentUser', {}, again)).toMatchObject({ admin: true });
    expect(fixture.logged.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  it('a server without one warns at its start', async () => {
    const fixture = await open();
    await fixture.sql.transaction((tx) => tx.run('UPDATE users SET admin = 0'));
    await fixture.restart();
    expect(fixture.logged.at(-1)).toEqual({
      level: 'warn',
      message: 'nobody can administer this server: restart it once with SVC_AUTH_ADMIN_RESET=true',
    });
  });
});

describe('names and other input', () => {
  it('of users are letters, digits and four signs, in the case in which they are', async () => {
    const fixture = await open();
    for (const username of ['__proto__', 'constructor', 'Ann', 'ann', 'a'.repeat(64), 'a.b_c@d-e', '-']) {
      expect(await fixture.manage('registerUser', { username, password: 'secret' })).toMatchObject({
        username,
        admin: false,
      });
      expect(await fixture.call('getCurrentUser', {}, await fixture.login(username))).toMatchObject({ username });
    }
    for (const username of ['', 'a'.repeat(65), 'a b', 'änn', 'ａｎｎ', 'ann\0', 'ann\n', 'a\u202en', '\ud800', 7, [
      'ann',
    ], { $ne: '' }, null]) {
      await expect(fixture.manage('registerUser', { username, password: 'secret' })).rejects.toMatchObject({
        status: 400,
      });
      await expect(fixture.call('login', { username, password: 'secret' })).rejects.toMatchObject({ status: 400 });
    }
  });

  it('of groups and collections are kept as they are, and looked for as they are', async () => {
    const fixture = await open();
    for (const name of ['__proto__', "'; DROP TABLE users; --", '群 \u202e 😀', 'a/b?c', '..']) {
      await fixture.manage('createGroup', { name, members: ['ann'] });
      await fixture.manage('setGroupPermission', {
        group: name,
        collection: `${name.replace(/^_+/, '')}X`,
        read: true,
      });
      expect(await fixture.manage('listGroupPermissions', { group: name })).toMatchObject({
        group: name,
        permissions: [{ collection: `${name.replace(/^_+/, '')}x`.toLowerCase() }],
      });
    }
    expect((await fixture.manage('listGroups')).groups).toHaveLength(5);
    await expect(fixture.manage('createGroup', { name: 'a\u0000' })).rejects.toMatchObject({ status: 400 });
  });

  it('that is more than an operation takes sets nothing (mass assignment)', async () => {
    const fixture = await open();
    const extra = {
      token_id: 'x',
      tokenId: 'x',
      passwordHash: 'x',
      disabled: true,
      createdAt: 1,
      groups: ['admins'],
      __proto__: { admin: true },
      isAdmin: true,
    };
    expect(await fixture.manage('registerUser', { username: 'ann', password: 'secret', ...extra })).toEqual({
      username: 'ann',
      createdAt: START,
      disabled: false,
      admin: false,
      groups: [],
    });
    const ann = await fixture.login('ann');
    const { keyHash } = await fixture.call('createApiKey', { username: 'admin', hash: 'x', lastUsedAt: 5 }, ann);
    expect((await fixture.call('listApiKeys', {}, ann)).keys).toMatchObject([{ keyHash, lastUsedAt: 0 }]);
    await fixture.manage('createGroup', { name: 'g', createdAt: 1 });
    expect(await fixture.manage('updateGroup', { name: 'g', createdAt: 1, members: ['ann'] })).toMatchObject({
      createdAt: START,
    });
    await fixture.manage('setPermission', {
      username: 'ann',
      collection: 'a',
      read: true,
      group: 'g',
      username2: 'admin',
    });
    expect(await fixture.manage('listGroupPermissions', { group: 'g' })).toMatchObject({ permissions: [] });
  });

  it('of passwords is at most 72 bytes, and never cut', async () => {
    const fixture = await open();
    await expect(fixture.manage('registerUser', { username: 'ann', password: 'x'.repeat(73) })).rejects.toMatchObject({
      message: 'password must be at most 72 bytes',
    });
    await expect(fixture.manage('registerUser', { username: 'ann', password: 'ä'.repeat(37) })).rejects.toMatchObject({
      message: 'password must be at most 72 bytes',
    });
    await fixture.manage('registerUser', { username: 'ann', password: 'x'.repeat(72) });
    await expect(fixture.login('ann', 'x'.repeat(73))).rejects.toMatchObject({ status: 400 });
    expect(await fixture.login('ann', 'x'.repeat(72))).toBeDefined();
    await expect(fixture.login('ann', 'x'.repeat(71))).rejects.toMatchObject(BAD_LOGIN);
  });
});

describe('without authentication (decisions section 4.13)', () => {
  it('there is nothing to sign in to, and everything else is open', async () => {
    const fixture = await open({ auth: { enabled: false } });
    for (const [id, input] of [['login', { username: 'a', password: 'b' }], ['registerUser', {}], ['getCurrentUser',
      {}], ['deleteUser', { username: 'a' }], ['listGroups', {}]] as const)
    {
      await expect(fixture.call(id, input)).rejects.toMatchObject({
        code: 'not_found',
        message: 'authentication is disabled',
      });
    }
    expect(await fixture.call('createMcpKey', { name: 'plugin' })).toMatchObject({ name: 'plugin' });
    expect(await fixture.access.identify(token('x'))).toBeUndefined();
    expect(await fixture.sql.all('SELECT * FROM users')).toEqual([]);
  });

  it('what was there stays, and counts again later (contract section 5, rule 13)', async () => {
    const fixture = await open();
    const ann = await fixture.register('ann');
    await fixture.restart({ enabled: false });
    expect(await fixture.call('listMcpKeys', {}, token('nonsense'))).toEqual({ keys: [], total: 0 });
    await fixture.restart();
    expect(await fixture.call('getCurrentUser', {}, ann)).toMatchObject({ username: 'ann' });
  });
});
