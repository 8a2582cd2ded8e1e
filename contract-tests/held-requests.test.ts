import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../generated/docs/operations.ts';
import type { OperationSpec } from '../src/operations/index.ts';
import type { Sql } from '../src/storage/index.ts';
import { AccessServer, apiKey, bearer, type Credential, PASSWORD } from './support/access-server.ts';
import { type WireRequest, wireRequest } from './support/example-requests.ts';
import { exampleCalls } from './support/examples.ts';
import { HeldRequest } from './support/held-request.ts';

const TABLE = operations as Readonly<Record<string, OperationSpec>>;

/** A change of the caller's rights while requests are held, and which of them it concerns; by default all. */
interface Change {
  readonly what: string;
  readonly user: string;
  readonly make: (access: AccessServer, user: string, token: string) => Promise<unknown>;
  readonly viaKey?: true;
  readonly concerns?: (spec: OperationSpec) => boolean;
}

const needsPermission = ({ access }: OperationSpec): boolean => access !== 'user';

const CHANGES: readonly Change[] = [{
  what: 'is disabled',
  user: 'disabled',
  make: (access, user) => access.manage('PATCH', `/v1/auth/users/${user}`, { disabled: true }),
}, { what: 'is deleted and registered again', user: 'reborn', make: (access, user) => reborn(access, user) }, {
  what: 'is deleted and registered again, with an API key',
  user: 'reborn-key',
  viaKey: true,
  make: (access, user) => reborn(access, user),
}, {
  what: 'is no administrator any more',
  user: 'demoted',
  make: (access, user) => access.manage('PATCH', `/v1/auth/users/${user}`, { admin: false }),
  concerns: needsPermission,
}, {
  what: 'has no API key any more',
  user: 'keyless',
  viaKey: true,
  make: async (access, user, token) => {
    const { keys } = await access.manage<{ keys: { keyHash: string }[] }>('GET', `/v1/auth/api-keys?username=${user}`);
    await access.send('DELETE', `/v1/auth/api-keys/${keys[0]!.keyHash}`, bearer(token));
  },
}, {
  what: 'signs out everywhere',
  user: 'leaving',
  make: (access, _user, token) => access.send('POST', '/v1/auth/logout', bearer(token), { everywhere: true }),
}, {
  what: 'has another password',
  user: 'careful',
  make: (access, _user, token) =>
    access.send('POST', '/v1/auth/password', bearer(token), {
      oldPassword: PASSWORD,
      newPassword: 'purple monkey dishwasher',
    }),
}];

async function reborn(access: AccessServer, user: string): Promise<void> {
  await access.manage('DELETE', `/v1/auth/users/${user}`);
  await access.register(user, { admin: true });
}

describe('a request that is held while its caller loses the right to it (decision D-164)', () => {
  let access: AccessServer;
  let requests: WireRequest[];

  beforeAll(async () => {
    // On a slow machine, more requests are held for two seconds than one address may send slowly.
    access = await AccessServer.start({ SVC_SLOW_BODIES: '0' });
    await access.manage('POST', '/v1/add', { collection: 'blog', key: 'a', lang: 'en', contentMd: 'a' });
    requests = (await Promise.all(exampleCalls('docs').map(wireRequest))).filter(({ operationId, body }) =>
      body !== undefined && TABLE[operationId]!.access !== 'public'
    );
  });
  afterAll(() => access.stop());

  it('is tried with every operation that takes a body and a credential', () => {
    const wanted = Object.values(TABLE).filter(({ consumes, access: needed }) =>
      consumes.length > 0 && needed !== 'public'
    ).map(({ id }) => id);
    expect(requests.map(({ operationId }) => operationId).sort()).toEqual(wanted.sort());
  });

  it.each(CHANGES.map((change) => [change.what, change] as const))('stores and answers nothing if the caller %s',
    async (_what, { user, make, viaKey, concerns = () => true }) => {
      const token = await access.register(user, { admin: true });
      const credential: Credential = viaKey ? apiKey(await access.keyOf(token)) : bearer(token);
      const held = await hold(requests.filter(({ operationId }) => concerns(TABLE[operationId]!)), credential);
      await make(access, user, token);
      expect(await refusals(held)).toEqual([]);
    });

  it('stores and answers nothing if the caller loses the grants', async () => {
    const token = await access.register('granted');
    const all = ['read', 'write', 'admin'] as const;
    for (const collection of ['blog', '_memory']) await access.grant('granted', collection, ...all);
    const held = await hold(
      requests.filter(({ operationId }) =>
        (TABLE[operationId]!.collections ?? []).length > 0 && needsPermission(TABLE[operationId]!)
      ),
      bearer(token),
    );
    for (const collection of ['blog', '_memory']) await access.grant('granted', collection);
    expect(await refusals(held)).toEqual([]);
  });

  /** Round trips of other requests follow, so that the callers of all are identified by then. */
  async function hold(some: readonly WireRequest[],
    credential: Credential): Promise<(readonly [string, HeldRequest])[]>
  {
    const held = await Promise.all(
      some.map(async (request) =>
        [request.operationId, await HeldRequest.open(access.server.url, request, credential)] as const
      ),
    );
    for (let i = 0; i < 3; i++) expect((await access.send('GET', '/v1/auth/me', credential)).status).toBe(200);
    return held;
  }

  /** Finishes the requests. Returns what is wrong: each that was not refused, and what has changed in the database. */
  async function refusals(held: readonly (readonly [string, HeldRequest])[]): Promise<string[]> {
    const before = await contents(access.server.sql);
    const answers = await Promise.all(held.map(async ([id, request]) => ({ id, ...await request.finish() })));
    const after = await contents(access.server.sql);
    return [
      // A stream that had been answered already is cut off.
      ...answers.filter(({ status, text }) => !(status === 401 || status === 403 || (status === 0 && text === ''))).map(
        ({ id, status, text }) => `${id}: ${status} ${text}`
      ),
      ...Object.keys(after).filter((table) => after[table] !== before[table]).map((table) =>
        `${table}: ${before[table]} → ${after[table]}`
      ),
    ];
  }
});

/** The number of rows of each table, and the head of the feed. */
async function contents(sql: Sql): Promise<Record<string, number>> {
  const tables = await sql.all<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  );
  const counts = await Promise.all(
    tables.map(async ({ name }) =>
      [name, (await sql.get<{ n: number }>(`SELECT count(*) AS n FROM "${name}"`))!.n] as const
    ),
  );
  return {
    ...Object.fromEntries(counts),
    head: (await sql.get<{ head: number }>('SELECT coalesce(max(lsn), 0) AS head FROM changes'))!.head,
  };
}
