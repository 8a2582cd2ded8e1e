import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Auth } from '../../generated/docs/sdk/client/index.ts';
import { addDocument, changePassword, createApiKey, createGroup, createMcpKey, createPasswordReset, deleteApiKey,
  deleteGroup, deleteMcpKey, deleteRole, deleteUser, disableMcpKey, explainAccess, finishOidcSignIn, getCurrentUser,
  getDocument, getGroup, getSignInMethods, listApiKeys, listGroupPermissions, listGroups, listMcpKeys, listPermissions,
  listRoles, listUsers, login, logout, redeemPasswordReset, refreshSession, registerUser, revokeApiKey, searchDocuments,
  setGroupPermission, setGroupRoles, setPermission, setRole, setUserRoles, startOidcSignIn, updateGroup,
  updateUser } from '../../generated/docs/sdk/sdk.gen.ts';
import type { CreateApiKeyResponse2, CreateMcpKeyResponse2, Group, User } from '../../generated/docs/sdk/types.gen.ts';
import { browse } from '../../src/testkit/local-issuer.ts';
import { refused, succeeded } from '../support/expectations.ts';
import { type DocsContext, type DocsScenarios, now, store } from './scenario.ts';

const PASSWORD = 'correct horse battery staple';
const NEW_PASSWORD = 'purple monkey dishwasher';

/** A user other than the client's administrator. */
const as = (credential: string) => ({
  auth: ({ scheme }: Auth) => ((scheme === 'bearer') === !credential.startsWith('svc_live_') ? credential : undefined),
});

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

async function register({ client, collection: username }: DocsContext, more: object = {}): Promise<User> {
  return succeeded(await registerUser({ client, body: { username, password: PASSWORD, ...more } }));
}

async function tokenOf({ client }: DocsContext, username: string, password = PASSWORD): Promise<string> {
  return succeeded(await login({ client, body: { username, password } })).token;
}

async function group({ client, collection: name }: DocsContext, more: object = {}): Promise<Group> {
  return succeeded(await createGroup({ client, body: { name, ...more } }));
}

async function keyOf({ client }: DocsContext, token: string, more: object = {}): Promise<CreateApiKeyResponse2> {
  return succeeded(await createApiKey({ client, body: more, ...as(token) }));
}

async function mcpKey({ client, collection: name }: DocsContext): Promise<CreateMcpKeyResponse2> {
  return succeeded(await createMcpKey({ client, body: { name } }));
}

