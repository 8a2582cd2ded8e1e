// Caches that ships share: over the network, in a folder and in a bucket.
import { create } from '@bufbuild/protobuf';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DiscardCacheRequestSchema, DownloadCacheRequestSchema, Outcome, type RunRef, type UploadCacheRequest,
  UploadCacheRequestSchema, UploadCacheStatus } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { Context } from '../../operations/index.ts';
import { RefusedCall } from '../../ship/index.ts';
import { FleetFixture, type TestShip, type TestStream } from '../../testkit/runs-fleet.ts';
import { BUCKET, CREDENTIAL, S3Server } from '../../testkit/s3-server.ts';
import { createAuditLog } from '../audit/index.ts';
import { InterruptedContents } from '../contents/test-fixture.ts';
import { countCaches } from './cache-rows.ts';
import { Caches, createCacheHandlers } from './index.ts';

const LIMITS = 'max_size: 2MiB, total_budget: 5MiB, retention: 1h';
const never = new AbortController().signal;

let s3: S3Server;
let fixture: FleetFixture;
let [first, second]: { ship: TestShip; stream: TestStream }[] = [];

beforeAll(async () => {
  s3 = await S3Server.start();
});
afterAll(() => s3.stop());
afterEach(() => fixture.stop());

async function start(store: string): Promise<void> {
  const variables = { RUNS_S3_ACCESS_KEY: CREDENTIAL, RUNS_S3_SECRET_KEY: CREDENTIAL };
  fixture = await FleetFixture.start({ fleet: `caches: {${store}, ${LIMITS}}\nstorage: {reserve: 1KiB}`, variables });
  first = await fixture.connected('build-01');
  second = await fixture.connected('build-02');
}

/** A run that one of the ships holds. */
async function taken(by = first!, projectId = 'alpha'): Promise<RunRef> {
  for (const other of [first!, second!]) if (other !== by) other.stream.heartbeat([], 0);
  by.stream.heartbeat([], 4);
  await fixture.submit({ projectId, maxAttempts: 2 });
  return (await by.stream.take()).ref;
}

async function* partsOf(ref: RunRef, key: string, content: Buffer,
  announced: object): AsyncGenerator<UploadCacheRequest>
{
  yield create(UploadCacheRequestSchema, {
    body: {
      case: 'description',
      value: {
        ref,
        key,
        size: BigInt(content.length),
        sha256: createHash('sha256').update(content).digest(),
        ...announced,
      },
    },
  });
  for (let at = 0; at < content.length; at += 200_000)
    yield create(UploadCacheRequestSchema, { body: { case: 'chunk', value: content.subarray(at, at + 200_000) } });
}

const upload = (ref: RunRef, key: string, content: Buffer | string, announced: object = {}, by = first!) =>
  fixture.linkOf(by.ship).uploadCache(partsOf(ref, key, Buffer.from(content), announced), never);

/** The key and the content of the cache that fits, `fenced`, or undefined. */
async function download(ref: RunRef, key: string, restoreKeys: string[] = [],
  by = first!): Promise<readonly [key: string, content: string] | 'fenced' | undefined>
{
  let [found, pieces]: [string | undefined, Uint8Array[]] = [undefined, []];
  for await (const { body } of fixture.linkOf(by.ship).downloadCache(
    create(DownloadCacheRequestSchema, { ref, key, restoreKeys }),
    never,
  )) {
    if (body.case === 'fenced') return 'fenced';
    if (body.case === 'description') found = body.value.key;
    else pieces.push(body.value!);
  }
  return found === undefined ? undefined : [found, Buffer.concat(pieces).toString()];
}

const stored = (): string[] =>
  readdirSync(join(fixture.folder, 'caches'), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile()
  ).map(({ name }) => name);

