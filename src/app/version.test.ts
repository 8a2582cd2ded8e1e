import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { BUILD_VERSION } from './version.ts';

it('is that of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };
  expect(BUILD_VERSION).toBe(version);
});

it('of an old Node is refused with the version that is needed', ({ skip }) => {
  const old = '/usr/bin/node';
  const version = spawnSync(old, ['--version'], { encoding: 'utf8' }).stdout ?? '';
  if (!/^v(?:1\d|2[0-3])\./.test(version)) skip(`${old} is no old Node here`);
  const { status, stderr } = spawnSync(old, [fileURLToPath(new URL('../../bin/quire.js', import.meta.url)), 'docs'], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([1, expect.stringContaining(`quire needs Node 24.18 or newer, this is ${version.trim().slice(1)}`)]);
});
