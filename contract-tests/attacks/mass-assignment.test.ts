import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccessServer, bearer, PASSWORD } from '../support/access-server.ts';

let access: AccessServer;
let ann: string;

beforeAll(async () => {
  // Such fields are rejected; if they are ignored, they must not set anything.
  access = await AccessServer.start({ SVC_EMBEDDING_PROVIDER: 'builtin', SVC_STRICT_INPUT: 'false' });
  ann = await access.register('ann');
  await access.grant('ann', 'blog', 'read', 'write');
});
afterAll(() => access.stop());

/** Field names of rows, other requests and other systems, which none of the requests here has. */
const MORE = {
  id: 'other|id|en',
  _id: 1,
  rowid: 1,
  ord: 1,
  seq: 1,
  rev: 99,
  revision: 99,
  lsn: 1,
  addedAt: 1,
  updatedAt: 1,
  createdAt: 1,
  createdBy: 'admin',
  owner: 'admin',
  username2: 'admin',
  isAdmin: true,
  is_admin: true,
  role: 'admin',
  roles: ['admin'],
  groups: ['admins'],
  permissions: [{ collection: '*', admin: true }],
  scopes: ['*'],
  disabled: false,
  tokenId: 'x',
  token_id: 'x',
  passwordHash: 'x',
  password_hash: 'x',
  hash: 'x',
  keyHash: 'x',
  fingerprint: 'x',
  lastUsedAt: 99,
  deleted: true,
  protocol: 'mcp',
  requestId: 'forged',
  ip: '1.2.3.4',
  identity: { username: 'admin', admin: true },
  caller: { admin: true },
};

const send = async (method: string, path: string, body: object): Promise<number> =>
  (await access.send(method, path, access.admin, body)).status;