describe.each(['folder', 's3'])('a cache in the store %s', (store) => {
  beforeEach(() =>
    start(
      store === 'folder'
        ? 'store: folder'
        : `store: s3, s3: {endpoint: '${s3.endpoint}', bucket: ${BUCKET}, prefix: quire, use_tls: false}`,
    )
  );

  it('that one ship has saved is there for the others, by its key or by the beginning of it, the newest first', async () => {
    const [mine, others] = [await taken(first), await taken(second)];
    expect(await download(mine, 'deps-1', ['deps-'])).toBeUndefined();
    const large = 'abcdefghij'.repeat(150_000);
    expect(await upload(mine, 'deps-1', large)).toMatchObject({ status: UploadCacheStatus.CACHE_KEPT });
    fixture.now += 1000;
    await upload(mine, 'deps-2', 'two');
    await upload(mine, 'd%', 'percent');
    expect(await download(others, 'deps-1', [], second)).toEqual(['deps-1', large]);
    expect(await download(others, 'deps-3', ['none', 'deps-', 'd'], second)).toEqual(['deps-2', 'two']);
    expect(await download(others, 'deps', ['d%'], second)).toEqual(['d%', 'percent']);
    expect(await download(others, 'deps', [], second)).toBeUndefined();
  });

  it('keeps its first content, belongs to its project, and is gone once it cannot be restored', async () => {
    const [mine, others] = [await taken(first), await taken(second, 'beta')];
    await upload(mine, 'k', 'one');
    expect(await upload(mine, 'k', 'two')).toMatchObject({ status: UploadCacheStatus.CACHE_EXISTS });
    expect(await download(mine, 'k')).toEqual(['k', 'one']);
    expect(await download(others, 'k', ['k'], second)).toBeUndefined();
    await upload(others, 'k', 'one', {}, second);
    await fixture.linkOf(first!.ship).discardCache(create(DiscardCacheRequestSchema, { ref: mine, key: 'k' }));
    expect([await download(mine, 'k'), await download(others, 'k', [], second)]).toEqual([undefined, ['k', 'one']]);
  });
});

