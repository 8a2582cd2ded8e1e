import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { chromiumPath } from './chromium.ts';

it.runIf(process.platform === 'linux' && process.arch === 'x64')('the browser is whole for all who ask for it at once',
  async () => {
    const root = await mkdtemp(join(tmpdir(), 'quire-browser-'));
    try {
      const sizes = await Promise.all(
        Array.from({ length: 2 }, async () => (await stat(await chromiumPath(join(root, 'unpacked')))).size),
      );
      expect(new Set(sizes).size).toBe(1);
      expect(sizes[0]).toBeGreaterThan(100_000_000);
      expect(await readdir(root)).toEqual(['unpacked']);
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });
