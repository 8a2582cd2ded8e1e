import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GrpcClient } from '../../testkit/grpc-client.ts';
import { connectHandshake } from '../../testkit/mcp-clients.ts';
import { contentOf, freePort, SECRET, testFolder, TestNode, untilEqual } from './test-fixture.ts';

/** Other work may keep the processors busy. */
const PATIENT = { timeout: 10_000, interval: 20 };

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

const startLeader = (env: Record<string, string> = {}) => start('leader', { SVC_REPLICATION_ROLE: 'leader', SVC_GRPC_ADDR: `127.0.0.1:${leaderPort}`, ...env });
const startFollower = (name = 'follower', env: Record<string, string> = {}) => start(name, { SVC_REPLICATION_ROLE: 'follower', SVC_REPLICATION_LEADER_ADDR: `127.0.0.1:${leaderPort}`, ...env });

async function stop(node: TestNode): Promise<void> {
  nodes = nodes.filter((other) => other !== node);
  await node.stop();
}

const add = (node: TestNode, key: string, contentMd = `text of ${key}`) => node.do('POST', '/v1/add', { collection: 'blog', key, lang: 'en', contentMd, meta: { tag: [key] } });
const found = async (node: TestNode, query: string) => (await node.do<{ total: number }>('POST', '/v1/fts', { collection: 'blog', query })).total;

describe('a follower (decision 4.11)', () => {
  it('takes a snapshot and then every change, and is searched like its leader', async () => {
    const leader = await startLeader();
    await add(leader, 'before');
    const follower = await startFollower();
    await untilEqual(follower, leader);
    await add(leader, 'after');
    await untilEqual(follower, leader);
    expect(await contentOf(follower.sql)).toEqual(await contentOf(leader.sql));
    await expect.poll(() => found(follower, 'text'), PATIENT).toBe(2);
    const [here, there] = [await follower.status(), await leader.status()];
    expect(here).toMatchObject({ role: 'follower', leader_addr: `127.0.0.1:${leaderPort}`, current_lsn: there.current_lsn, healthy: true, followers: [] });
    expect(there.followers).toMatchObject([{ follower_id: here.node_id, status: 'healthy' }]);
  });
});

describe('what a follower has', () => {
  it('is equal row by row after writes of all kinds, and what is kept in memory follows', async () => {
    const leader = await startLeader();
    const follower = await startFollower();
    await untilEqual(follower, leader);
    for (let i = 0; i < 20; i++) await add(leader, `d${i}`, `text number ${i} ${'long '.repeat(i * 20)}`);
    await leader.do('PATCH', '/v1/update', { collection: 'blog', key: 'd1', lang: 'en', contentMd: 'changed text' });
    await leader.do('POST', '/v1/delete', { collection: 'blog', key: 'd2', lang: 'en' });
    await leader.do('POST', '/v1/set-ttl', { collection: 'blog', key: 'd3', lang: 'en', ttl: 3600 });
    await leader.do('PUT', '/v1/collection-config', { collection: 'blog', trackAccess: true });
    await leader.do('POST', '/v1/synonyms', { collection: 'blog', term: 'text', synonyms: ['script'] });
    await leader.do('POST', '/v1/stopwords', { collection: 'blog', words: ['number'] });
    await leader.do('POST', '/v1/schema/set', { collection: 'blog', schema: { properties: { tag: { maxItems: 10 } } } });
    await leader.do('POST', '/v1/curation', { collection: 'blog', query: 'text', pins: [{ key: 'd5', lang: 'en', position: 1 }] });
    await leader.do('POST', '/v1/webhooks', { url: 'http://127.0.0.1:9/hook', events: ['*'] });
    await leader.do('POST', '/v1/memory/session', { userId: 'u' });
    await untilEqual(follower, leader);
    expect(await contentOf(follower.sql)).toEqual(await contentOf(leader.sql));
    for (const path of ['/v1/collection-configs', '/v1/curation', '/v1/webhooks', '/v1/synonyms?collection=blog']) {
      expect(await follower.do('GET', path), path).toEqual(await leader.do('GET', path));
    }
  });

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
    follower = await startFollower();
    await untilEqual(follower, leader);
    expect(follower.logged.filter(({ message }) => message.includes('snapshot'))).toEqual([]);
    expect(await contentOf(follower.sql)).toEqual(await contentOf(leader.sql));
  });

  it('is kept in memory where there is no disk', async () => {
    const leader = await startLeader();
    await add(leader, 'a');
    const follower = await startFollower(':memory:');
    await untilEqual(follower, leader);
    await add(leader, 'b');
    await leader.do('PATCH', '/v1/update', { collection: 'blog', key: 'a', lang: 'en', contentMd: 'changed' });
    await untilEqual(follower, leader);
    expect(await contentOf(follower.sql)).toEqual(await contentOf(leader.sql));
    expect(await follower.do('POST', '/v1/get', { collection: 'blog', key: 'a', lang: 'en' })).toMatchObject({ contentMd: 'changed' });
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
    await expect.poll(() => found(follower, 'text'), PATIENT).toBe(2);
  });

  it('is a snapshot where the binlog no longer holds what it lacks', async () => {
    const leader = await startLeader({ SVC_BINLOG_MAX_SIZE: '1MiB' });
    let follower = await startFollower();
    await add(leader, 'a');
    await untilEqual(follower, leader);
    await stop(follower);
    for (let i = 0; i < 16; i++) await add(leader, `b${i}`, randomBytes(100_000).toString('base64'));
    await expect.poll(async () => (await leader.status()).binlog_oldest_lsn, PATIENT).toBeGreaterThan(2);
    follower = await startFollower();
    await untilEqual(follower, leader);
    expect(follower.logged.map(({ message }) => message)).toContain('the binlog of the leader does not go on where this node stands; taking a snapshot');
    expect(await contentOf(follower.sql)).toEqual(await contentOf(leader.sql));
  });
});

