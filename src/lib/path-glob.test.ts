import { describe, expect, it } from 'vitest';
import { createPathGlob, createPathGlobs } from './path-glob.ts';

describe('a pattern of paths', () => {
  it.each([
    ['main', 'main', true],
    ['release/*', 'release/1.0', true],
    ['release/*', 'release/1/0', false],
    ['*', 'feature/x', false],
    ['**', 'feature/x', true],
    ['docs/**', 'docs/a/b.md', true],
    ['docs/**', 'docs', false],
    ['docs/**', 'other/docs/a', false],
    ['**/*.md', 'README.md', true],
    ['**/*.md', 'a/b/c.md', true],
    ['**/test/**/*.ts', 'src/test/a.ts', true],
    ['**/test/**/*.ts', 'src/tests/a.ts', false],
    ['src/?.ts', 'src/a.ts', true],
  ])('%s fits %s: %s', (pattern, path, fits) => {
    expect(createPathGlob(pattern)(path)).toBe(fits);
  });

  it('takes no more time for many places that could fit', () => {
    expect(createPathGlob(`${'**/a/'.repeat(40)}b`)(`${'a/'.repeat(2000)}c`)).toBe(false);
  });
});

describe('several patterns', () => {
  it('are decided by the last that fits', () => {
    const fits = createPathGlobs(['src/**', '!src/**/*.md', 'src/index.md']);
    expect(['src/a.ts', 'src/a.md', 'src/index.md', 'a.ts'].map(fits)).toEqual([true, false, true, false]);
  });

  it('include everything else if the first one excludes', () => {
    expect(['docs/a', 'src/a'].map(createPathGlobs(['!docs/**']))).toEqual([false, true]);
  });
});
