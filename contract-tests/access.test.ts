import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { startDocsServer } from '../src/testkit/docs-server.ts';
import { type Answer, HttpClient } from '../src/testkit/http-client.ts';
import { AccessServer, ADMIN, apiKey, bearer, type Credential, PASSWORD, SECRET } from './support/access-server.ts';

const servers: AccessServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});
async function start(env = {}, now?: number): Promise<AccessServer> {
  const server = await AccessServer.start(env, now);
  servers.push(server);
  return server;
}

/** What a response reveals: all of it except its request id. */
function toldBy({ status, headers, text }: Answer): unknown {
  const { requestId: _, ...body } = JSON.parse(text) as Record<string, unknown>;
  return { status, body, challenge: headers['www-authenticate'] };
}

const refusal = ({ status, text }: Answer): [number, string] => [status, (JSON.parse(text) as { error: string }).error];

describe('credentials over HTTP (contract section 5)', () => {
  it('that are not valid all get the same response, whatever is wrong with them', async () => {
    const access = await start();
    const token = await access.register('ann');
    const key = await access.keyOf(token);
    const [header, claims, signature] = token.split('.') as [string, string, string];
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const decoded = JSON.parse(Buffer.from(claims, 'base64url').toString()) as object;
    const resigned = (changed: object, secret: string) => {
      const text = `${header}.${encode({ ...decoded, ...changed })}`;
      return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
    };
    expect((await access.send('GET', '/v1/auth/me', bearer(resigned({}, SECRET)))).status).toBe(200);
    const bad: Credential[] = [
      ...[`${encode({ alg: 'none', typ: 'JWT' })}.${claims}.`,
        `${header}.${encode({ ...decoded, username: 'admin', admin: true })}.${signature}`,
        resigned({ username: 'admin' }, SECRET), resigned({ exp: access.now - 61 }, SECRET),
        resigned({ iat: access.now + 61 }, SECRET), resigned({ iss: 'x' }, SECRET), resigned({}, ''), resigned({}, 'x'),
        resigned({ username: 'nobody' }, SECRET), resigned({ username: '__proto__' }, SECRET), 'x', `${token}x`].map(
          bearer,
        ),
      ...[key.slice(0, -1), `${key}0`, key.slice(0, -1) + (key.endsWith('0') ? '1' : '0'), key.toUpperCase(),
        'svc_live_', `svc_live_${'0'.repeat(48)}`, `${key}, ${key}`, ''].map(apiKey),
    ];
    const answers = await Promise.all(bad.map((credential) => access.send('GET', '/v1/auth/me', credential)));
    for (const answer of answers) {
      expect(toldBy(answer)).toEqual({
        status: 401,
        body: { error: 'invalid token', code: 'unauthenticated' },
        challenge: 'Bearer realm="quire"',
      });
    }
  });

  it('are asked for before anything else is said about a request', async () => {
    const access = await start();
    for (const [path, body] of [['/v1/add', {}], ['/v1/auth/register', { username: 7 }], ['/v1/backup', undefined], [
      '/v1/upload',
      undefined,
    ]] as const) {
      const answer = await access.send(path === '/v1/backup' ? 'GET' : 'POST', path, {}, body);
      expect(refusal(answer)).toEqual([401, 'missing authentication']);
    }
    // Not even the body is read: it may be broken, or exceed every limit.
    const broken = (body: string | Uint8Array) =>
      access.client.send('POST', '/v1/add', { headers: { 'Content-Type': 'application/json' }, body });
    for (const body of ['{', new Uint8Array(40 << 20)])
      expect(refusal(await broken(body))).toEqual([401, 'missing authentication']);
    const ann = bearer(await access.register('ann'));
    expect(refusal(await access.send('POST', '/v1/get', ann, { collection: 'blog' }))).toEqual([403,
      'forbidden: no read permission on blog']);
    expect(refusal(await access.send('POST', '/v1/get', ann, {}))).toEqual([400,
      'missing fields: collection, key, lang']);
    expect(refusal(await access.send('POST', '/v1/get', ann, { collection: ['blog'], key: 'a', lang: 'en' }))[0]).toBe(
      403,
    );
    expect(refusal(await access.send('POST', '/v1/auth/register', ann, {}))).toEqual([403,
      'admin permission required']);
  });

  it('are neither kept on the way nor needed for what is public', async () => {
    const access = await start();
    const login = await access.send('POST', '/v1/auth/login', {}, ADMIN);
    expect([login.status, login.headers['cache-control']]).toEqual([200, 'no-store']);
    expect((await access.send('POST', '/v1/auth/api-key', access.admin, {})).headers['cache-control']).toBe('no-store');
    for (const path of ['/health', '/v1/health', '/metrics', '/openapi.json', '/docs']) {
      for (const credential of [{}, bearer('nonsense')])
        expect((await access.send('GET', path, credential)).status).toBe(200);
    }
  });

  it('take effect at once: grants, revocations, disabling and deletion apply from the next request', async () => {
    const access = await start();
    await access.manage('POST', '/v1/add', { collection: 'blog', key: 'a', lang: 'en', contentMd: 'a' });
    const ann = bearer(await access.register('ann'));
    const read = async () =>
      (await access.send('POST', '/v1/get', ann, { collection: 'Blog', key: 'a', lang: 'en' })).status;
    await access.manage('POST', '/v1/auth/groups', { name: 'g', members: ['ann'] });
    expect(await read()).toBe(403);
    await access.grantGroup('g', 'blog', 'read');
    expect(await read()).toBe(200);
    await access.manage('PUT', '/v1/auth/groups/g', { members: [] });
    expect(await read()).toBe(403);
    await access.grant('ann', '*', 'read');
    expect(await read()).toBe(200);
    await access.grant('ann', 'blog', 'write');
    expect(await read()).toBe(403);
    await access.grant('ann', 'blog');
    expect(await read()).toBe(200);
    await access.manage('DELETE', '/v1/auth/users/ann');
    expect(await read()).toBe(401);
  });

  it('are asked for over GraphQL as over REST', async () => {
    const access = await start();
    const ann = bearer(await access.register('ann'));
    const ask = async (credential: Credential, query: string) => {
      const { data, errors } = (await access.send('POST', '/graphql', credential, { query })).json<
        { data?: unknown; errors?: { message: string }[] }
      >();
      return errors?.map(({ message }) => message) ?? data;
    };
    const me = '{ me { username admin } }';
    expect(await ask({}, me)).toEqual(['unauthenticated: missing or invalid credentials']);
    expect(await ask(ann, me)).toEqual({ me: { username: 'ann', admin: false } });
    expect(await ask(ann, '{ users { username } }')).toEqual(['forbidden: admin privileges required']);
    expect(await ask(access.admin, '{ users { username } }')).toEqual({
      users: [{ username: 'admin' }, { username: 'ann' }],
    });
    const document = '{ document(collection: "blog", key: "a", lang: "en") { key } }';
    await access.manage('POST', '/v1/add', { collection: 'blog', key: 'a', lang: 'en', contentMd: 'a' });
    expect(await ask(ann, document)).toEqual([expect.stringContaining('permission denied')]);
    await access.grant('ann', 'blog', 'read');
    expect(await ask(ann, document)).toEqual({ document: { key: 'a' } });
  });

  it('follow the database when it is replaced, and somebody can administer whatever it holds', async () => {
    const access = await start();
    await access.manage('GET', '/v1/backup?to=before.db');
    const ann = bearer(await access.register('ann'));
    await access.manage('POST', '/v1/restore', { from: 'before.db' });
    expect((await access.send('GET', '/v1/auth/me', ann)).status).toBe(401);
    expect((await access.send('GET', '/v1/auth/me', access.admin)).status).toBe(200);
    await access.server.sql.transaction((tx) => tx.run('DELETE FROM users'));
    await access.manage('GET', '/v1/backup?to=nobody.db');
    await access.manage('POST', '/v1/restore', { from: 'nobody.db' });
    expect((await access.send('GET', '/v1/auth/me', access.admin)).status).toBe(401);
    expect(await access.login(ADMIN.username, ADMIN.password)).toBeDefined();
  });

  it('can be had but not made while the server only reads', async () => {
    const access = await start({ SVC_MODE: 'read' });
    expect((await access.send('GET', '/v1/auth/me', access.admin)).status).toBe(200);
    expect(
      refusal(await access.send('POST', '/v1/auth/register', access.admin, { username: 'ann', password: PASSWORD })),
    ).toEqual([403, 'read-only mode']);
    expect(refusal(await access.send('POST', '/v1/auth/api-key', {}, {}))).toEqual([403, 'read-only mode']);
  });

  it('are neither there nor looked at while authentication is off', async () => {
    const server = await startDocsServer();
    const client = new HttpClient(server.url);
    try {
      for (const [method, path] of [['POST', '/v1/auth/login'], ['GET', '/v1/auth/me'], ['DELETE', '/v1/auth/users/a'],
        ['GET', '/v1/auth/permissions']] as const)
      {
        expect(refusal(await client.send(method, path))).toEqual([404, 'authentication is disabled']);
      }
      expect((await client.send('GET', '/v1/stats', { headers: bearer('nonsense') })).status).toBe(200);
    } finally {
      client.close();
      await server.stop();
    }
  });
});

