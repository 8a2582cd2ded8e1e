import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const FOLDER = join(import.meta.dirname, '..', '..', 'generated', 'console');

/** Most bytes of the console of both services together, compressed. */
const BUDGET = 250_000;

async function files(): Promise<{ name: string; bytes: Buffer }[]> {
  const entries = await readdir(FOLDER, { recursive: true, withFileTypes: true });
  return Promise.all(entries.filter((entry) => entry.isFile()).map(async ({ name, parentPath }) => ({
    name,
    bytes: await readFile(join(parentPath, name)),
  })));
}

describe('the built console', () => {
  it('is small', async () => {
    const sizes = (await files()).map(({ bytes }) => gzipSync(bytes).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(BUDGET);
  });

  it('loads nothing from elsewhere, and has no script in a page', async () => {
    for (const { name, bytes } of (await files()).filter(({ name }) => name.endsWith('.html'))) {
      const page = bytes.toString('utf8');
      expect(page, name).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
      expect(page, name).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
    }
  });
});
