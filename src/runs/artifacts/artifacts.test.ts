// Files of steps: received from ships, stored and downloaded.
import { create } from '@bufbuild/protobuf';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Outcome, type RunRef, type UploadArtifactRequest, UploadArtifactRequestSchema,
  UploadArtifactStatus } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { Context } from '../../operations/index.ts';
import { RefusedCall } from '../../ship/index.ts';
import { FleetFixture, type TestShip, type TestStream } from '../../testkit/runs-fleet.ts';
import { FolderContents } from '../contents/index.ts';
import { InterruptedContents } from '../contents/test-fixture.ts';
import { Artifacts } from './index.ts';

const LIMITS = 'artifacts: {max_size: 2MiB, max_count: 3, total_budget: 5MiB, retention: 1h}\nstorage: {reserve: 1KiB}';

let fixture: FleetFixture;
let ship: TestShip;
let stream: TestStream;

beforeEach(async () => {
  fixture = await FleetFixture.start({ fleet: LIMITS });
  ({ ship, stream } = await fixture.connected('build-01'));
});
afterEach(async () => {
  await fixture.stop();
});

async function taken(): Promise<RunRef> {
  await fixture.submit({ maxAttempts: 2 });
  return (await stream.take()).ref;
}

async function* partsOf(ref: RunRef, name: string, content: Buffer,
  announced: object = {}): AsyncGenerator<UploadArtifactRequest>
{
  const value = {
    ref,
    name,
    step: 'build',
    size: BigInt(content.length),
    sha256: createHash('sha256').update(content).digest(),
    ...announced,
  };
  yield create(UploadArtifactRequestSchema, { body: { case: 'description', value } });
  for (let at = 0; at < content.length; at += 200_000)
    yield create(UploadArtifactRequestSchema, { body: { case: 'chunk', value: content.subarray(at, at + 200_000) } });
}

const never = new AbortController().signal;
const upload = (ref: RunRef, name: string, content: Buffer | string, announced: object = {}, by = ship) =>
  fixture.linkOf(by).uploadArtifact(partsOf(ref, name, Buffer.from(content), announced), never);

type Listed = { data: { name: string; sha256: string; size: number; attempt: number }[] };
const list = async (id: string, attempt?: number): Promise<string[]> => {
  const { data } = await fixture.artifacts.handlers.listRunArtifacts({ id, ...(attempt !== undefined && { attempt }) },
    {} as Context) as unknown as Listed;
  return data.map(({ name }) => name);
};

async function read(id: string, name: string,
  range?: string): Promise<{ status: number | undefined; headers: Record<string, string>; text: string }>
{
  const reply = await fixture.artifacts.handlers.getRunArtifact({ id, name, ...(range !== undefined && { range }) },
    {} as Context) as unknown as { value: { content: AsyncIterable<Buffer> }; headers: Record<string, string>;
      status?: number };
  const pieces: Buffer[] = [];
  for await (const piece of reply.value.content) pieces.push(piece);
  return { status: reply.status, headers: reply.headers, text: Buffer.concat(pieces).toString() };
}

const stored = (): string[] =>
  readdirSync(join(fixture.folder, 'artifacts'), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile()
  ).map(({ name }) => name);

