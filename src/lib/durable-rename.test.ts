import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { durableRename } from './durable-rename.ts';

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
