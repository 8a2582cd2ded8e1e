import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
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

it('says what matches and is not found', async () => {
  const odd = mkdtempSync(join(tmpdir(), 'quire-odd-'));
  mkdirSync(join(odd, 'dist/empty'), { recursive: true });
  symlinkSync('target', join(odd, 'dist/link'));
  execFileSync('mkfifo', [join(odd, 'dist/pipe')]);
  for (const name of ['plain', 'back\\slash', 'new\nline']) writeFileSync(join(odd, 'dist', name), '');
  writeFileSync(Buffer.concat([Buffer.from(join(odd, 'dist/latin-')), Buffer.from([0xe9])]), '');
  const passed: string[][] = [];
  expect(await findFiles(odd, 'dist', (...each) => void passed.push(each))).toEqual(['dist/plain']);
  expect(passed.toSorted()).toEqual([['dist/back\\slash', 'odd name'], ['dist/empty/', 'empty folder'], [
    'dist/latin-\ufffd',
    'not UTF-8',
  ], ['dist/link', 'link'], ['dist/new\nline', 'odd name'], ['dist/pipe', 'no file']]);
  rmSync(odd, { recursive: true });
});

it('does not follow a folder that becomes a link while it is looked at', async () => {
  const racing = mkdtempSync(join(tmpdir(), 'quire-racing-'));
  mkdirSync(join(racing, 'a'));
  writeFileSync(join(racing, 'a/file'), 'own');
  mkdirSync(join(racing, 'secret'));
  writeFileSync(join(racing, 'secret/file'), 'secret');
  const racer = spawn('/bin/sh', ['-c', `cd ${racing}; while :; do mv a b; ln -s secret a; rm a; mv b a; done`], {
    stdio: 'ignore',
    detached: true,
  });
  const read: string[] = [];
  for (let turn = 0; turn < 2_000; turn += 1) {
    const file = await openInside(racing, 'a/file', undefined).catch(() => undefined);
    if (file !== undefined) read.push((await file.readFile()).toString());
    await file?.close();
  }
  // With the program that it has just started, which may be gone a moment later.
  process.kill(-racer.pid!, 'SIGKILL');
  await once(racer, 'exit');
  expect([...new Set(read)]).toEqual(['own']);
  rmSync(racing, { recursive: true, maxRetries: 20 });
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
