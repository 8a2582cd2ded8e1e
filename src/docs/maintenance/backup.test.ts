import fc from 'fast-check';
import { link, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BackupJail, resolveBackup } from './backup.ts';

const REFUSED = { code: 'invalid_argument', message: 'invalid backup name' };

let jail: BackupJail;

beforeEach(async () => {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'backup-name-')));
  jail = { dir, databasePath: join(dir, 'quire.db') };
  await writeFile(jail.databasePath, 'live');
});

afterEach(() => rm(jail.dir, { recursive: true }));

describe('resolveBackup (decision D-73)', () => {
  it.each(['backup-1766400000.db', 'Sicherung März (2).db', 'b', '2026-01-02.sqlite'])('takes %s', async (name) => {
    expect(await resolveBackup(jail, name)).toEqual({ path: join(jail.dir, name), exists: false });
  });

  it('knows whether the file exists', async () => {
    await writeFile(join(jail.dir, 'b.db'), '');
    expect(await resolveBackup(jail, 'b.db')).toMatchObject({ exists: true });
  });

  it.each(['', '.', '..', '../x.db', '/etc/passwd', 'sub/x.db', 'sub\\x.db', '..\\x', 'C:\\x.db', 'C:x', 'a\0.db',
    'a..b', '.hidden', ' x', 'x ', 'x.', '~/x', '$HOME', 'a\nb', '-rf', 'quire.db', 'QUIRE.db', 'quire.db-wal',
    'quire.db-shm', 'quire.db-journal', 'quire.db.lock', 'x'.repeat(201)])('refuses %j with one text', async (name) => {
      await expect(resolveBackup(jail, name)).rejects.toMatchObject(REFUSED);
    });

  it('refuses links and folders, wherever they lead', async () => {
    await symlink('/etc/passwd', join(jail.dir, 'outside.db'));
    await symlink(join(jail.dir, 'nowhere'), join(jail.dir, 'dangling.db'));
    await link(jail.databasePath, join(jail.dir, 'hard.db'));
    await mkdir(join(jail.dir, 'folder.db'));
    for (const name of ['outside.db', 'dangling.db', 'hard.db', 'folder.db']) {
      await expect(resolveBackup(jail, name)).rejects.toMatchObject(REFUSED);
    }
  });

  it('never returns a path outside the folder', async () => {
    const hostile = fc.array(
      fc.constantFrom('..', '.', '/', '\\', 'C:', 'a', ' ', '\0', '%2e', '~', 'quire.db', '-wal'),
      { maxLength: 6 },
    ).map((parts) => parts.join(''));
    await fc.assert(fc.asyncProperty(fc.oneof(hostile, fc.string()), async (name) => {
      const found = await resolveBackup(jail, name).catch((error: unknown) => {
        expect(error).toMatchObject(REFUSED);
      });
      if (found) expect([dirname(found.path), found.path === jail.databasePath]).toEqual([jail.dir, false]);
    }), { numRuns: 300 });
  });
});
