import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { durableRename, makeFolder } from './files.ts';

describe('durableRename', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quire-rename-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('replaces the file of that name', async () => {
    await writeFile(join(folder, 'to'), 'old');
    await writeFile(join(folder, 'from'), 'new');
    await durableRename(join(folder, 'from'), join(folder, 'to'));
    expect(await readdir(folder)).toEqual(['to']);
    expect(await readFile(join(folder, 'to'), 'utf8')).toBe('new');
  });

  it('rejects when there is nothing to rename', async () => {
    await expect(durableRename(join(folder, 'from'), join(folder, 'to'))).rejects.toThrow('ENOENT');
  });
});

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-folder-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('makeFolder', () => {
  it('makes every folder that is missing, with the mode', async () => {
    makeFolder(join(folder, 'a', 'b'), 0o700);
    expect([(await stat(join(folder, 'a'))).mode & 0o777, (await stat(join(folder, 'a', 'b'))).mode & 0o777]).toEqual([
      0o700,
      0o700,
    ]);
    makeFolder(join(folder, 'a', 'b'), 0o700);
  });

  it('throws where something else is in the way', async () => {
    await writeFile(join(folder, 'file'), '');
    expect(() => makeFolder(join(folder, 'file', 'x'), 0o700)).toThrow(/ENOTDIR/);
  });

  it.skipIf(process.platform !== 'linux')('throws where the kernel makes no folders (Linux has /proc)', () => {
    expect(() => makeFolder('/proc/nope/x', 0o700)).toThrow(/ENOENT/);
  });
});
