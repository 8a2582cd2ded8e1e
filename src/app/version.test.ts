import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { BUILD_VERSION } from './version.ts';

it('is that of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };
  expect(BUILD_VERSION).toBe(version);
});
