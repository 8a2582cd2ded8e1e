import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ManualTimer } from '../../testkit/manual-timer.ts';
import { BUCKET, CREDENTIAL, S3Server } from '../../testkit/s3-server.ts';
import { parseRunsConfig, RunsConfigError } from '../config/index.ts';
import { type ContentStore, openContents } from './content-store.ts';

let s3: S3Server;
let folder: string;
let store: ContentStore;
const clock = { ms: Date.now(), now: (): number => clock.ms };
const KEYS = { RUNS_S3_ACCESS_KEY: CREDENTIAL, RUNS_S3_SECRET_KEY: CREDENTIAL };
const config = () =>
  parseRunsConfig(
    `{data_dir: ${
      JSON.stringify(folder)
    }, artifacts: {store: s3, s3: {endpoint: '${s3.endpoint}', bucket: ${BUCKET}, prefix: quire, use_tls: false}}}`,
  );

beforeAll(async () => {
  s3 = await S3Server.start();
  folder = await mkdtemp(join(tmpdir(), 'quire-contents-'));
  store = openContents({ clock, nodeId: 'node' }, config(), 'artifacts', KEYS);
  await store.open();
});
afterAll(async () => {
  await store.close();
  await s3.stop();
  await rm(folder, { recursive: true, force: true });
});

const hashOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

async function put(content: Uint8Array): Promise<string> {
  const { file, path } = await store.begin();
  await file.writeFile(content);
  await file.close();
  await store.stage(path, hashOf(content));
  await store.keep(path, hashOf(content));
  return hashOf(content);
}

const read = async (sha256: string, size: number, range?: { start: number; end: number }): Promise<Buffer> =>
  buffer((await store.read(sha256, size, range))!);

it('files go to the bucket in parts, and are read again as a whole and in part; nothing stays on the disk', async () => {
  const large = randomBytes(17 * 2 ** 20 + 5);
  const [hash, small, empty] = [await put(large), await put(Buffer.from('small')), await put(Buffer.alloc(0))];
  expect((await read(hash, large.length)).equals(large)).toBe(true);
  const range = { start: 8 * 2 ** 20 - 3, end: 16 * 2 ** 20 + 3 };
  expect((await read(hash, large.length, range)).equals(large.subarray(range.start, range.end + 1))).toBe(true);
  expect([(await read(small, 5)).toString(), (await read(small, 5, { start: 1, end: 2 })).toString(),
    (await read(empty, 0)).length]).toEqual(['small', 'ma', 0]);
  expect([...(await s3.objects()).keys()].sort()).toEqual(
    [hash, small, empty].map((name) => `quire/artifacts/${name.slice(0, 2)}/${name}`).sort(),
  );
  expect(await readdir(join(folder, 'artifacts', 'new', 'of-node'))).toEqual([]);
});

it(
  'one that is there is not put again; one that is removed is gone, and is put where it was removed after it was ' +
    'staged',
  async () => {
    const content = Buffer.from('the same');
    const hash = await put(content);
    const puts = s3.requests['PUT'];
    await put(content);
    expect(s3.requests['PUT']).toBe(puts);
    await store.remove(hash);
    expect(await store.read(hash, content.length)).toBeUndefined();
    const { file, path } = await store.begin();
    await file.writeFile(content);
    await file.close();
    await store.stage(path, hash);
    await store.remove(hash);
    await store.keep(path, hash);
    expect((await read(hash, content.length)).toString()).toBe('the same');
  },
);

it('names of objects that were put lately are not listed, since their rows may be yet to come', async () => {
  const hash = await put(Buffer.from('listed'));
  expect(await Array.fromAsync(store.hashes())).toEqual([]);
  clock.ms += 2 * 3_600_000;
  expect(await Array.fromAsync(store.hashes())).toContain(hash);
});

it('a file that the service does not take is an error that names no credential', async () => {
  s3.fail('denied');
  await expect(put(Buffer.from('denied'))).rejects.toThrow(/403/);
  s3.fail();
});

it('a bucket needs an address, and keys in their variables', () => {
  for (const section of ['artifacts', 'caches'])
    expect(() => parseRunsConfig(`{${section}: {store: s3}}`)).toThrow(RunsConfigError);
  expect(() => openContents({ clock, nodeId: 'node' }, config(), 'artifacts', {})).toThrow(
    'artifacts.s3: the variable RUNS_S3_ACCESS_KEY is not set',
  );
});

it('a removal is given up before the lock of its name ends, which is after 10 s', async () => {
  const timer = new ManualTimer();
  const patient = openContents({ clock, nodeId: 'node' }, config(), 'artifacts', KEYS, timer);
  s3.fail('silent', 'DELETE');
  const failed = expect(patient.remove('ab'.repeat(32))).rejects.toMatchObject({
    passes: true,
    message: 'no complete response within 5 s',
  });
  await timer.elapse();
  await failed;
  s3.fail();
  await patient.close();
});