describe('two credentials in one request', () => {
  it('are distinguished where the one that counts is refused', async () => {
    const access = await start();
    const send = (key: string) => access.send('GET', '/v1/config', { ...access.admin, ...apiKey(key) });
    expect(refusal(await send('svc_live_no'))).toEqual([401,
      'invalid token: X-API-Key was refused; where it is sent, Authorization does not count']);
    expect(refusal(await access.send('GET', '/v1/config', apiKey('svc_live_no')))).toEqual([401, 'invalid token']);
  });
});

describe('what a caller may not read does not show', () => {
  const HIDDEN = 'secretplans';

  /** A document, a configuration, a schema and a rule in `open` and in a collection that `ann` may not read. */
  async function populated(
    env = {},
  ): Promise<{ access: AccessServer; ann: Credential; rules: Record<string, string> }> {
    const access = await start({ SVC_EMBEDDING_PROVIDER: 'builtin', ...env });
    const rules: Record<string, string> = {};
    for (const collection of ['open', HIDDEN]) {
      for (const key of ['a', 'b'])
        await access.manage('POST', '/v1/add', {
          collection,
          key,
          lang: 'en',
          contentMd: `same words, ${collection}`,
          meta: { tag: ['x'] },
        });
      await access.manage('PUT', '/v1/collection-config', { collection, description: collection });
      await access.manage('POST', '/v1/schema/set', {
        collection,
        schema: { properties: { tag: { type: 'string' } } },
      });
      rules[collection] =
        (await access.manage<{ id: string }>('POST', '/v1/curation', { collection, query: collection, enabled: true }))
          .id;
      await access.manage('POST', '/v1/vector-reindex', { collection });
    }
    const ann = bearer(await access.register('ann'));
    await access.grant('ann', 'open', 'read');
    return { access, ann, rules };
  }

  it('in what is listed of all collections', async () => {
    const { access, ann } = await populated({ SVC_METRICS_PUBLIC: 'false' });
    const lists = [['GET', '/v1/collection-configs'], ['POST', '/v1/schema/list'], ['GET', '/v1/curation'], ['GET',
      '/v1/vector-stats'], ['GET', '/metrics']] as const;
    for (const [method, path] of lists) {
      const all = await access.send(method, path, access.admin);
      expect([path, all.status, all.text.includes('open'), all.text.includes(HIDDEN)]).toEqual([path, 200, true, true]);
      const some = await access.send(method, path, ann);
      expect([path, some.status, some.text.includes('open'), some.text.includes(HIDDEN)]).toEqual([path, 200, true,
        false]);
    }
    expect(refusal(await access.send('GET', '/metrics'))).toEqual([401, 'missing authentication']);
    expect(refusal(await access.send('GET', '/v1/stats', ann))).toEqual([403, 'admin permission required']);
  });

  it('in metrics that are public, except to callers with a credential that permits reading them (decision D-141)', async () => {
    const { access, ann } = await populated();
    const shown = async (credential: Credential) => {
      const { status, text } = await access.send('GET', '/metrics', credential);
      return [status, ['open', HIDDEN].filter((name) => text.includes(`collection="${name}"`)),
        text.includes('svc_uptime_seconds ')];
    };
    expect(await shown({})).toEqual([200, [], true]);
    expect(await shown(bearer('nonsense'))).toEqual([200, [], true]);
    expect(await shown(ann)).toEqual([200, ['open'], true]);
    expect(await shown(access.admin)).toEqual([200, ['open', HIDDEN], true]);
  });

  it('in searches across collections, nor by their sources', async () => {
    const { access, ann } = await populated();
    const search = (credential: Credential, more: object) =>
      access.send('POST', '/v1/cross-search', credential, { topK: 50, ...more });
    const query = { query: 'same words' };
    expect((await search(access.admin, query)).text).toContain(HIDDEN);
    const implicit = await search(ann, query);
    expect([implicit.status, implicit.text.includes('open'), implicit.text.includes(HIDDEN)]).toEqual([200, true,
      false]);
    const refused = [403, `forbidden: no read permission on ${HIDDEN}`];
    expect(refusal(await search(ann, { ...query, targetCollections: ['open', HIDDEN] }))).toEqual(refused);
    expect(refusal(await search(ann, { sourceCollection: HIDDEN, sourceDocID: 'a' }))).toEqual(refused);
    expect(refusal(await search(ann, { sourceCollection: 'open', sourceDocID: `${HIDDEN}|a|en` }))[0]).toBe(404);
    expect(refusal(await access.send('POST', '/v1/classify', ann, { collection: HIDDEN, key: 'a', labels: ['x'] })))
      .toEqual(refused);
    expect((await access.send('POST', '/v1/classify', ann, { text: 'same', labels: ['x'] })).status).toBe(200);
  });

  it('by rules that are known by their id, nor can they be moved or removed', async () => {
    const { access, ann, rules } = await populated();
    await access.grant('ann', 'open', 'read', 'write');
    const id = rules[HIDDEN]!;
    const rule = () => access.send('GET', `/v1/curation?id=${id}`, ann);
    const move = (collection: string) => access.send('PUT', '/v1/curation', ann, { id, collection, query: 'x' });
    expect(refusal(await rule())).toEqual([404, 'not found']);
    expect(refusal(await move('open'))).toEqual([404, 'not found']);
    expect(refusal(await access.send('DELETE', `/v1/curation?id=${id}&collection=open`, ann))).toEqual([404,
      'not found']);
    expect(refusal(await access.send('DELETE', `/v1/curation?id=${id}`, ann))).toEqual([403,
      'admin permission required']);
    expect(refusal(await access.send('GET', `/v1/curation?collection=${HIDDEN}`, ann))[0]).toBe(403);
    await access.grant('ann', HIDDEN, 'read');
    expect((await rule()).status).toBe(200);
    expect(refusal(await move('open'))).toEqual([403, `forbidden: no write permission on ${HIDDEN}`]);
    await access.grant('ann', HIDDEN, 'write');
    expect((await move('open')).status).toBe(200);
  });

  it('in the conversations, which * does not include', async () => {
    const access = await start();
    const ann = bearer(await access.register('ann'));
    await access.grant('ann', '*', 'read', 'write');
    const open = () => access.send('POST', '/v1/memory/session', ann, { userId: 'u' });
    expect(refusal(await open())).toEqual([403, 'forbidden: no write permission on _memory']);
    await access.grant('ann', '_memory', 'write');
    expect((await open()).status).toBe(200);
    expect(refusal(await access.send('POST', '/v1/memory/sessions', ann, {}))[0]).toBe(403);
    expect((await access.send('POST', '/v1/memory/sessions', access.admin, {})).status).toBe(200);
  });
});
