import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SpoolFolder } from './spool.ts';

async function* pieces(size: number, count: number): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(size);
  // The same buffer for each piece, as some sources do.
  for (let i = 0; i < count; i++) yield buffer.fill(i);
}

describe('a spool', () => {
  let parent: string;
  let folder: SpoolFolder;
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'quire-spool-'));
    folder = new SpoolFolder(join(parent, 'spool'));
  });
  afterEach(() => rm(parent, { recursive: true, force: true }));

  it('keeps a small file in memory', async () => {
    const spool = folder.open();
    const file = await spool.store(pieces(3, 2), { name: 'a.md', type: 'text/markdown', maxBytes: 100 });
    expect([file.name, file.type, file.size, [...await file.bytes()]]).toEqual(['a.md', 'text/markdown', 6, [0, 0, 0, 1,
      1, 1]]);
    expect(existsSync(folder.path)).toBe(false);
    await spool.remove();
  });

  it('frees pieces that are its own, and leaves alone what is part of something larger', async () => {
    const spool = folder.open();
    const own = [new Uint8Array(100_000).fill(1), new Uint8Array(100_000).fill(2)];
    const shared = new Uint8Array(3).fill(3);
    const file = await spool.store((async function*() {
      yield* own;
      yield shared.subarray(1);
    })(), { name: 'a', maxBytes: 1e6, ownsPieces: true });
    expect(own.map(({ length }) => length)).toEqual([0, 0]);
    expect(shared).toEqual(new Uint8Array(3).fill(3));
    const bytes = await file.bytes();
    expect([bytes.length, bytes[99_999], bytes[199_999], bytes[200_001]]).toEqual([200_002, 1, 2, 3]);
    await spool.remove();
  });

  it('keeps a large file on disk, for nobody else to read, until it is removed', async () => {
    const spool = folder.open();
    const file = await spool.store(pieces(50_000, 4), { name: 'a.pdf', maxBytes: 1e6 });
    const bytes = await file.bytes();
    expect([bytes.length, bytes[0], bytes[99_999], bytes[199_999]]).toEqual([200_000, 0, 1, 3]);
    const [request] = await readdir(folder.path);
    expect((await stat(join(folder.path, request!, '0'))).mode & 0o777).toBe(0o600);
    await spool.remove();
    await spool.remove();
    expect(await readdir(folder.path)).toEqual([]);
    await expect(file.bytes()).rejects.toThrow();
  });

  it('keeps one byte more than the limit of a file that has more, and reads on to its end', async () => {
    for (const limit of [10, 100_000]) {
      let read = 0;
      async function* source(): AsyncGenerator<Uint8Array> {
        for await (const piece of pieces(30_000, 10)) {
          read += piece.length;
          yield piece;
        }
      }
      const spool = folder.open();
      expect([(await spool.store(source(), { name: 'a', maxBytes: limit })).size, read]).toEqual([limit + 1, 300_000]);
      await spool.remove();
    }
  });

  it('puts small files on disk when there are many of them', async () => {
    const spool = folder.open();
    for (let i = 0; i < 80; i++) await spool.store(pieces(64 * 1024, 1), { name: `${i}`, maxBytes: 1e6 });
    const [request] = await readdir(folder.path);
    expect(await readdir(join(folder.path, request!))).toHaveLength(16);
    await spool.remove();
  });

  it('rejects with the failure of the source, and leaves nothing behind', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(100_000);
      throw new Error('hung up');
    }
    const spool = folder.open();
    await expect(spool.store(broken(), { name: 'a', maxBytes: 1e6 })).rejects.toThrow('hung up');
    await spool.remove();
    expect(await readdir(folder.path)).toEqual([]);
  });

  it('makes nothing any more once it is removed, though a file is still coming', async () => {
    const spool = folder.open();
    async function* late(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(10);
      await spool.remove();
      yield new Uint8Array(100_000);
    }
    await expect(spool.store(late(), { name: 'a', maxBytes: 1e6 })).rejects.toThrow('were removed');
    expect(existsSync(folder.path)).toBe(false);
  });

  it('is cleared of what an earlier process has left', async () => {
    await mkdir(join(folder.path, 'request-old'), { recursive: true });
    await writeFile(join(folder.path, 'request-old', '0'), 'left');
    await folder.clear();
    await folder.clear();
    expect(existsSync(folder.path)).toBe(false);
  });
});