describe('a field that a request does not have sets nothing', () => {
  it('of a user, whoever creates or signs in', async () => {
    expect(await send('POST', '/v1/auth/register', { ...MORE, username: 'bob', password: PASSWORD })).toBe(200);
    const { users } = await access.manage<{ users: { username: string }[] }>('GET', '/v1/auth/users');
    expect(users.find(({ username }) => username === 'bob')).toMatchObject({
      admin: false,
      createdAt: access.now,
      groups: [],
      disabled: false,
    });
    const login = await access.send('POST', '/v1/auth/login', {}, { ...MORE, username: 'bob', password: PASSWORD });
    expect((await access.send('GET', '/v1/auth/users', bearer(login.json<{ token: string }>().token))).status).toBe(
      403,
    );
  });

  it("of a key: it is its caller's, and does what he may", async () => {
    const answer = await access.send('POST', '/v1/auth/api-key', bearer(ann), {
      ...MORE,
      username: 'admin',
      user: 'admin',
    });
    const { key } = answer.json<{ key: string }>();
    expect((await access.send('GET', '/v1/auth/me', bearer(key))).json()).toMatchObject({
      username: 'ann',
      admin: false,
    });
    expect((await access.send('GET', '/v1/auth/api-keys', bearer(ann))).json<
      { keys: { lastUsedAt: number; createdAt: number }[] }
    >().keys).toMatchObject([{ createdAt: access.now }]);
    expect((await access.send('GET', '/v1/auth/users', bearer(key))).status).toBe(403);
  });

  it('of a permission or a group', async () => {
    expect(await send('POST', '/v1/auth/groups', { ...MORE, name: 'g' })).toBe(201);
    expect(await send('PUT', '/v1/auth/groups/g', { ...MORE, members: ['ann'] })).toBe(200);
    expect(await send('POST', '/v1/auth/permissions', { ...MORE, username: 'ann', collection: 'notes', read: true }))
      .toBe(200);
    expect((await access.send('GET', '/v1/auth/me', bearer(ann))).json()).toMatchObject({
      username: 'ann',
      admin: false,
    });
    expect(
      (await access.send('POST', '/v1/add', bearer(ann), { collection: 'notes', key: 'a', lang: 'en', contentMd: 'a' }))
        .status,
    ).toBe(403);
  });

  it('of a path: the name in the address is the one that counts', async () => {
    for (const name of ['named', 'other']) await access.manage('POST', '/v1/auth/groups', { name, members: ['ann'] });
    expect(await send('PUT', '/v1/auth/groups/named', { name: 'other', members: [] })).toBe(200);
    expect(await access.manage('GET', '/v1/auth/groups/other')).toMatchObject({ name: 'other', members: ['ann'] });
    expect(await access.manage('GET', '/v1/auth/groups/named')).toMatchObject({ name: 'named', members: [] });
  });

  it('of a document, when it is added, updated or ingested', async () => {
    const identity = { collection: 'blog', key: 'k', lang: 'en' };
    const writes: readonly [string, string, object][] = [['POST', '/v1/add', { ...identity, contentMd: 'one' }], [
      'PATCH',
      '/v1/update',
      { ...identity, contentMd: 'two' },
    ], ['POST', '/v1/add-batch', {
      collection: 'blog',
      documents: [{ ...MORE, key: 'k', lang: 'en', contentMd: 'three' }],
    }], ['POST', '/v1/ingest', {
      collection: 'blog',
      documents: [{ ...MORE, key: 'k', lang: 'en', contentMd: 'four' }],
    }]];
    for (const [method, path, body] of writes) {
      expect((await access.send(method, path, bearer(ann), { ...MORE, ...body })).status, path).toBe(200);
      const stored = (await access.send('POST', '/v1/get', bearer(ann), identity)).json<Record<string, unknown>>();
      expect(stored, path).toMatchObject({
        id: 'blog|k|en',
        key: 'k',
        addedAt: access.now,
        updatedAt: access.now,
        meta: {},
      });
      for (const name of ['isAdmin', 'owner', 'rev', 'deleted']) expect(stored).not.toHaveProperty(name);
    }
    expect((await access.send('POST', '/v1/get', access.admin, { collection: 'other', key: 'id', lang: 'en' })).status)
      .toBe(404);
  });

  it('of a collection, a schema, an embedding configuration', async () => {
    expect(await send('PUT', '/v1/collection-config', { ...MORE, collection: 'blog', type: 'website' })).toBe(200);
    const config = await access.manage<Record<string, unknown>>('GET', '/v1/collection-config?collection=blog');
    for (const name of ['isAdmin', 'owner', 'ord', 'deleted', 'identity'])
      expect(config[name] ?? false, name).toBe(false);
    expect(await send('POST', '/v1/schema/set', { ...MORE, collection: 'blog', schema: { required: [] } })).toBe(200);
    const { id } = await access.manage<{ id: string }>('POST', '/v1/embedding-configs', {
      ...MORE,
      name: 'n',
      provider: 'builtin',
      untrusted: false,
      isDefault: false,
    });
    expect(id).toMatch(/^cfg_[0-9a-f]{24}$/);
    await access.manage('PUT', `/v1/embedding-configs/${id}`, {
      ...MORE,
      id: 'cfg_000000000000000000000000',
      untrusted: false,
      name: 'm',
    });
    expect(await access.manage('GET', `/v1/embedding-configs/${id}`)).toMatchObject({
      id,
      name: 'm',
      createdAt: access.now,
      apiKeySet: false,
    });
  });

  it('over GraphQL is refused: its inputs are closed', async () => {
    const query = 'mutation($input: AddDocumentInput!) { addDocument(input: $input) { id } }';
    const answer = await access.send('POST', '/graphql', bearer(ann), {
      query,
      variables: { input: { collection: 'blog', key: 'g', lang: 'en', contentMd: 'a', addedAt: 1 } },
    });
    expect(answer.json()).toMatchObject({ errors: [{ extensions: { code: expect.any(String) as string } }] });
    expect((await access.send('POST', '/v1/get', bearer(ann), { collection: 'blog', key: 'g', lang: 'en' })).status)
      .toBe(404);
  });
});