describe('a cache', () => {
  beforeEach(() => start('store: folder'));

  it('is neither taken from nor given to a ship that does not hold the run', async () => {
    const ref = await taken(first);
    await upload(ref, 'k', 'one');
    const late = { ...ref, fencingToken: 99n };
    expect(await download(late, 'k')).toBe('fenced');
    expect(await download(ref, 'k', [], second)).toBe('fenced');
    expect(await upload(late, 'other', 'x')).toMatchObject({ status: UploadCacheStatus.UPLOAD_CACHE_FENCED });
    await fixture.linkOf(second!.ship).discardCache(create(DiscardCacheRequestSchema, { ref, key: 'k' }));
    expect(await download(ref, 'k')).toEqual(['k', 'one']);
    expect(fixture.fenced).toEqual(['DownloadCache', 'DownloadCache', 'UploadCache']);
    await first!.ship.complete(ref, Outcome.SUCCEEDED);
    expect(await download(ref, 'k')).toBe('fenced');
  });

  it('is refused with other bytes, without a key and with too many restore keys, and leaves nothing', async () => {
    const ref = await taken();
    for (const [key, announced, said] of [['k', { sha256: Buffer.alloc(32) }, 'do not have the hash'], ['k', {
      size: 9n,
    }, '3 bytes, 9 were announced'], ['', {}, 'key must have'], ['a\0b', {}, 'key must have']] as const) {
      const refusal = await upload(ref, key, 'one', announced).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(RefusedCall);
      expect((refusal as Error).message).toContain(said);
    }
    await expect(download(ref, 'k', Array.from({ length: 17 }, () => 'k'))).rejects.toThrow(
      'restore_keys must have at most 16',
    );
    expect([await download(ref, 'k'), stored()]).toEqual([undefined, []]);
  });

  it('makes room by removing those that were fetched longest ago, and is refused above the limit of one', async () => {
    const ref = await taken();
    for (const key of ['a', 'b']) {
      await upload(ref, key, Buffer.alloc(2_000_000, key));
      fixture.now += 1000;
    }
    expect((await download(ref, 'a'))?.[0]).toBe('a');
    fixture.now += 1000;
    await upload(ref, 'c', Buffer.alloc(2_000_000, 'c'));
    expect(await Promise.all(['a', 'b', 'c'].map(async (key) => (await download(ref, key))?.[0]))).toEqual(['a',
      undefined, 'c']);
    expect(stored()).toHaveLength(2);
    expect(await upload(ref, 'd', Buffer.alloc(2_200_000))).toMatchObject({
      status: UploadCacheStatus.CACHE_OVER_LIMIT,
      message: expect.stringContaining('caches.max_size'),
    });
  });

  it('is removed after its retention without use', async () => {
    const ref = await taken();
    await upload(ref, 'a', 'one');
    await upload(ref, 'b', 'two');
    fixture.now += 3_500_000;
    await download(ref, 'b');
    fixture.now += 200_000;
    await expect.poll(() => [void fixture.timer.elapse(), stored()]).toEqual([undefined, [
      createHash('sha256').update('two').digest('hex'),
    ]]);
    const later = await taken();
    expect([await download(later, 'a'), await download(later, 'b')]).toEqual([undefined, ['b', 'two']]);
  });

  it('whose bytes are missing is not there, and is saved again', async () => {
    const ref = await taken();
    await upload(ref, 'a', 'one');
    rmSync(join(fixture.folder, 'caches', stored()[0]!.slice(0, 2)), { recursive: true });
    expect(await download(ref, 'a')).toBeUndefined();
    expect(await upload(ref, 'a', 'again')).toMatchObject({ status: UploadCacheStatus.CACHE_KEPT });
    expect(await download(ref, 'a')).toEqual(['a', 'again']);
  });

  it('has its bytes when it is saved while another one with the same is deleted, also at another server', async () => {
    const ref = await taken();
    const store = new InterruptedContents(join(fixture.folder, 'caches'), fixture.sql);
    const server = new Caches({ env: fixture.env, queue: fixture.queue, store });
    await server.start();
    const other = fixture.sql.peers === undefined ? server : fixture.caches!;
    const save = (to: Caches, key: string) => to.receive(first!.ship.id, partsOf(ref, key, Buffer.from('same'), {}));
    const remove = (from: Caches, key: string) => from.delete('alpha', { key }, async () => {});
    await save(server, 'a');
    store.interrupt('after keep', () => remove(other, 'a'));
    expect([await save(server, 'b'), await store.begun, await download(ref, 'b')]).toEqual([{ status: 'kept' }, {
      deleted: 1,
      bytes: 4,
    }, ['b', 'same']]);
    store.interrupt('before remove', () => save(other, 'c'));
    expect([await remove(server, 'b'), await store.begun, await download(ref, 'c')]).toEqual([{ deleted: 1, bytes: 4 },
      { status: 'kept' }, ['c', 'same']]);
    await server.stop();
  });

  it('counts for the budget beside one that another server saves at the same time', async () => {
    const ref = await taken();
    const store = new InterruptedContents(join(fixture.folder, 'caches'), fixture.sql);
    const server = new Caches({ env: fixture.env, queue: fixture.queue, store });
    await server.start();
    const other = fixture.sql.peers === undefined ? server : fixture.caches!;
    const save = (to: Caches, key: string) =>
      to.receive(first!.ship.id, partsOf(ref, key, Buffer.alloc(2 * 2 ** 20, key), {}));
    await save(server, 'a');
    store.interrupt('after keep', () => save(other, 'b'));
    expect([await save(server, 'c'), await store.begun]).toEqual([{ status: 'kept' }, { status: 'kept' }]);
    expect(await countCaches(fixture.sql)).toEqual({ caches: 2, bytes: 4 * 2 ** 20 });
    await server.stop();
  });

  it('is still there after a restart, which removes bytes that nothing names', async () => {
    await upload(await taken(), 'a', 'one');
    const [name] = stored();
    const { folder } = fixture;
    await fixture.stop({ keepFolder: true });
    const stray = 'ab'.repeat(32);
    mkdirSync(join(folder, 'caches', 'ab'), { recursive: true });
    writeFileSync(join(folder, 'caches', 'ab', stray), 'stray');
    fixture = await FleetFixture.start({ folder, fleet: 'caches: {store: folder}' });
    await expect.poll(stored).toEqual([name]);
  });
});

