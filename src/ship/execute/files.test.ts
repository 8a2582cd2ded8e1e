import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findFiles, openInside, sha256Of } from './files.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'quire-files-'));
  for (const file of ['a.txt', 'dist/a.tgz', 'dist/b.tgz', 'dist/deep/er/c.tgz', 'x/report.xml', 'x/y/report.xml',
    '.git/report.xml', 'dist/.hidden'])
  {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), file);
  }
  symlinkSync('/etc', join(root, 'etc'));
  symlinkSync('/etc/passwd', join(root, 'passwd.txt'));
});
afterAll(() => rmSync(root, { recursive: true }));

it.each([
  ['a.txt', ['a.txt']],
  ['dist/*.tgz', ['dist/a.tgz', 'dist/b.tgz']],
  ['dist/?.tgz', ['dist/a.tgz', 'dist/b.tgz']],
  ['dist', ['dist/a.tgz', 'dist/b.tgz', 'dist/deep/er/c.tgz']],
  ['dist/', ['dist/a.tgz', 'dist/b.tgz', 'dist/deep/er/c.tgz']],
  ['dist/.*', ['dist/.hidden']],
  ['**/report.xml', ['x/report.xml', 'x/y/report.xml']],
  ['**/**/*.tgz', ['dist/a.tgz', 'dist/b.tgz', 'dist/deep/er/c.tgz']],
  ['*.txt', ['a.txt']], // the other one is a link
  ['etc/passwd', []],
  ['etc/*', []],
  ['no/*.thing', []],
])('finds %s', async (pattern, found) => {
  expect(await findFiles(root, pattern)).toEqual(found);
});

it('finds nothing outside', async () => {
  await expect(findFiles(root, 'dist/../../x')).rejects.toThrow('leads out of the work folder');
});

it('opens files alone, and no links', async () => {
  await expect(openInside(root, 'passwd.txt', undefined)).rejects.toThrow('it is a link');
  await expect(openInside(root, 'etc/passwd', undefined)).rejects.toThrow('there is a link on the way to it');
  await expect(openInside(root, 'dist', undefined)).rejects.toThrow('it is no file');
  await expect(openInside(root, 'a.txt', { uid: 4_000_000, gid: 4_000_000 })).rejects.toThrow(
    'it belongs to another user',
  );
  const file = await openInside(root, 'a.txt', undefined);
  const { size, sha256 } = await sha256Of(file);
  await file.close();
  expect([size, Buffer.from(sha256)]).toEqual([5, createHash('sha256').update('a.txt').digest()]);
});