/** Users, groups, permissions and keys, as an administrator manages them (contract, section 4, and section 5). */
export const access: DocsScenarios = {
  async login(context) {
    const { client, direct, collection: username } = context;
    await register(context);
    const { token, expiresAt } = succeeded(await login({ client, body: { username, password: PASSWORD } }));
    expect(Math.abs(expiresAt - now() - 86_400)).toBeLessThan(60);
    const [header, claims] = token.split('.').slice(0, 2).map((part) =>
      JSON.parse(Buffer.from(part, 'base64url').toString()) as object
    );
    expect(header).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(claims).toMatchObject({ username, admin: false, exp: expiresAt });
    const wrong = refused(await login({ client, body: { username, password: 'wrong' } }), 401, 'invalid_credentials');
    const unknown = refused(await login({ client, body: { username: 'nobody-at-all', password: PASSWORD } }), 401,
      'invalid_credentials');
    expect([wrong['error'], unknown['error']]).toEqual(['invalid credentials', 'invalid credentials']);
    refused(await login({ client: direct, body: { username } as never }), 400, 'missing_fields');
    expect(
      refused(await login({ client: direct, body: { username: 'a b', password: 'p' } }), 400, 'invalid_argument').error,
    ).toContain('username');
  },

  async registerUser(context) {
    const { client, direct, collection: username } = context;
    expect(await register(context)).toEqual({
      username,
      createdAt: expect.any(Number) as number,
      disabled: false,
      admin: false,
      groups: [],
    });
    expect(refused(await registerUser({ client, body: { username, password: PASSWORD } }), 409, 'conflict').error).toBe(
      'user already exists',
    );
    expect(
      succeeded(
        await registerUser({ client, body: { username: username.toUpperCase(), password: PASSWORD, admin: true } }),
      ),
    ).toMatchObject({ admin: true });
    succeeded(await deleteUser({ client, path: { username: username.toUpperCase() } }));
    succeeded(
      await registerUser({ client, body: { username: `${username}-72`, password: `${'äöüß'.repeat(8)}Äpfel.` } }),
    );
    expect(
      refused(await registerUser({ client: direct, body: { username: `${username}-73`, password: 'x'.repeat(73) } }),
        400, 'invalid_argument').error,
    ).toBe('password must be at most 72 bytes');
    expect(refused(await registerUser({
      client,
      body: { username: `${username}-x`, password: PASSWORD },
      ...as(await tokenOf(context, username)),
    }), 403, 'admin_required').error).toBe('admin permission required');
  },

  async getSignInMethods({ client }) {
    expect(succeeded(await getSignInMethods({ client, auth: () => undefined }))).toEqual({
      password: true,
      oidc: true,
    });
  },

  async startOidcSignIn({ client }) {
    const { url } = succeeded(await startOidcSignIn({ client }));
    expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'quire',
      code_challenge_method: 'S256',
    });
  },

  async finishOidcSignIn({ client, direct }) {
    const { url, flow } = succeeded(await startOidcSignIn({ client }));
    const { token, username } = succeeded(await finishOidcSignIn({ client, body: { flow, query: await browse(url) } }));
    expect(succeeded(await getCurrentUser({ client, ...as(token) }))).toMatchObject({
      username,
      oidcSubject: 'sub-of-ann',
    });
    refused(await finishOidcSignIn({ client, body: { flow, query: 'code=c&state=s' } }), 401, 'invalid_credentials');
    refused(await finishOidcSignIn({ client: direct, body: { flow: 'f' } as never }), 400, 'missing_fields');
  },

  async refreshSession(context) {
    const { client, collection: username } = context;
    await register(context);
    const first = succeeded(await login({ client, body: { username, password: PASSWORD } }));
    const renewed = succeeded(await refreshSession({ client, ...as(first.token) }));
    expect(renewed.sessionEndsAt).toBe(first.sessionEndsAt);
    for (const { token } of [first, renewed])
      expect(succeeded(await getCurrentUser({ client, ...as(token) })).username).toBe(username);
    refused(await refreshSession({ client, ...as((await keyOf(context, first.token)).key) }), 401, 'unauthenticated');
  },

  async logout(context) {
    const { client, collection: username } = context;
    await register(context);
    const [token, other] = [await tokenOf(context, username), await tokenOf(context, username)];
    const { key } = await keyOf(context, token);
    expect(succeeded(await logout({ client, ...as(token) }))).toEqual({ status: 'signed out' });
    for (const operation of [getCurrentUser, refreshSession, logout])
      refused(await operation({ client, ...as(token) }), 401, 'unauthenticated');
    refused(await logout({ client, ...as(key) }), 401, 'unauthenticated');
    expect(succeeded(await logout({ client, body: { everywhere: true }, ...as(other) }))).toEqual({
      status: 'signed out',
    });
    refused(await getCurrentUser({ client, ...as(other) }), 401, 'unauthenticated');
    expect(succeeded(await getCurrentUser({ client, ...as(key) })).username).toBe(username);
  },

  async changePassword(context) {
    const { client, direct, collection: username } = context;
    await register(context, { mustChangePassword: true });
    const first = succeeded(await login({ client, body: { username, password: PASSWORD } }));
    expect(first.mustChangePassword).toBe(true);
    expect(refused(await listApiKeys({ client: direct, ...as(first.token) }), 403, 'forbidden').error).toContain(
      'changePassword',
    );
    const change = (oldPassword: string, newPassword: string) =>
      changePassword({ client: direct, body: { oldPassword, newPassword }, ...as(first.token) });
    refused(await change('wrong', NEW_PASSWORD), 401, 'invalid_credentials');
    expect(refused(await change(PASSWORD, 'short'), 400, 'invalid_argument').error).toBe(
      'newPassword must have at least 8 characters, got 5',
    );
    expect(refused(await change(PASSWORD, 'P4ssw0rd!2026'), 400, 'invalid_argument').error).toContain(
      'newPassword is too common',
    );
    const { token } = succeeded(await change(PASSWORD, NEW_PASSWORD));
    refused(await getCurrentUser({ client, ...as(first.token) }), 401, 'unauthenticated');
    expect(succeeded(await listApiKeys({ client, ...as(token) })).keys).toEqual([]);
    refused(await login({ client, body: { username, password: PASSWORD } }), 401, 'invalid_credentials');
    await tokenOf(context, username, NEW_PASSWORD);
  },

  async createPasswordReset(context) {
    const { client, direct, collection: username } = context;
    await register(context);
    const first = succeeded(await createPasswordReset({ client, path: { username }, body: { expiresIn: 60 } }));
    expect(first).toMatchObject({ username, token: expect.stringMatching(/^svc_reset_[0-9a-f]{48}$/) as string });
    expect(Math.abs(first.expiresAt - now() - 60)).toBeLessThan(30);
    const second = succeeded(await createPasswordReset({ client, path: { username }, body: {} }));
    refused(await redeemPasswordReset({ client, body: { username, token: first.token, newPassword: NEW_PASSWORD } }),
      401, 'invalid_credentials');
    await tokenOf(context, username);
    succeeded(
      await redeemPasswordReset({ client, body: { username, token: second.token, newPassword: NEW_PASSWORD } }),
    );
    refused(await createPasswordReset({ client, path: { username: `${username}-not` }, body: {} }), 404, 'not_found');
    refused(await createPasswordReset({ client: direct, path: { username }, body: { expiresIn: 59 } }), 400,
      'invalid_argument');
  },

  async redeemPasswordReset(context) {
    const { client, direct, collection: username } = context;
    await register(context);
    const old = await tokenOf(context, username);
    const { token } = succeeded(await createPasswordReset({ client, path: { username }, body: {} }));
    const redeem = (newPassword: string, name = username) =>
      redeemPasswordReset({ client: direct, body: { username: name, token, newPassword }, auth: () => undefined });
    expect(refused(await redeem('12345678'), 400, 'invalid_argument').error).toContain('newPassword');
    refused(await redeem(NEW_PASSWORD, 'admin'), 401, 'invalid_credentials');
    expect(succeeded(await redeem(NEW_PASSWORD))).toEqual({ status: 'changed', username });
    refused(await redeem(NEW_PASSWORD), 401, 'invalid_credentials');
    refused(await getCurrentUser({ client, ...as(old) }), 401, 'unauthenticated');
    await tokenOf(context, username, NEW_PASSWORD);
  },

  async updateUser(context) {
    const { client, collection: username } = context;
    const user = await register(context);
    const token = await tokenOf(context, username);
    const { key } = await keyOf(context, token);
    const update = async (body: object) => succeeded(await updateUser({ client, path: { username }, body }));
    expect(await update({ disabled: true })).toEqual({ ...user, disabled: true });
    for (const credential of [token, key])
      refused(await getCurrentUser({ client, ...as(credential) }), 401, 'unauthenticated');
    refused(await login({ client, body: { username, password: PASSWORD } }), 401, 'invalid_credentials');
    expect(await update({ disabled: false, admin: true })).toEqual({ ...user, admin: true });
    refused(await getCurrentUser({ client, ...as(token) }), 401, 'unauthenticated');
    expect(succeeded(await getCurrentUser({ client, ...as(key) }))).toEqual({ ...user, admin: true });
    expect(await update({})).toEqual({ ...user, admin: true });
    refused(await updateUser({ client, path: { username: `${username}-not` }, body: {} }), 404, 'not_found');
  },

  async revokeApiKey(context) {
    const { client, collection: username } = context;
    await register(context);
    const token = await tokenOf(context, username);
    const { key, keyHash } = await keyOf(context, token, { collections: ['Blog'], operations: ['search'] });
    await store(context, { key: 'a' });
    refused(await searchDocuments({ client, body: { collection: username }, ...as(key) }), 403, 'forbidden');
    const revoked = succeeded(await revokeApiKey({ client, path: { keyHash }, ...as(token) }));
    expect(revoked).toMatchObject({
      keyHash,
      collections: ['blog'],
      operations: ['search'],
      revokedAt: expect.any(Number) as number,
    });
    // Its use may be recorded later.
    const listed = { ...revoked, lastUsedAt: expect.any(Number) as number };
    expect(succeeded(await listApiKeys({ client, ...as(token) })).keys).toEqual([listed]);
    expect(succeeded(await listApiKeys({ client, query: { username } })).keys).toEqual([listed]);
    refused(await listApiKeys({ client, query: { username: 'admin' }, ...as(token) }), 403, 'forbidden');
    refused(await searchDocuments({ client, body: { collection: 'blog' }, ...as(key) }), 401, 'unauthenticated');
    refused(await revokeApiKey({ client, path: { keyHash: 'f'.repeat(64) }, ...as(token) }), 404, 'not_found');
  },

  async listRoles({ client }) {
    const { roles } = succeeded(await listRoles({ client }));
    const builtIn = roles.filter((role) => role.builtIn).map(({ name, permissions }) => [name, permissions]);
    const star = (read: boolean, write: boolean, admin: boolean) => [{ collection: '*', read, write, admin }];
    expect(builtIn).toEqual([['admin', star(true, true, true)], ['reader', star(true, false, false)], ['writer',
      star(true, true, false)]]);
  },

  async setRole(context) {
    const { client, direct, collection: name } = context;
    const permissions = [{ collection: 'Blog', read: true }];
    const role = succeeded(await setRole({ client, path: { name }, body: { description: 'd', permissions } }));
    expect(role).toEqual({
      name,
      description: 'd',
      builtIn: false,
      permissions: [{ collection: 'blog', read: true, write: false, admin: false }],
    });
    expect(succeeded(await setRole({ client, path: { name }, body: {} }))).toEqual({
      name,
      description: '',
      builtIn: false,
      permissions: [],
    });
    expect(
      refused(await setRole({ client: direct, path: { name: 'reader' }, body: {} }), 400, 'invalid_argument').error,
    ).toContain('built in');
  },

  async deleteRole(context) {
    const { client, collection: name } = context;
    const user = await register(context);
    succeeded(await setRole({ client, path: { name }, body: {} }));
    succeeded(await setUserRoles({ client, path: { username: name }, body: { roles: [name] } }));
    expect(succeeded(await deleteRole({ client, path: { name } }))).toEqual({ status: 'deleted', name });
    expect(succeeded(await listUsers({ client })).users).toContainEqual(user);
    refused(await deleteRole({ client, path: { name } }), 404, 'not_found');
    refused(await deleteRole({ client, path: { name: 'admin' } }), 400, 'invalid_argument');
  },

  async setUserRoles(context) {
    const { client, collection: username } = context;
    const user = await register(context);
    const token = await tokenOf(context, username);
    await store(context, { key: 'a' });
    const search = () => searchDocuments({ client, body: { collection: username }, ...as(token) });
    refused(await search(), 403, 'forbidden');
    expect(
      succeeded(await setUserRoles({ client, path: { username }, body: { roles: ['writer', 'reader', 'reader'] } })),
    ).toEqual({ ...user, roles: ['reader', 'writer'] });
    succeeded(await search());
    expect(succeeded(await setUserRoles({ client, path: { username }, body: { roles: [] } }))).toEqual(user);
    refused(await search(), 403, 'forbidden');
    expect(
      refused(await setUserRoles({ client, path: { username }, body: { roles: ['none such'] } }), 404, 'not_found')
        .error,
    ).toBe('not found: role none such');
  },

  async setGroupRoles(context) {
    const { client, collection: name } = context;
    await register(context);
    const created = await group(context, { members: [name] });
    expect(succeeded(await setGroupRoles({ client, path: { name }, body: { roles: ['admin'] } }))).toEqual({
      ...created,
      roles: ['admin'],
    });
    expect(succeeded(await getCurrentUser({ client, ...as(await tokenOf(context, name)) })).admin).toBe(true);
    refused(await setGroupRoles({ client, path: { name: `${name}-not` }, body: { roles: [] } }), 404, 'not_found');
  },

  async explainAccess(context) {
    const { client, direct, collection: username } = context;
    await register(context);
    await group(context, { members: [username] });
    succeeded(await setGroupRoles({ client, path: { name: username }, body: { roles: ['reader'] } }));
    const explain = async (query: object) => succeeded(await explainAccess({ client, path: { username }, query }));
    const source = { kind: 'role', name: 'reader', group: username, read: true, write: false, admin: false };
    expect(await explain({})).toEqual({
      username,
      disabled: false,
      admin: false,
      permissions: [{ collection: '*', read: true, write: false, admin: false, sources: [source] }],
    });
    expect((await explain({ operation: 'getDocument', collection: 'blog' })).decision).toEqual({
      operation: 'getDocument',
      allowed: true,
      reason: `read on blog is granted by role reader of group ${username} on *`,
    });
    expect((await explain({ operation: 'addDocument', collection: 'blog' })).decision).toEqual({
      operation: 'addDocument',
      allowed: false,
      reason: 'forbidden: no write permission on blog',
    });
    expect((await explain({ operation: 'listUsers' })).decision).toMatchObject({
      allowed: false,
      reason: 'admin permission required',
    });
    expect(
      refused(await explainAccess({ client: direct, path: { username }, query: { operation: 'nonsense' } }), 400,
        'invalid_argument').error,
    ).toContain('operation');
    refused(await explainAccess({ client, path: { username: `${username}-not` } }), 404, 'not_found');
  },

  async getCurrentUser(context) {
    const { client, direct, collection: username } = context;
    const user = await register(context);
    const token = await tokenOf(context, username);
    expect(succeeded(await getCurrentUser({ client, ...as(token) }))).toEqual(user);
    await group(context, { members: [username] });
    succeeded(await setGroupPermission({ client, body: { group: username, collection: '*', admin: true } }));
    expect(succeeded(await getCurrentUser({ client, ...as(token) }))).toEqual({
      ...user,
      admin: true,
      groups: [username],
    });
    expect(refused(await getCurrentUser({ client: direct, auth: () => undefined }), 401, 'unauthenticated').error).toBe(
      'missing authentication',
    );
    expect(refused(await getCurrentUser({ client, ...as('nonsense') }), 401, 'unauthenticated').error).toBe(
      'invalid token',
    );
  },

  async createApiKey(context) {
    const { client, direct, collection: username } = context;
    await register(context);
    const token = await tokenOf(context, username);
    const created = await keyOf(context, token, { description: 'nightly', expiresAt: now() + 3600 });
    expect(created).toMatchObject({ description: 'nightly', keyHash: sha256(created.key) });
    expect(created.key).toMatch(/^svc_live_[0-9a-f]{48}$/);
    expect(succeeded(await getCurrentUser({ client, ...as(created.key) })).username).toBe(username);
    expect(await keyOf(context, token)).toMatchObject({ description: '', expiresAt: 0 });
    await store(context, { key: 'a' });
    succeeded(await setPermission({ client, body: { username, collection: username, read: true, write: true } }));
    const narrow = await keyOf(context, token, { collections: [username], operations: ['search'] });
    expect(narrow).toMatchObject({ collections: [username], operations: ['search'] });
    const [found] = succeeded(await searchDocuments({ client, body: { collection: username }, ...as(narrow.key) }));
    expect([found?.key, found && 'contentMd' in found]).toEqual(['a', false]);
    refused(await getDocument({ client, body: { collection: username, key: 'a', lang: 'en' }, ...as(narrow.key) }), 403,
      'forbidden');
    refused(await getCurrentUser({ client, ...as(narrow.key) }), 403, 'forbidden');
    expect(
      refused(await createApiKey({ client: direct, body: { operations: ['nonsense'] }, ...as(token) }), 400,
        'invalid_argument').error,
    ).toContain('operations');
    expect(refused(await createApiKey({ client, body: {}, ...as(created.key) }), 401, 'unauthenticated').error).toMatch(
      /^missing authentication: /,
    );
    expect(
      refused(await createApiKey({ client: direct, body: { expiresAt: now() - 10 } }), 400, 'invalid_argument').error,
    ).toContain('expiresAt');
  },

  async listApiKeys(context) {
    const { client, collection: username } = context;
    await register(context);
    const token = await tokenOf(context, username);
    const [first, second] = [await keyOf(context, token, { description: 'first' }), await keyOf(context, token)];
    succeeded(await getCurrentUser({ client, ...as(second.key) }));
    const { keys } = succeeded(await listApiKeys({ client, ...as(token) }));
    const summary = ({ key: _, ...rest }: CreateApiKeyResponse2) => ({ ...rest, prefix: 'svc_live_', username });
    expect(keys).toEqual([{ ...summary(first), lastUsedAt: 0 }, {
      ...summary(second),
      lastUsedAt: expect.any(Number) as number,
    }]);
    expect(Math.abs(keys[1]!.lastUsedAt - now())).toBeLessThan(60);
    expect(JSON.stringify(keys)).not.toContain(first.key.slice('svc_live_'.length));
  },

  async deleteApiKey(context) {
    const { client, direct, collection: username } = context;
    await register(context);
    const token = await tokenOf(context, username);
    const { key, keyHash } = await keyOf(context, token);
    succeeded(await getCurrentUser({ client, ...as(key) }));
    succeeded(await registerUser({ client, body: { username: `${username}-other`, password: PASSWORD } }));
    const other = await tokenOf(context, `${username}-other`);
    expect(refused(await deleteApiKey({ client, path: { keyHash }, ...as(other) }), 403, 'forbidden').error).toMatch(
      /^forbidden/,
    );
    expect(succeeded(await deleteApiKey({ client, path: { keyHash }, ...as(token) }))).toEqual({ status: 'deleted' });
    refused(await getCurrentUser({ client, ...as(key) }), 401, 'unauthenticated');
    refused(await deleteApiKey({ client, path: { keyHash }, ...as(token) }), 404, 'not_found');
    expect(refused(await deleteApiKey({ client: direct, path: { keyHash: '' } }), 400, 'missing_fields').error).toBe(
      'missing fields: keyHash',
    );
    succeeded(await deleteApiKey({ client, path: { keyHash: (await keyOf(context, token)).keyHash } }));
  },

  async listUsers(context) {
    const { client, collection: username } = context;
    const user = await register(context);
    await group(context, { members: [username] });
    const { users } = succeeded(await listUsers({ client }));
    expect(users).toEqual(
      expect.arrayContaining([{ ...user, groups: [username] },
        expect.objectContaining({ username: 'admin', admin: true })]),
    );
    expect(users.map((each) => each.username)).toEqual(users.map((each) => each.username).sort());
  },

  async deleteUser(context) {
    const { client, collection: username } = context;
    await register(context);
    const token = await tokenOf(context, username);
    const { key } = await keyOf(context, token);
    await group(context, { members: [username] });
    succeeded(await setPermission({ client, body: { username, collection: 'x', read: true } }));
    expect(succeeded(await deleteUser({ client, path: { username } }))).toEqual({ status: 'deleted', username });
    for (const credential of [token, key])
      refused(await getCurrentUser({ client, ...as(credential) }), 401, 'unauthenticated');
    expect(refused(await deleteUser({ client, path: { username } }), 404, 'not_found').error).toBe(
      `not found: user ${username}`,
    );
    expect(await register(context)).toMatchObject({ username, groups: [] });
    expect(succeeded(await listPermissions({ client, query: { username } }))).toEqual([]);
    for (const credential of [token, key])
      refused(await getCurrentUser({ client, ...as(credential) }), 401, 'unauthenticated');
  },

  async listPermissions(context) {
    const { client, collection: username } = context;
    await register(context);
    for (const collection of ['zoo', '*', 'Blog', '_memory'])
      succeeded(await setPermission({ client, body: { username, collection, read: true } }));
    const entry = (collection: string) => ({ username, collection, read: true, write: false, admin: false });
    expect(succeeded(await listPermissions({ client, query: { username } }))).toEqual(
      ['*', '_memory', 'blog', 'zoo'].map(entry),
    );
    refused(await listPermissions({ client, query: { username: 'nobody-at-all' } }), 404, 'not_found');
  },

  async setPermission(context) {
    const { client, direct, collection: username } = context;
    await register(context);
    const document = await store({ ...context, collection: username });
    const token = await tokenOf(context, username);
    const read = () =>
      getDocument({ client, body: { collection: username, key: document.key, lang: 'en' }, ...as(token) });
    expect(refused(await read(), 403, 'forbidden').error).toBe(`forbidden: no read permission on ${username}`);
    expect(
      succeeded(await setPermission({ client, body: { username, collection: username.toUpperCase(), read: true } })),
    ).toEqual({ status: 'ok' });
    expect(succeeded(await read()).key).toBe(document.key);
    refused(
      await addDocument({ client, body: { collection: username, key: 'b', lang: 'en', contentMd: 'b' }, ...as(token) }),
      403,
      'forbidden',
    );
    succeeded(await setPermission({ client, body: { username, collection: username } }));
    refused(await read(), 403, 'forbidden');
    expect(succeeded(await listPermissions({ client, query: { username } }))).toEqual([]);
    expect(
      refused(await setPermission({ client, body: { username: 'nobody-at-all', collection: 'x', read: true } }), 404,
        'not_found').error,
    ).toBe('not found: user nobody-at-all');
    refused(await setPermission({ client: direct, body: { username, collection: '_other', read: true } }), 400,
      'invalid_argument');
  },

  async createGroup(context) {
    const { client, direct, collection: name } = context;
    const members = ['zoe', 'alice', 'zoe'];
    expect(await group(context, { description: 'Write', members })).toEqual({
      name,
      description: 'Write',
      members: ['zoe', 'alice'],
      createdAt: expect.any(Number) as number,
    });
    expect(refused(await createGroup({ client, body: { name } }), 409, 'conflict').error).toBe('group already exists');
    refused(await createGroup({ client: direct, body: {} as never }), 400, 'missing_fields');
  },

  async listGroups(context) {
    const { client } = context;
    const created = await group(context, { members: ['alice'] });
    const { groups } = succeeded(await listGroups({ client }));
    expect(groups).toContainEqual(created);
    expect(groups.map(({ name }) => name)).toEqual(groups.map(({ name }) => name).sort());
  },

  async getGroup(context) {
    const { client, collection: name } = context;
    const created = await group(context);
    expect(succeeded(await getGroup({ client, path: { name } }))).toEqual(created);
    expect(refused(await getGroup({ client, path: { name: `${name}-not` } }), 404, 'not_found').error).toBe(
      `not found: group ${name}-not`,
    );
  },

  async updateGroup(context) {
    const { client, collection: name } = context;
    const created = await group(context, { description: 'old', members: ['alice'] });
    expect(succeeded(await updateGroup({ client, path: { name }, body: { members: ['bob'] } }))).toEqual({
      ...created,
      description: '',
      members: ['bob'],
    });
    expect(succeeded(await updateGroup({ client, path: { name }, body: { description: 'new' } }))).toEqual({
      ...created,
      description: 'new',
      members: [],
    });
    refused(await updateGroup({ client, path: { name: `${name}-not` }, body: {} }), 404, 'not_found');
  },

  async deleteGroup(context) {
    const { client, collection: name } = context;
    await group(context);
    succeeded(await setGroupPermission({ client, body: { group: name, collection: 'x', read: true } }));
    expect(succeeded(await deleteGroup({ client, path: { name } }))).toEqual({ status: 'deleted', name });
    refused(await deleteGroup({ client, path: { name } }), 404, 'not_found');
    await group(context);
    expect(succeeded(await listGroupPermissions({ client, query: { group: name } })).permissions).toEqual([]);
  },

  async listGroupPermissions(context) {
    const { client, direct, collection: name } = context;
    await group(context);
    for (const collection of ['zoo', '*'])
      succeeded(await setGroupPermission({ client, body: { group: name, collection, write: true } }));
    const entry = (collection: string) => ({ group: name, collection, read: false, write: true, admin: false });
    expect(succeeded(await listGroupPermissions({ client, query: { group: name } }))).toEqual({
      group: name,
      permissions: ['*', 'zoo'].map(entry),
    });
    expect(succeeded(await listGroupPermissions({ client, query: { group: name, groupName: 'other' } })).group).toBe(
      name,
    );
    expect(succeeded(await listGroupPermissions({ client, query: { groupName: name } })).group).toBe(name);
    expect(refused(await listGroupPermissions({ client: direct, query: {} }), 400, 'missing_fields').error).toBe(
      'missing fields: group',
    );
    refused(await listGroupPermissions({ client, query: { group: `${name}-not` } }), 404, 'not_found');
  },

  async setGroupPermission(context) {
    const { client, direct, collection: name } = context;
    await group(context);
    expect(succeeded(await setGroupPermission({ client, body: { groupName: name, collection: 'Blog', read: true } })))
      .toEqual({ status: 'permission set' });
    expect(succeeded(await listGroupPermissions({ client, query: { group: name } })).permissions).toEqual([{
      group: name,
      collection: 'blog',
      read: true,
      write: false,
      admin: false,
    }]);
    refused(await setGroupPermission({ client: direct, body: { collection: 'x', read: true } }), 400, 'missing_fields');
    refused(await setGroupPermission({ client, body: { group: `${name}-not`, collection: 'x' } }), 404, 'not_found');
  },

  async createMcpKey(context) {
    const { client, direct, collection: name } = context;
    const created = await mcpKey(context);
    expect(created).toEqual({
      key: expect.stringMatching(/^mcp_[0-9a-f]{32}$/) as string,
      fingerprint: sha256(created.key).slice(0, 8),
      name,
      createdAt: expect.any(Number) as number,
      expiresAt: 0,
    });
    refused(await createMcpKey({ client: direct, body: {} as never }), 400, 'missing_fields');
    expect(refused(await createMcpKey({ client, body: { name, expiresAt: 1 } }), 400, 'invalid_argument').error)
      .toContain('expiresAt');
  },

  async listMcpKeys(context) {
    const { client } = context;
    const { key: _, ...created } = await mcpKey(context);
    const { keys, total } = succeeded(await listMcpKeys({ client }));
    expect(keys).toContainEqual({ ...created, keyPrefix: 'mcp_', disabled: false });
    expect(total).toBe(keys.length);
  },

  async deleteMcpKey(context) {
    const { client } = context;
    const { key, fingerprint } = await mcpKey(context);
    expect(succeeded(await deleteMcpKey({ client, body: { key } }))).toEqual({ status: 'deleted' });
    refused(await deleteMcpKey({ client, body: { key } }), 404, 'not_found');
    expect(succeeded(await listMcpKeys({ client })).keys.map((each) => each.fingerprint)).not.toContain(fingerprint);
  },

  async disableMcpKey(context) {
    const { client } = context;
    const { key, fingerprint } = await mcpKey(context);
    for (let i = 0; i < 2; i++)
      expect(succeeded(await disableMcpKey({ client, body: { key } }))).toEqual({ status: 'disabled' });
    expect(succeeded(await listMcpKeys({ client })).keys).toContainEqual(
      expect.objectContaining({ fingerprint, disabled: true }),
    );
    refused(await disableMcpKey({ client, body: { key: 'mcp_unknown' } }), 404, 'not_found');
  },
};
