import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { S3Server } from '../testkit/s3-server.ts';
import { FolderStore } from './folder-objects.ts';
import { type ObjectStore, S3Store, StoreFailure } from './objects.ts';

let service: S3Server;
let folder: string;
beforeAll(async () => {
  service = await S3Server.start();
  folder = await mkdtemp(join(tmpdir(), 'quire-objects-'));
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

const KINDS: [string, () => ObjectStore][] = [['a folder', () => new FolderStore(join(folder, 'objects'))], [
  'a bucket',
  () =>
    new S3Store({ ...service.config, prefix: 'some where' }, {
      outbound: { fetch: () => fetch },
      folder: 'own/one',
      timeoutMs: 10_000,
      paths: true,
    }),
]];

describe.each(KINDS)('objects with paths in %s', (_, open) => {
  const namesOf = async (store: ObjectStore, under?: string): Promise<string[]> =>
    (await store.list(undefined, under)).objects.map(({ name }) => name).sort();

  it('are put, replaced, listed by the beginning of their names, read and removed', async () => {
    const store = open();
    expect([await namesOf(store), await store.get('a/1')]).toEqual([[], undefined]);
    for (const name of ['a/1', 'a/2', 'b/c/1']) await store.put(name, Buffer.from(name));
    await store.put('a/2', Buffer.from('other'));
    expect([await namesOf(store), await namesOf(store, 'a/'), await namesOf(store, 'b/c/'), await namesOf(store, 'd/')])
      .toEqual([['a/1', 'a/2', 'b/c/1'], ['a/1', 'a/2'], ['b/c/1'], []]);
    expect(Buffer.from((await store.get('a/2'))!).toString()).toBe('other');
    const { objects: [first] } = await store.list(undefined, 'b/');
    expect(Math.abs(first!.putAt - Date.now())).toBeLessThan(60_000);
    await store.remove('a/1');
    await store.remove('a/1');
    expect(await namesOf(store, 'a/')).toEqual(['a/2']);
  });
});

describe('a folder of objects', () => {
  it('lists what a crash left half written, so that it can be removed', async () => {
    const store = new FolderStore(join(folder, 'crashed'));
    await store.put('a/1', Buffer.from('whole'));
    await writeFile(join(folder, 'crashed', 'a', '2.12345678.tmp'), 'half');
    const { objects } = await store.list(undefined);
    expect(objects.map(({ name }) => name).sort()).toEqual(['a/1', 'a/2.12345678.tmp']);
    for (const { name } of objects) await store.remove(name);
    expect(await readdir(join(folder, 'crashed', 'a'))).toEqual([]);
  });

  it('reports one that cannot be used as a failure that may pass', async () => {
    await writeFile(join(folder, 'file'), '');
    const failure: unknown = await new FolderStore(join(folder, 'file')).put('a/1', Buffer.from('x')).catch((
      error: unknown,
    ) => error);
    expect(failure).toBeInstanceOf(StoreFailure);
    expect(failure).toMatchObject({ passes: true, message: expect.stringMatching(/ENOTDIR|EEXIST/) as string });
  });
});