describe('a leader lets in', () => {
  it.each([['no secret', {}], ['a wrong secret', { 'x-svc-replication-secret': 'b'.repeat(42) }]])('nobody with %s', async (_what, metadata) => {
    const leader = await startLeader();
    const client = new GrpcClient(leader.address);
    try {
      await expect(client.call('AcknowledgeLSN', { followerId: 'x' }, { metadata })).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
      for (const rpc of ['RequestSnapshot', 'StreamBinlog']) {
        const read = async (): Promise<void> => { for await (const _ of client.stream(rpc, { followerId: 'x' }, { metadata })) break; };
        await expect(read(), rpc).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
      }
    } finally {
      client.close();
    }
  });

  it('an administrator, and no other user', async () => {
    const leader = await startLeader({ SVC_AUTH_ENABLED: 'true', SVC_AUTH_JWT_SECRET: 'j'.repeat(32), SVC_AUTH_ADMIN_PASSWORD: 'a long password' });
    const login = async (username: string, password: string) => (await leader.do<{ token: string }>('POST', '/v1/auth/login', { username, password })).token;
    const admin = await login('admin', 'a long password');
    await leader.do('POST', '/v1/auth/register', { username: 'eve', password: 'another password' }, { Authorization: `Bearer ${admin}` });
    const eve = await login('eve', 'another password');
    const client = new GrpcClient(leader.address);
    try {
      const ask = (token: string) => client.call('AcknowledgeLSN', { followerId: 'x' }, { metadata: { authorization: `Bearer ${token}` } });
      await expect(ask(eve)).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
      expect(await ask(admin)).toMatchObject({ epoch: '1' });
    } finally {
      client.close();
    }
  });
});

describe('a follower refuses writes and names its leader', () => {
  it('on every protocol, and writes nothing by itself', async () => {
    const leader = await startLeader();
    await add(leader, 'a');
    const follower = await startFollower();
    await untilEqual(follower, leader);
    const reason = `this node is a follower; write to its leader at 127.0.0.1:${leaderPort}`;
    const document = { collection: 'blog', key: 'x', lang: 'en', contentMd: 'x' };
    expect(await follower.call('POST', '/v1/add', document)).toMatchObject({ status: 403, body: { code: 'read_only', error: expect.stringContaining(reason) } });
    const query = 'mutation { addDocument(input: {collection: "blog", key: "x", lang: "en", contentMd: "x"}) { id } }';
    expect(JSON.stringify(await follower.call('POST', '/graphql', { query }))).toContain(reason);
    const client = new GrpcClient(follower.address);
    try {
      await expect(client.call('Add', document)).rejects.toMatchObject({ code: status.PERMISSION_DENIED, details: expect.stringContaining(reason) });
      await expect(client.call('AcknowledgeLSN', { followerId: 'x' }, { metadata: { 'x-svc-replication-secret': SECRET } })).rejects.toMatchObject({ code: status.FAILED_PRECONDITION });
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

    next = await start('follower', { SVC_REPLICATION_ROLE: 'leader', SVC_GRPC_ADDR: `127.0.0.1:${newPort}`, SVC_REPLICATION_LEADER_ADDR: `127.0.0.1:${leaderPort}` });
    await add(next, 'new');
    old = await startLeader();
    const reason = 'this leader of epoch 1 was replaced by one of epoch 2';
    await expect.poll(async () => (await old.call('POST', '/v1/add', { collection: 'blog', key: 'x', lang: 'en', contentMd: 'x' })).body['error'], PATIENT).toContain(reason);
    expect(await old.do('GET', '/health')).toMatchObject({ persistence: { warnings: expect.arrayContaining([{ code: 'REPLICATION_LAG', detail: expect.stringContaining(reason) }]) } });
    expect((await old.status()).healthy).toBe(false);

    await stop(old);
    old = await startLeader();
    expect((await old.call('POST', '/v1/add', { collection: 'blog', key: 'x', lang: 'en', contentMd: 'x' })).body['error']).toContain(reason);
    await stop(old);
    old = await start('leader', { SVC_REPLICATION_ROLE: 'follower', SVC_REPLICATION_LEADER_ADDR: `127.0.0.1:${newPort}` });
    await untilEqual(old, next);
    expect(await contentOf(old.sql)).toEqual(await contentOf(next.sql));
    expect((await readdir(dirname(folder.path('leader')))).filter((name) => /^quire\.db\.before-following-\d+\.db$/.test(name))).toHaveLength(1);
    await expect.poll(() => found(old, 'text'), PATIENT).toBe(2);
  });
});