describe('a file of a step', () => {
  it('goes over the network in pieces, is stored once by its content, and read in whole or in part', async () => {
    const ref = await taken();
    const large = Buffer.alloc(1_500_000, 'abcdefghij');
    expect(await upload(ref, 'dist/large.bin', large)).toMatchObject({ status: UploadArtifactStatus.KEPT });
    expect(await upload(ref, 'dist/same.bin', large)).toMatchObject({ status: UploadArtifactStatus.KEPT });
    expect(stored()).toEqual([createHash('sha256').update(large).digest('hex')]);
    expect(await list(ref.runId)).toEqual(['dist/large.bin', 'dist/same.bin']);
    const whole = await read(ref.runId, 'dist/large.bin');
    expect([whole.text === large.toString(), whole.status, whole.headers]).toEqual([true, undefined,
      expect.objectContaining({ 'Content-Security-Policy': "sandbox; default-src 'none'", ETag: `"${stored()[0]}"` })]);
    expect(await read(ref.runId, 'dist/large.bin', 'bytes=3-5')).toMatchObject({
      text: 'def',
      status: 206,
      headers: { 'Content-Range': 'bytes 3-5/1500000' },
    });
    await expect(read(ref.runId, 'dist/other.bin')).rejects.toMatchObject({ code: 'not_found' });
    await expect(read('0'.repeat(32), 'x')).rejects.toMatchObject({ code: 'run_not_found' });
    await expect(list(ref.runId, 2)).rejects.toMatchObject({ code: 'invalid_attempt' });
  });

  it.skipIf(process.platform !== 'linux')('is not opened for a response that does not contain it', async () => {
    const ref = await taken();
    await upload(ref, 'a', 'content');
    const openFiles = (): string[] =>
      readdirSync('/proc/self/fd').flatMap((fd) => {
        try {
          return [readlinkSync(`/proc/self/fd/${fd}`)];
        } catch {
          return []; // that of the listing itself
        }
      });
    const reply = await fixture.artifacts.handlers.getRunArtifact({ id: ref.runId, name: 'a' },
      {} as Context) as unknown as { value: { content: AsyncIterable<Buffer> } };
    expect(openFiles().filter((path) => path.startsWith(fixture.folder) && path.includes('artifacts'))).toEqual([]);
    const pieces: Buffer[] = [];
    for await (const piece of reply.value.content) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe('content');
  });

  it('takes the place of one of the same name', async () => {
    const ref = await taken();
    await upload(ref, 'a', 'one');
    await upload(ref, 'a', 'two');
    expect([await list(ref.runId), (await read(ref.runId, 'a')).text, stored().length,
      await fixture.artifacts.totalBytes()]).toEqual([['a'], 'two', 1, 3]);
  });

  const WRONG = [['other bytes', { sha256: Buffer.alloc(32) }, 'do not have the hash'], ['more bytes', { size: 2n },
    'more than the 2 bytes'], ['fewer bytes', { size: 9n }, '3 bytes, 9 were announced'], ['a name that leads out', {
    name: '../x',
  }, 'must be a relative path'], ['a short hash', { sha256: Buffer.alloc(3) }, 'must have 32 bytes']] as const;

  it(`is refused with ${WRONG.map(([what]) => what).join(', ')}, and leaves nothing`, async () => {
    const ref = await taken();
    for (const [, announced, said] of WRONG) {
      const refusal = await upload(ref, 'a', 'one', announced).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(RefusedCall);
      expect((refusal as Error).message).toContain(said);
    }
    expect([await list(ref.runId), stored()]).toEqual([[], []]);
  });

  it('of a ship that does not hold the run any more is fenced, and never among those of the winner', async () => {
    const ref = await taken();
    await upload(ref, 'a', 'first attempt');
    await ship.complete(ref, Outcome.SHIP_ERROR, { error: { code: 'ship_error', message: 'gone' } });
    fixture.now += 10_000;
    await fixture.parts.tick();
    const second = (await stream.take()).ref;
    expect(second.attempt).toBe(2);
    expect(await upload(ref, 'a', 'late')).toMatchObject({ status: UploadArtifactStatus.UPLOAD_ARTIFACT_FENCED });
    expect(await upload(ref, 'b', Buffer.alloc(1_900_000))).toMatchObject({
      status: UploadArtifactStatus.UPLOAD_ARTIFACT_FENCED,
    });
    await upload(second, 'a', 'second attempt');
    expect((await read(ref.runId, 'a')).text).toBe('second attempt');
    expect([await list(ref.runId), await list(ref.runId, 1)]).toEqual([['a'], ['a']]);
    expect(fixture.fenced).toEqual(['UploadArtifact', 'UploadArtifact']);
    const other = await fixture.connected('build-02');
    expect(await upload(second, 'a', 'not mine', {}, other.ship)).toMatchObject({
      status: UploadArtifactStatus.UPLOAD_ARTIFACT_FENCED,
    });
    expect(stored()).toHaveLength(2);
  });
});

