import { afterEach, describe, expect, it } from 'vitest';
import type { Operations } from '../../../generated/docs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Caller, Guard, Handlers, Identity, OperationSpec } from '../../operations/index.ts';
import { type FixtureOptions, GraphqlFixture } from '../../testkit/graphql/graphql-fixture.ts';

let fixture: GraphqlFixture;
const open = async (options: FixtureOptions): Promise<GraphqlFixture> => (fixture = await GraphqlFixture.open(options));
afterEach(() => fixture.close());

const ANN = { username: 'ann', admin: false, createdAt: 5, disabled: false, groups: ['g'] };
const GROUP = { name: 'g', description: 'd', members: ['ann'], createdAt: 6 };

/** Handlers in the form that areas without an implementation need. */
const HANDLERS: Handlers<Operations> = {
  getCurrentUser: async () => ANN,
  listUsers: async () => ({ users: [ANN] }),
  listGroups: async () => ({ groups: [GROUP] }),
  listPermissions: async ({ username }) => [{ username, collection: '*', read: true, write: false, admin: false }],
  listGroupPermissions: async ({ groupName }) => ({
    group: groupName!,
    permissions: [{ group: groupName!, collection: 'c', read: true, write: true, admin: false }],
  }),
  login: async ({ username, password }) => {
    if (password !== 'right') throw new ServiceError('invalid_credentials', 'invalid credentials');
    return { token: `token of ${username}`, expiresAt: 7, sessionEndsAt: 8 };
  },
  registerUser: async ({ username }) => ({ ...ANN, username }),
  createApiKey: async ({ description = '', expiresAt = 0 }) => ({
    key: 'svc_live_0',
    keyHash: 'h',
    description,
    createdAt: 8,
    expiresAt,
  }),
  createGroup: async ({ name, description = '', members = [] }) => ({ name, description, members, createdAt: 9 }),
  updateGroup: async ({ name, description, members }) => ({
    name,
    description: description!,
    members: members!,
    createdAt: 9,
  }),
  deleteGroup: async ({ name }) => ({ status: 'deleted', name }),
  setPermission: async () => ({ status: 'ok' }),
  setGroupPermission: async () => ({ status: 'permission set' }),
  listWebhooks: async ({ collection = '' }) => [{
    id: 'wh_1',
    url: 'https://a.example/',
    events: ['doc.added'],
    collection,
    secretSet: false,
    createdAt: 10,
    paused: false,
    deadLetters: 0,
  }],
  createWebhook: async ({ url, events, collection = '' }) => ({
    id: 'wh_2',
    url,
    events,
    collection,
    secretSet: false,
    createdAt: 11,
    paused: false,
    deadLetters: 0,
  }),
  deleteWebhook: async ({ id }) => ({ status: 'deleted', id }),
  getVectorStats: async () => {
    throw new ServiceError('forbidden', 'forbidden');
  },
};

const ANN_SIGNED_IN: Identity = { username: 'ann', admin: false, by: 'token', may: () => true };

/** Identifies the callers by their credential. */
class FakeGuard implements Guard {
  readonly asked: Caller[] = [];

  async isKnown(caller: Caller): Promise<boolean> {
    this.asked.push(caller);
    return ['admin', 'user'].includes(caller.credential?.value ?? '');
  }

  async identify({ access }: OperationSpec, caller: Caller): Promise<Identity> {
    const by = access === 'public' ? 'nothing' : 'token';
    if (caller.credential?.value === 'admin') return { username: 'root', admin: true, by, may: () => true };
    if (caller.credential?.value === 'user' || access === 'public') return { ...ANN_SIGNED_IN, by };
    throw new ServiceError('unauthenticated', 'missing authentication');
  }
}

const EVERYTHING =
  `{ me { username admin createdAt disabled groups } users { username } groups { name description members createdAt }
  userPermissions(username: "ann") { username collection read write admin } groupPermissions(groupName: "g") { groupName collection read write admin }
  webhooks(collection: "c") { id url events collection createdAt } }`;

