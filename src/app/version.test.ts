import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createProgram } from './commands/program.ts';
import { processIo } from './commands/shared/io.ts';
import { BUILD_VERSION } from './specification.ts';

it('is that of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(BUILD_VERSION).toBe(version);
});

it('is printed with those of the interfaces, which are those of the specifications', async () => {
  const { document, runQueue } = Object.fromEntries(
    ([['document', 'docs'], ['runQueue', 'runs']] as const).map(([name, service]) => {
      const { info } = JSON.parse(
        readFileSync(new URL(`../../generated/${service}/openapi.json`, import.meta.url), 'utf8'),
      ) as { info: { version: string } };
      return [name, info.version];
    }),
  );
  expect((await createProgram([], processIo)).version()).toBe(
    `quire ${BUILD_VERSION} (document API ${document}, run queue API ${runQueue})`,
  );
});

it('of an old Node is refused with the version that is needed', ({ skip }) => {
  const old = '/usr/bin/node';
  const version = spawnSync(old, ['--version'], { encoding: 'utf8' }).stdout ?? '';
  if (!/^v(?:1\d|2[0-3])\./.test(version)) skip(`${old} is no old Node here`);
  const { status, stderr } = spawnSync(old, [fileURLToPath(new URL('../../bin/quire.js', import.meta.url)), 'docs'], {
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([1,
    expect.stringContaining(`quire needs Node 24.18 or newer, this is ${version.trim().slice(1)}`)]);
});