describe('the caches of a project, for clients,', () => {
  const context = (username: string, ...projects: string[]): Context =>
    ({
      identity: { username, admin: true, may: (_: string, project: string) => projects.includes(project) },
    }) as unknown as Context;
  const both = context('token:ops', 'alpha', 'beta');
  const handlers = (caches = fixture.caches) =>
    createCacheHandlers({ env: fixture.env, audit: createAuditLog(fixture.env), caches });
  type Page = { readonly data: { readonly key: string }[]; readonly next_cursor: string | null };
  const list = async (input: object, by = both): Promise<Page> =>
    (await handlers().listCaches({ id: 'alpha', prefix: '', limit: 50, ...input }, by)) as Page;
  const keys = async (input: object = {}): Promise<string[]> => (await list(input)).data.map(({ key }) => key);
  const remove = async (input: object, by = both) =>
    (await handlers().deleteCaches({ id: 'alpha', ...input }, by)) as { data: object };
  beforeEach(() => start('store: folder'));

  it('are listed newest first, by pages and by the beginning of their keys, with how often they were fetched', async () => {
    const ref = await taken();
    for (const key of ['npm-1', 'npm-2', 'größe:%']) {
      await upload(ref, key, `content of ${key}`);
      fixture.now += 2000;
    }
    await download(ref, 'npm-1');
    await download(ref, 'npm-9', ['npm-1']);
    const seconds = Math.floor(fixture.now / 1000);
    expect((await list({ prefix: 'npm-' })).data).toEqual([{
      key: 'npm-2',
      size: 16,
      created_at: seconds - 4,
      used_at: seconds - 4,
      hits: 0,
    }, { key: 'npm-1', size: 16, created_at: seconds - 6, used_at: seconds, hits: 2 }]);
    const first = await list({ limit: 1 });
    expect([first.data[0]!.key, await keys({ before: first.next_cursor! })]).toEqual(['größe:%', ['npm-2', 'npm-1']]);
    await expect(list({ before: 'eA' })).rejects.toMatchObject({ code: 'invalid_cursor' });
    expect(fixture.cacheEvents).toEqual(['kept', 'kept', 'kept', 'hit', 'restored']);
    expect(await fixture.caches!.totals()).toEqual({
      caches: 3,
      bytes: 16 + 16 + Buffer.byteLength('content of größe:%'),
    });
  });

  it('are deleted by key or by the beginning of it, with their bytes, and the audit log says by whom', async () => {
    const [mine, others] = [await taken(first), await taken(second, 'beta')];
    for (const key of ['npm-1', 'npm-2', 'npm%', 'pip-1']) await upload(mine, key, key === 'pip-1' ? 'of both' : key);
    await upload(others, 'npm-1', 'of both', {}, second);
    expect(await remove({ key: 'npm-2' })).toEqual({ data: { deleted: 1, bytes: 5 } });
    expect(await remove({ key: 'npm' })).toEqual({ data: { deleted: 0, bytes: 0 } });
    expect(await remove({ prefix: 'npm%' })).toEqual({ data: { deleted: 1, bytes: 4 } });
    expect((await keys()).sort()).toEqual(['npm-1', 'pip-1']);
    expect(await remove({ prefix: '' })).toEqual({ data: { deleted: 2, bytes: 12 } });
    expect([await keys(), await download(others, 'npm-1', [], second)]).toEqual([[], ['npm-1', 'of both']]);
    expect(stored()).toEqual([createHash('sha256').update('of both').digest('hex')]);
    const audit = await fixture.sql.all<{ actor: string; target: string; detail: string }>(
      "SELECT actor, target, detail FROM audit WHERE action = 'delete' ORDER BY seq",
    );
    expect(audit.map(({ detail, ...rest }) => ({ ...rest, detail: JSON.parse(detail) as unknown }))).toEqual([{
      actor: 'token:ops',
      target: 'alpha',
      detail: { caches: 1, key: 'npm-2' },
    }, { actor: 'token:ops', target: 'alpha', detail: { caches: 1, prefix: 'npm%' } }, {
      actor: 'token:ops',
      target: 'alpha',
      detail: { caches: 2, prefix: '' },
    }]);
  });

  it('are not there for others, and need exactly one of key and prefix to be deleted', async () => {
    const beta = context('token:beta', 'beta');
    for (const refused of [list({}, beta), remove({ key: 'k' }, beta), list({ id: 'gamma' }),
      remove({ id: 'gamma', prefix: '' })]) await expect(refused).rejects.toMatchObject({ code: 'project_not_found' });
    for (const refused of [remove({}), remove({ key: 'k', prefix: 'k' })])
      await expect(refused).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('are counted as evicted when they make room, or are not used', async () => {
    const ref = await taken();
    for (const key of ['a', 'b', 'c']) {
      await upload(ref, key, Buffer.alloc(2_000_000, key));
      fixture.now += 1000;
    }
    fixture.now += 3_600_000;
    await expect.poll(() => [void fixture.timer.elapse(), fixture.cacheEvents.at(-1)]).toEqual([undefined, '2 unused']);
    expect(fixture.cacheEvents).toEqual(['kept', 'kept', '1 budget', 'kept', '2 unused']);
  });
});

it('is kept by no server whose configuration does not ask for it', async () => {
  fixture = await FleetFixture.start();
  first = await fixture.connected('build-01');
  await fixture.submit();
  const { ref } = await first!.stream.take();
  expect(await upload(ref, 'a', 'one')).toMatchObject({
    status: UploadCacheStatus.CACHE_OVER_LIMIT,
    message: 'this server keeps no caches',
  });
  expect(await download(ref, 'a')).toBeUndefined();
});