describe('with authentication', () => {
  it('an administrator gets what every guarded query has', async () => {
    await open({ handlers: HANDLERS, guard: new FakeGuard() });
    expect(await fixture.ask(EVERYTHING, undefined, { Authorization: 'Bearer admin' })).toEqual({
      data: {
        me: ANN,
        users: [{ username: 'ann' }],
        groups: [GROUP],
        userPermissions: [{ username: 'ann', collection: '*', read: true, write: false, admin: false }],
        groupPermissions: [{ groupName: 'g', collection: 'c', read: true, write: true, admin: false }],
        webhooks: [{ id: 'wh_1', url: 'https://a.example/', events: ['doc.added'], collection: 'c', createdAt: 10 }],
      },
    });
  });

  it('an administrator may use every guarded mutation', async () => {
    await open({ handlers: HANDLERS, guard: new FakeGuard() });
    const answer = await fixture.ask(`mutation {
      createAPIKey(input: {description: "d", expiresAt: 99}) { key description createdAt expiresAt }
      register(username: "bob", password: "p") { username }
      createGroup(input: {name: "g", members: ["ann"]}) { name description members createdAt }
      updateGroup(name: "g", description: "e", members: []) { name description members }
      deleteGroup(name: "g")
      setPermission(input: {username: "ann", collection: "*", read: true, write: false, admin: false})
      setGroupPermission(input: {groupName: "g", collection: "c", read: true, write: false, admin: false})
      registerWebhook(input: {url: "https://b.example/", events: ["*"]}) { id url events collection createdAt }
      deleteWebhook(id: "wh_2")
    }`, undefined, { 'X-API-Key': 'admin' });
    expect(answer).toEqual({
      data: {
        createAPIKey: { key: 'svc_live_0', description: 'd', createdAt: 8, expiresAt: 99 },
        register: { username: 'bob' },
        createGroup: { name: 'g', description: '', members: ['ann'], createdAt: 9 },
        updateGroup: { name: 'g', description: 'e', members: [] },
        deleteGroup: true,
        setPermission: true,
        setGroupPermission: true,
        registerWebhook: { id: 'wh_2', url: 'https://b.example/', events: ['*'], collection: '', createdAt: 11 },
        deleteWebhook: true,
      },
    });
  });

  it('nobody gets past @auth without a credential that is valid', async () => {
    await open({ handlers: HANDLERS, guard: new FakeGuard() });
    for (const headers of [{}, { Authorization: 'Bearer other' }]) {
      const answer = await fixture.ask('{ stats { mode } vectorStats { enabled } }', undefined,
        headers as Record<string, string>);
      expect(answer.data).toEqual({ stats: null, vectorStats: null });
      expect(answer.errors).toMatchObject(['stats', 'vectorStats'].map((field) => ({
        message: 'unauthenticated: missing or invalid credentials',
        path: [field],
        extensions: { code: 'unauthenticated', status: 401 },
      })));
    }
    // An operation refuses, so that the audit log has the attempt, once for a request.
    expect(fixture.invoked).toEqual(['getStats', 'getStats']);
  });

  it('a user who is no administrator does not get past @hasRole(role: ADMIN)', async () => {
    await open({ handlers: HANDLERS, guard: new FakeGuard() });
    const { errors } = await fixture.ask('{ users { username } }', undefined, { Authorization: 'Bearer user' });
    expect(errors).toMatchObject([{
      message: 'forbidden: admin privileges required',
      path: ['users'],
      extensions: { code: 'admin_required', status: 403 },
    }]);
    expect(fixture.invoked).toEqual(['listUsers']);
  });

  it('errors of the operation have the words of the contract', async () => {
    await open({ handlers: HANDLERS, guard: new FakeGuard() });
    const user = { Authorization: 'Bearer user' };
    expect((await fixture.ask('{ vectorStats { enabled } }', undefined, user)).errors).toMatchObject([{
      message: 'permission denied',
      extensions: { code: 'forbidden', status: 403 },
    }]);
    const wrong = await fixture.ask('mutation { login(username: "ann", password: "wrong") { token } }');
    expect(wrong.errors).toMatchObject([{
      message: 'authentication failed: invalid credentials',
      extensions: { code: 'invalid_credentials', status: 401 },
    }]);
  });

  it('login needs no credential', async () => {
    await open({ handlers: HANDLERS, guard: new FakeGuard() });
    expect(
      await fixture.ask('mutation { login(username: "ann", password: "right") { token expiresAt sessionEndsAt } }'),
    ).toEqual({ data: { login: { token: 'token of ann', expiresAt: 7, sessionEndsAt: 8 } } });
  });

  it('the credential is checked once for a request, however many fields it has', async () => {
    const guard = new FakeGuard();
    await open({ handlers: HANDLERS, guard });
    await fixture.ask(EVERYTHING, undefined, {
      Authorization: 'bearer admin',
      'User-Agent': 'test',
      'X-Request-Id': 'request-1',
    });
    expect(guard.asked).toMatchObject([{
      protocol: 'graphql',
      requestId: 'request-1',
      userAgent: 'test',
      credential: { scheme: 'bearer', value: 'admin' },
    }]);
  });

  it('a guard that fails is a fault of ours', async () => {
    await open({
      handlers: HANDLERS,
      guard: { identify: () => ANN_SIGNED_IN, isKnown: () => Promise.reject(new Error('the database is gone')) },
    });
    expect((await fixture.ask('{ stats { mode } }')).errors).toMatchObject([{
      message: 'internal error',
      extensions: { code: 'internal', status: 500 },
    }]);
  });
});

