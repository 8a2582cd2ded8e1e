import { status } from '@grpc/grpc-js';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DOCUMENT_MIGRATIONS } from '../../storage/index.ts';
import { makeAuthority } from '../../testkit/certificates.ts';
import { freePort } from '../../testkit/free-port.ts';
import { GrpcClient } from '../../testkit/grpc-client.ts';
import { connectHandshake } from '../../testkit/mcp-clients.ts';
import { contentOf, placeOf, SECRET, testFolder, TestNode, untilEqual } from './test-fixture.ts';

/** Long, because other work may use the processors. */
const POLLING = { timeout: 10_000, interval: 20 };

let folder: Awaited<ReturnType<typeof testFolder>>;
let nodes: TestNode[] = [];
let leaderPort: number;

beforeEach(async () => {
  folder = await testFolder();
  leaderPort = await freePort();
});
afterEach(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  nodes = [];
  await folder.remove();
});

async function start(path: string, env: Record<string, string>): Promise<TestNode> {
  const node = await TestNode.start(path === ':memory:' ? path : folder.path(path), env);
  nodes.push(node);
  return node;
}

const startLeader = (env: Record<string, string> = {}) =>
  start('leader', { SVC_REPLICATION_ROLE: 'leader', SVC_GRPC_ADDR: `127.0.0.1:${leaderPort}`, ...env });
const startFollower = (name = 'follower', env: Record<string, string> = {}) =>
  start(name, { SVC_REPLICATION_ROLE: 'follower', SVC_REPLICATION_LEADER_ADDR: `127.0.0.1:${leaderPort}`, ...env });

async function stop(node: TestNode): Promise<void> {
  nodes = nodes.filter((other) => other !== node);
  await node.stop();
}

const add = (node: TestNode, key: string, more: { collection?: string; contentMd?: string } = {}) =>
  node.do('POST', '/v1/add', {
    collection: 'blog',
    key,
    lang: 'en',
    contentMd: `text of ${key}`,
    meta: { tag: [key] },
    ...more,
  });
const found = async (node: TestNode, query: string, collection = 'blog') =>
  (await node.do<{ total: number }>('POST', '/v1/fts', { collection, query })).total;
/** Of a collection and of a document, as callers see them. */
const checksumsOf = async (
  node: TestNode,
): Promise<unknown[]> => [(await node.do('GET', '/v1/checksum?collection=first')).checksum,
  (await node.do('GET', '/v1/doc-meta?collection=first&key=before')).checksum];