describe(
  'the bytes of a file are there when it is added while another one with the same is removed, also by another ' +
    'server,',
  () => {
    let store: InterruptedContents;
    let server: Artifacts;
    /** Over SQLite there is one server only. */
    let other: Artifacts;
    let ref: RunRef;

    beforeEach(async () => {
      store = new InterruptedContents(join(fixture.folder, 'artifacts'), fixture.sql);
      server = new Artifacts({ env: fixture.env, queue: fixture.queue, store });
      await server.start();
      other = fixture.sql.peers === undefined ? server : fixture.artifacts;
      ref = await taken();
      await send(server, 'a', 'same');
    });
    afterEach(() => server.stop());

    const send = (to: Artifacts, name: string, content: string) =>
      to.receive(ship.id, partsOf(ref, name, Buffer.from(content)));
    const texts = () => Promise.all(['a', 'b'].map(async (name) => (await read(ref.runId, name)).text));

    it('between its bytes and its row', async () => {
      store.interrupt('after keep', () => send(other, 'a', 'other'));
      expect([await send(server, 'b', 'same'), await store.begun, await texts()]).toEqual([{ status: 'kept' }, {
        status: 'kept',
      }, ['other', 'same']]);
    });

    it('between the last look for rows and the removal', async () => {
      store.interrupt('before remove', () => send(other, 'b', 'same'));
      expect([await send(server, 'a', 'other'), await store.begun, await texts()]).toEqual([{ status: 'kept' }, {
        status: 'kept',
      }, ['other', 'same']]);
    });
  },
);

describe('a download of the files of an attempt', () => {
  const download = async (ref: RunRef, by = ship): Promise<(string | boolean)[]> => {
    const parts: (string | boolean)[] = [];
    for await (const { body } of fixture.linkOf(by).downloadArtifacts(ref, never)) {
      if (body.case === 'description')
        parts.push(
          `${body.value.name} ${body.value.size} ${Buffer.from(body.value.sha256).toString('hex').slice(0, 8)}${
            body.value.executable ? ' executable' : ''
          }`,
          '',
        );
      else if (body.case === 'chunk') parts.push(`${String(parts.pop())}${Buffer.from(body.value).toString()}`);
      else parts.push(body.value === true);
    }
    return parts;
  };

  it('has each file with its bytes', async () => {
    const ref = await taken();
    const large = 'abcdefghij'.repeat(150_000);
    await upload(ref, 'dist/large', large);
    await upload(ref, 'empty', '', { executable: true });
    const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);
    expect(await download(ref)).toEqual([`dist/large 1500000 ${hash(large)}`, large, `empty 0 ${hash('')} executable`,
      '']);
  });

  it('is refused to ships that do not hold the run', async () => {
    const ref = await taken();
    await upload(ref, 'a', 'one');
    expect(await download({ ...ref, fencingToken: 99n })).toEqual([true]);
    const other = await fixture.connected('build-02');
    expect(await download(ref, other.ship)).toEqual([true]);
    expect(fixture.fenced).toEqual(['DownloadArtifacts', 'DownloadArtifacts']);
  });
});