describe('a list', () => {
  const LISTS = {
    users: ['users(offset: 1, limit: 2) { username }', 'username'],
    groups: ['groups(offset: 1, limit: 2) { name }', 'name'],
    userPermissions: ['userPermissions(username: "u", offset: 1, limit: 2) { collection }', 'collection'],
    groupPermissions: ['groupPermissions(groupName: "g", offset: 1, limit: 2) { collection }', 'collection'],
    schemas: ['schemas(offset: 1, limit: 2) { collection }', 'collection'],
    webhooks: ['webhooks(offset: 1, limit: 2) { id }', 'id'],
  } as const;
  const names = ['a', 'b', 'c', 'd', 'e'];
  const permission = { read: true, write: true, admin: false };
  const handlers: Handlers<Operations> = {
    listUsers: async () => ({ users: names.map((username) => ({ ...ANN, username })) }),
    listGroups: async () => ({ groups: names.map((name) => ({ ...GROUP, name })) }),
    listPermissions: async ({ username }) => names.map((collection) => ({ username, collection, ...permission })),
    listGroupPermissions: async () => ({
      group: 'g',
      permissions: names.map((collection) => ({ group: 'g', collection, ...permission })),
    }),
    listSchemas: async () => ({ schemas: names.map((collection) => ({ collection, schema: {} })) }),
    listWebhooks: async () =>
      names.map((id) => ({
        id,
        url: 'https://a.example/',
        events: ['doc.added'],
        collection: '',
        secretSet: false,
        createdAt: 10,
        paused: false,
        deadLetters: 0,
      })),
  };

  it.each(Object.entries(LISTS))('has pages: %s', async (field, [query, name]) => {
    await open({ handlers });
    expect(await fixture.ask(`{ ${query} }`)).toEqual({ data: { [field]: [{ [name]: 'b' }, { [name]: 'c' }] } });
  });

  it.each(Object.entries(LISTS))('that does not fit one response is refused, since it cannot say that it was cut: %s',
    async (field, [query]) => {
      await open({ handlers, answerBytes: 200 });
      const { data, errors } = await fixture.ask(`{ ${query.replace('limit: 2', 'limit: 5')} }`);
      expect([data, errors]).toEqual([null, [expect.objectContaining({
        message: expect.stringMatching(
          /^the list is too large for one response, which would end before offset [23]; ask for fewer items with limit, and for the next ones with offset$/,
        ) as string,
        path: [field],
        extensions: { code: 'payload_too_large', status: 413 },
      })]]);
      expect(await fixture.ask(`{ ${query.replace('limit: 2', 'limit: 1')} }`)).not.toHaveProperty('errors');
    });
});

describe('without authentication (decisions, section 4.13)', () => {
  it('both directives pass, and me is an anonymous administrator', async () => {
    await open({ handlers: HANDLERS });
    const { data } = await fixture.ask('{ me { username admin } users { username } }');
    expect(data).toEqual({ me: { username: 'anonymous', admin: true }, users: [{ username: 'ann' }] });
    expect(fixture.invoked).toEqual(['listUsers']);
  });
});