describe('a leader and its follower (decision 4.11)', () => {
  const KEY = { SVC_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') };
  let own: Awaited<ReturnType<typeof testFolder>>;
  let leader: TestNode;
  let follower: TestNode;
  let address: string;

  beforeAll(async () => {
    own = await testFolder();
    leader = await TestNode.start(own.path('leader'), { SVC_REPLICATION_ROLE: 'leader', ...KEY });
    address = leader.address;
    await add(leader, 'before', { collection: 'first' });
    follower = await TestNode.start(own.path('follower'), {
      SVC_REPLICATION_ROLE: 'follower',
      SVC_REPLICATION_LEADER_ADDR: address,
      ...KEY,
    });
    await untilEqual(follower, leader);
  });
  afterAll(async () => {
    await Promise.all([leader?.stop(), follower?.stop()]);
    await own.remove();
  });

  it('have the same from a snapshot and from what came after it, and are searched alike', async () => {
    await add(leader, 'after', { collection: 'first' });
    await untilEqual(follower, leader);
    expect(await contentOf(follower.sql)).toEqual(await contentOf(leader.sql));
    await expect.poll(() => found(follower, 'text', 'first'), POLLING).toBe(2);
    expect(await checksumsOf(follower)).toEqual(await checksumsOf(leader));
    const here = await follower.status();
    await expect.poll(async () => (await leader.status()).followers, POLLING).toMatchObject([{
      follower_id: here.node_id,
      confirmed_lsn: here.current_lsn,
      status: 'healthy',
    }]);
    expect(here).toMatchObject({
      role: 'follower',
      leader_addr: address,
      current_lsn: (await leader.status()).current_lsn,
      healthy: true,
      followers: [],
    });
  });

  it('are equal row by row after writes of all kinds, and what is kept in memory follows', async () => {
    const of = { collection: 'kinds', lang: 'en' };
    for (let i = 0; i < 20; i++)
      await add(leader, `d${i}`, { ...of, contentMd: `text number ${i} ${'long '.repeat(i * 20)}` });
    await leader.do('PATCH', '/v1/update', { ...of, key: 'd1', contentMd: 'changed text' });
    await leader.do('POST', '/v1/delete', { ...of, key: 'd2' });
    await leader.do('POST', '/v1/set-ttl', { ...of, key: 'd3', ttl: 3600 });
    await leader.do('PUT', '/v1/collection-config', { collection: 'kinds', trackAccess: true });
    await leader.do('POST', '/v1/synonyms', { collection: 'kinds', term: 'text', synonyms: ['script'] });
    await leader.do('POST', '/v1/stopwords', { collection: 'kinds', words: ['number'] });
    await leader.do('POST', '/v1/schema/set', {
      collection: 'kinds',
      schema: { properties: { tag: { maxItems: 10 } } },
    });
    await leader.do('POST', '/v1/curation', {
      collection: 'kinds',
      query: 'text',
      pins: [{ key: 'd5', lang: 'en', position: 1 }],
    });
    await leader.do('POST', '/v1/webhooks', { url: 'http://127.0.0.1:9/hook', events: ['ops.panic_recovered'] });
    await leader.do('POST', '/v1/memory/session', { userId: 'u' });
    await untilEqual(follower, leader);
    expect(await contentOf(follower.sql)).toEqual(await contentOf(leader.sql));
    for (const path of ['/v1/collection-configs', '/v1/curation', '/v1/webhooks', '/v1/synonyms?collection=kinds']) {
      await expect.poll(() => follower.do('GET', path), POLLING).toEqual(await leader.do('GET', path));
    }
  });

  it('may be in memory, and an update reaches that, too', async () => {
    const diskless = await start(':memory:', {
      SVC_REPLICATION_ROLE: 'follower',
      SVC_REPLICATION_LEADER_ADDR: address,
      ...KEY,
    });
    await untilEqual(diskless, leader);
    await add(leader, 'a', { collection: 'diskless' });
    await leader.do('PATCH', '/v1/update', { collection: 'diskless', key: 'a', lang: 'en', contentMd: 'changed' });
    await untilEqual(diskless, leader);
    expect(await contentOf(diskless.sql)).toEqual(await contentOf(leader.sql));
    expect(await diskless.do('POST', '/v1/get', { collection: 'diskless', key: 'a', lang: 'en' })).toMatchObject({
      contentMd: 'changed',
    });
  });

  it('keep encrypted what is, on its way and in the binlog', async () => {
    await leader.do('PUT', '/v1/collection-config', { collection: 'secret', encrypted: true });
    await add(leader, 'a', { collection: 'secret', contentMd: 'a kookaburra laughs' });
    await untilEqual(follower, leader);
    expect(await follower.do('POST', '/v1/get', { collection: 'secret', key: 'a', lang: 'en' })).toMatchObject({
      contentMd: 'a kookaburra laughs',
    });
    const binlog = `${own.path('leader')}.binlog`;
    const content = Buffer.concat(
      await Promise.all((await readdir(binlog)).map((name) => readFile(join(binlog, name)))),
    );
    expect(content.length).toBeGreaterThan(500);
    expect(content.includes('kookaburra')).toBe(false);
  });

  it.each([['no secret', {}], ['a wrong secret', { 'x-svc-replication-secret': 'b'.repeat(42) }]])(
    'let nobody in with %s',
    async (_what, metadata) => {
      const client = new GrpcClient(address);
      try {
        await expect(client.call('AcknowledgeLSN', { followerId: 'x' }, { metadata })).rejects.toMatchObject({
          code: status.PERMISSION_DENIED,
        });
        for (const rpc of ['RequestSnapshot', 'StreamBinlog']) {
          const read = async (): Promise<void> => {
            for await (const _ of client.stream(rpc, { followerId: 'x' }, { metadata })) break;
          };
          await expect(read(), rpc).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
        }
      } finally {
        client.close();
      }
    },
  );

  it('refuse writes on every protocol of the follower, and name the leader', async () => {
    const reason = `this node is a follower; write to its leader at ${address}`;
    const document = { collection: 'blog', key: 'x', lang: 'en', contentMd: 'x' };
    expect(await follower.call('POST', '/v1/add', document)).toMatchObject({
      status: 403,
      body: { code: 'read_only', error: expect.stringContaining(reason) },
    });
    const query = 'mutation { addDocument(input: {collection: "blog", key: "x", lang: "en", contentMd: "x"}) { id } }';
    expect(JSON.stringify(await follower.call('POST', '/graphql', { query }))).toContain(reason);
    const client = new GrpcClient(follower.address);
    try {
      await expect(client.call('Add', document)).rejects.toMatchObject({
        code: status.PERMISSION_DENIED,
        details: expect.stringContaining(reason),
      });
      await expect(
        client.call('AcknowledgeLSN', { followerId: 'x' }, { metadata: { 'x-svc-replication-secret': SECRET } }),
      ).rejects.toMatchObject({ code: status.FAILED_PRECONDITION });
    } finally {
      client.close();
    }
    const { client: mcp } = await connectHandshake(new URL(follower.service.listeners.mcp!.url));
    try {
      expect(JSON.stringify(await mcp.callTool({ name: 'add_document', arguments: document }))).toContain(reason);
    } finally {
      await mcp.close();
    }
    expect(await follower.do('GET', '/v1/config')).toMatchObject({ replicationRole: 'follower', mode: 'read' });
  });
});

describe('a leader', () => {
  it('lets an administrator in, and no other user', async () => {
    const leader = await startLeader({
      SVC_AUTH_ENABLED: 'true',
      SVC_AUTH_JWT_SECRET: 'j'.repeat(32),
      SVC_AUTH_ADMIN_PASSWORD: 'a long password',
    });
    const login = async (username: string, password: string) =>
      (await leader.do<{ token: string }>('POST', '/v1/auth/login', { username, password })).token;
    const admin = await login('admin', 'a long password');
    await leader.do('POST', '/v1/auth/register', { username: 'eve', password: 'another password' }, {
      Authorization: `Bearer ${admin}`,
    });
    const eve = await login('eve', 'another password');
    const client = new GrpcClient(leader.address);
    try {
      const ask = (token: string) =>
        client.call('AcknowledgeLSN', { followerId: 'x' }, { metadata: { authorization: `Bearer ${token}` } });
      await expect(ask(eve)).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
      expect(await ask(admin)).toMatchObject({ epoch: '1' });
    } finally {
      client.close();
    }
  });

  it('ends the stream of an administrator who is disabled (decision D-164)', async () => {
    const leader = await startLeader({
      SVC_AUTH_ENABLED: 'true',
      SVC_AUTH_JWT_SECRET: 'j'.repeat(32),
      SVC_AUTH_ADMIN_PASSWORD: 'a long password',
    });
    const login = async (username: string, password: string) =>
      (await leader.do<{ token: string }>('POST', '/v1/auth/login', { username, password })).token;
    const Authorization = `Bearer ${await login('admin', 'a long password')}`;
    await leader.do('POST', '/v1/auth/register', { username: 'second', password: 'another password', admin: true }, {
      Authorization,
    });
    const client = new GrpcClient(leader.address);
    try {
      const metadata = { authorization: `Bearer ${await login('second', 'another password')}` };
      const { history, position, checksum } = await placeOf(leader.sql) as { history: string; position: number;
        checksum: number };
      const stream = client.stream('StreamBinlog', {
        followerId: 'x',
        epoch: '1',
        format: DOCUMENT_MIGRATIONS.at(-1)!.version,
        history,
        afterPosition: String(position),
        checksum,
      }, { metadata });
      let received = 0;
      const read = async (): Promise<void> => {
        for await (const _ of stream)
          if (received++ === 0)
            await leader.do('PATCH', '/v1/auth/users/second', { disabled: true }, { Authorization });
      };
      await expect(read()).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
      expect(received).toBeGreaterThan(0);
    } finally {
      client.close();
    }
  });
});

describe('what a follower has', () => {
  it('is found again after a restart of the leader, and of the follower, without another snapshot', async () => {
    let leader = await startLeader();
    let follower = await startFollower();
    await add(leader, 'a');
    await untilEqual(follower, leader);
    await stop(leader);
    leader = await startLeader();
    await add(leader, 'b');
    await untilEqual(follower, leader);
    await stop(follower);
    await add(leader, 'c');
    const torn = `${folder.path('follower')}.snapshot.tmp`;
    await writeFile(torn, 'of a process that was killed');
    follower = await startFollower();
    await expect(readFile(torn)).rejects.toMatchObject({ code: 'ENOENT' });
    await untilEqual(follower, leader);
    expect(follower.logged.filter(({ message }) => message.includes('snapshot'))).toEqual([]);
    expect(await contentOf(follower.sql)).toEqual(await contentOf(leader.sql));
  });

  it('has the places of postcodes that its leader loads', async () => {
    const leader = await startLeader();
    const follower = await startFollower();
    const places = [{ geo_postcode: ['10117'], geo_country: ['de'] }, { geo_lat: ['52.5'], geo_lng: ['13.4'] }];
    for (const [i, meta] of places.entries())
      await leader.do('POST', '/v1/add', { collection: 'blog', key: String(i), lang: 'en', contentMd: 'x', meta });
    await writeFile(join(dirname(folder.path('leader')), 'de.csv'), '10117,52.517,13.388\n');
    await untilEqual(follower, leader);
    await expect.poll(() => follower.do('GET', '/v1/geo-stats'), POLLING).toMatchObject({
      ready: true,
      collections: { blog: { points: 1 } },
    });
    await leader.do('POST', '/v1/geo-reindex', { loadPostcodes: [{ country: 'de', csvPath: 'de.csv' }] });
    const near = { collection: 'blog', lat: 52.5, lng: 13.4, radiusMeters: 10_000 };
    await expect.poll(async () => (await follower.do<{ total: number }>('POST', '/v1/geo-search', near)).total, POLLING)
      .toBe(2);
  });

  it('is a snapshot where the leader was restored from a backup', async () => {
    const leader = await startLeader();
    const follower = await startFollower();
    await add(leader, 'a');
    await leader.do('GET', '/v1/backup?to=one.db');
    await add(leader, 'b');
    await untilEqual(follower, leader);
    await leader.do('POST', '/v1/restore', { from: 'one.db' });
    await add(leader, 'c');
    await untilEqual(follower, leader);
    expect(await contentOf(follower.sql)).toEqual(await contentOf(leader.sql));
    await expect.poll(() => found(follower, 'text'), POLLING).toBe(2);
  });

  it('is a snapshot where the binlog no longer holds what it lacks', async () => {
    const leader = await startLeader({ SVC_BINLOG_MAX_SIZE: '1MiB' });
    let follower = await startFollower();
    await add(leader, 'a');
    await untilEqual(follower, leader);
    await stop(follower);
    for (let i = 0; i < 16; i++) await add(leader, `b${i}`, { contentMd: randomBytes(100_000).toString('base64') });
    await expect.poll(async () => (await leader.status()).binlog_oldest_lsn, POLLING).toBeGreaterThan(2);
    follower = await startFollower();
    await untilEqual(follower, leader);
    expect(follower.logged.map(({ message }) => message)).toContain(
      'the binlog of the leader does not go on where this node stands; taking a snapshot',
    );
    expect(await contentOf(follower.sql)).toEqual(await contentOf(leader.sql));
  });
});

describe('a promoted follower', () => {
  it('takes writes under a higher epoch, and the former leader stops, and follows it with what it alone had kept aside', async () => {
    const newPort = await freePort();
    let old = await startLeader();
    await add(old, 'shared');
    let next = await startFollower();
    await untilEqual(next, old);
    await stop(next);
    await add(old, 'lost');
    await stop(old);

    next = await start('follower', {
      SVC_REPLICATION_ROLE: 'leader',
      SVC_GRPC_ADDR: `127.0.0.1:${newPort}`,
      SVC_REPLICATION_LEADER_ADDR: `127.0.0.1:${leaderPort}`,
    });
    await add(next, 'new');
    old = await startLeader();
    const reason = 'this leader of epoch 1 was replaced by one of epoch 2';
    await expect.poll(
      async () =>
        (await old.call('POST', '/v1/add', { collection: 'blog', key: 'x', lang: 'en', contentMd: 'x' })).body['error'],
      POLLING,
    ).toContain(reason);
    expect(await old.do('GET', '/health')).toMatchObject({
      persistence: {
        warnings: expect.arrayContaining([{ code: 'REPLICATION_LAG', detail: expect.stringContaining(reason) }]),
      },
    });
    expect((await old.status()).healthy).toBe(false);

    await stop(old);
    old = await startLeader();
    expect(
      (await old.call('POST', '/v1/add', { collection: 'blog', key: 'x', lang: 'en', contentMd: 'x' })).body['error'],
    ).toContain(reason);
    await stop(old);
    old = await start('leader', {
      SVC_REPLICATION_ROLE: 'follower',
      SVC_REPLICATION_LEADER_ADDR: `127.0.0.1:${newPort}`,
    });
    await untilEqual(old, next);
    expect(await contentOf(old.sql)).toEqual(await contentOf(next.sql));
    expect(
      (await readdir(dirname(folder.path('leader')))).filter((name) =>
        /^quire\.db\.before-following-\d+\.db$/.test(name)
      ),
    ).toHaveLength(1);
    await expect.poll(() => found(old, 'text'), POLLING).toBe(2);
  });
});

describe('between nodes with TLS', () => {
  it('a follower is admitted by its client certificate, and not by the secret alone', async () => {
    const authority = await makeAuthority();
    const own = await authority.issue('server');
    const tls = async (name: string, certificate: { cert: string; key: string }): Promise<Record<string, string>> => {
      const file = (kind: string): string => `${folder.path(name)}.${kind}`;
      await mkdir(dirname(folder.path(name)), { recursive: true });
      await Promise.all([writeFile(file('cert'), certificate.cert),
        writeFile(file('key'), certificate.key, { mode: 0o600 }), writeFile(file('ca'), authority.cert)]);
      return {
        SVC_TLS_ENABLED: 'true',
        SVC_TLS_CERT: file('cert'),
        SVC_TLS_KEY: file('key'),
        SVC_TLS_CLIENT_CA: file('ca'),
        SVC_REPLICATION_SECRET: '',
        SVC_HTTP_ENABLED: 'false',
        SVC_MCP_ENABLED: 'false',
      };
    };
    const leader = await startLeader(await tls('leader', own));
    const plain = await startFollower('plain');
    const follower = await startFollower('follower', await tls('follower', await authority.issue('client')));
    await untilEqual(follower, leader);
    expect(await placeOf(plain.sql)).not.toEqual(await placeOf(leader.sql));
    expect(plain.logged.map(({ message }) => message)).toContain('the leader cannot be followed; trying again');
  });
});

describe('a follower that is late', () => {
  it('is reported by the leader once, in its health and as an event', async () => {
    const leader = await startLeader({ SVC_REPLICATION_MAX_LAG: '1ms' });
    const client = new GrpcClient(leader.address);
    try {
      await client.call('AcknowledgeLSN', { followerId: 'late', lsn: 0, position: 0 }, {
        metadata: { 'x-svc-replication-secret': SECRET },
      });
      await add(leader, 'a');
      await expect.poll(
        async () =>
          (await leader.sql.all<{ detail: string }>(
            "SELECT detail FROM changes WHERE kind = 'ops.replication_lag_high'",
          )).map(({ detail }) => JSON.parse(detail) as object),
        POLLING,
      ).toEqual([{ followerId: 'late', lagMs: expect.any(Number), thresholdMs: 1 }]);
      expect(await leader.do('GET', '/health')).toMatchObject({
        persistence: {
          warnings: expect.arrayContaining([{
            code: 'REPLICATION_LAG',
            detail: expect.stringMatching(/^followers are behind: late by \d+ ms$/),
          }]),
        },
      });
      const metrics = await (await fetch(`${leader.service.url}/metrics`)).text();
      for (const line of ['svc_replication_role{role="leader"} 1', 'svc_replication_followers_connected 0',
        'svc_replication_lag_ms 0']) expect(metrics).toContain(line);
    } finally {
      client.close();
    }
  });

  it('warns when it hears nothing from the leader', async () => {
    const follower = await startFollower('follower', { SVC_REPLICATION_MAX_LAG: '1ms' });
    await expect.poll(async () => (await follower.status()).healthy, POLLING).toBe(false);
    expect(await follower.do('GET', '/health')).toMatchObject({
      status: 'healthy',
      persistence: {
        warnings: expect.arrayContaining([{
          code: 'REPLICATION_LAG',
          detail: expect.stringMatching(/^this node is \d+ ms behind its leader$/),
        }]),
      },
    });
  });
});