describe('limits', () => {
  it('of size and number are reported, and nothing is stored', async () => {
    const ref = await taken();
    expect(await upload(ref, 'a', Buffer.alloc(2_200_000))).toMatchObject({
      status: UploadArtifactStatus.OVER_LIMIT,
      message: expect.stringContaining('artifacts.max_size'),
    });
    for (const name of ['a', 'b', 'c']) await upload(ref, name, name);
    expect(await upload(ref, 'd', 'd')).toMatchObject({
      status: UploadArtifactStatus.OVER_LIMIT,
      message: expect.stringContaining('artifacts.max_count'),
    });
    expect(await upload(ref, 'a', 'again')).toMatchObject({ status: UploadArtifactStatus.KEPT });
  });

  it('of number hold for files that arrive at the same time, also at several servers', async () => {
    const ref = await taken();
    const other = new Artifacts({
      env: fixture.env,
      queue: fixture.queue,
      store: new FolderContents(join(fixture.folder, 'artifacts'), 'other'),
    });
    await other.start();
    const sent = ['a', 'b', 'c', 'd', 'e', 'f'].map((name, i) =>
      (i % 2 === 0 ? other : fixture.artifacts).receive(ship.id, partsOf(ref, name, Buffer.from(name)))
    );
    const refused = (await Promise.all(sent)).filter(({ status }) => status !== 'kept');
    expect(refused).toEqual(
      Array.from({ length: 3 },
        () => ({ status: 'over_limit', message: expect.stringContaining('artifacts.max_count') })),
    );
    expect([(await list(ref.runId)).length, stored().length, await other.totalBytes()]).toEqual([3, 3, 3]);
    await other.stop();
  });

  it('of the disk hold for files that arrive at the same time, and room that one does not use is there for others', async () => {
    const store = new FolderContents(join(fixture.folder, 'artifacts'), 'other');
    const bytesOf = (
      name: string,
    ): number => (statSync(join(store.folder, name), { throwIfNoEntry: false })?.isFile() === true
      ? statSync(join(store.folder, name)).size
      : 0);
    store.freeBytes = async () =>
      3_001_024 - readdirSync(store.folder, { recursive: true }).reduce((sum, name) => sum + bytesOf(String(name)), 0);
    const other = new Artifacts({ env: fixture.env, queue: fixture.queue, store });
    await other.start();
    const ref = await taken();
    const send = (name: string, bytes: number, announced = {}) =>
      other.receive(ship.id, partsOf(ref, name, Buffer.alloc(bytes, name), announced));
    const both = await Promise.all([send('a', 2_000_000), send('b', 2_000_000)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['kept', 'over_limit']);
    expect(both.find(({ status }) => status === 'over_limit')!.message).toContain('storage.reserve');
    await expect(send('c', 900_000, { size: 1_000_000n })).rejects.toThrow('1000000 were announced');
    expect([await send('d', 1_000_000), await send('e', 1)]).toMatchObject([{ status: 'kept' }, {
      status: 'over_limit',
    }]);
    await other.stop();
  });

  it('of all together are kept by removing those of runs that have finished, the oldest first', async () => {
    const [first, second] = [await taken(), await taken()];
    await upload(first, 'a', Buffer.alloc(2_000_000, 'a'));
    await ship.complete(first, Outcome.SUCCEEDED);
    await upload(second, 'b', Buffer.alloc(2_000_000, 'b'));
    await upload(second, 'c', Buffer.alloc(2_000_000, 'c'));
    expect([await list(first.runId), await list(second.runId), stored().length]).toEqual([[], ['b', 'c'], 2]);
    expect(await upload(second, 'd', Buffer.alloc(2_000_000, 'd'))).toMatchObject({
      status: UploadArtifactStatus.OVER_LIMIT,
      message: expect.stringContaining('artifacts.total_budget'),
    });
  });

  it('of all together count what other servers over the same store have received, also at the same moment', async () => {
    const ref = await taken();
    const other = new Artifacts({
      env: fixture.env,
      queue: fixture.queue,
      store: new FolderContents(join(fixture.folder, 'artifacts'), 'node'),
    });
    await other.start();
    const toOther = (name: string) => other.receive(ship.id, partsOf(ref, name, Buffer.alloc(2_000_000, name)));
    expect(await upload(ref, 'a', Buffer.alloc(2_000_000, 'a'))).toMatchObject({ status: UploadArtifactStatus.KEPT });
    const both = await Promise.all([toOther('b').then(({ status }) => status === 'kept'),
      upload(ref, 'c', Buffer.alloc(2_000_000, 'c')).then(({ status }) => status === UploadArtifactStatus.KEPT)]);
    expect(both.filter((isKept) => isKept)).toHaveLength(1);
    expect([await list(ref.runId), stored().length, await other.totalBytes(), await fixture.artifacts.totalBytes()])
      .toEqual([['a', expect.stringMatching(/b|c/)], 2, 4_000_000, 4_000_000]);
    expect(await toOther('d')).toMatchObject({
      status: 'over_limit',
      message: expect.stringContaining('artifacts.total_budget'),
    });
    await other.stop();
  });

  it('of time count from the end of the run', async () => {
    const ref = await taken();
    await upload(ref, 'a', 'one');
    await ship.complete(ref, Outcome.SUCCEEDED);
    fixture.now += 3_500_000;
    await fixture.timer.elapse();
    expect(await list(ref.runId)).toEqual(['a']);
    fixture.now += 200_000;
    await expect.poll(
      async () => [void fixture.timer.elapse(), await list(ref.runId), stored(), await fixture.artifacts.totalBytes()]
    ).toEqual([undefined, [], [], 0]);
  });
});

it('a server that died clears what it has left half-written, and files that nothing names', async () => {
  const ref = await taken();
  await upload(ref, 'a', 'one');
  const folder = join(fixture.folder, 'artifacts');
  const unreferenced = 'ab'.repeat(32);
  mkdirSync(join(folder, 'ab'), { recursive: true });
  writeFileSync(join(folder, 'ab', unreferenced), 'stray');
  writeFileSync(join(folder, 'new', 'of-node', 'half'), 'half');
  const next = new Artifacts({ env: fixture.env, queue: fixture.queue, store: new FolderContents(folder, 'node') });
  await next.start();
  await expect.poll(() => existsSync(join(folder, 'ab', unreferenced))).toBe(false);
  expect([stored().length, await next.totalBytes()]).toEqual([1, 3]);
  await next.stop();
});
