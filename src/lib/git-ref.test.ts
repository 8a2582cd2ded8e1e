import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { isCommit, isGitRef } from './git-ref.ts';

it.each(['main', 'feature/a-b_c.d', 'v1.2.0', 'refs/pull/12/head', 'grün', '2fd4e1c'])('takes %s',
  (name) => expect(isGitRef(name)).toBe(true));

it.each(['', '-x', '--upload-pack=x', 'a..b', 'a b', 'a~1', 'a^', 'a:b', 'a?', 'a*', 'a[', 'a\\b', 'a@{1}', '@', 'a/',
  '/a', 'a//b', '.a', 'a/.b', 'a.lock', 'a.', 'a\nb', 'a\0', '\ud800', 'a'.repeat(256)])('refuses %j',
    (name) => expect(isGitRef(name)).toBe(false));

it('takes nothing that git takes for no name of a branch', () => {
  const letter = fc.constantFrom('a', 'B', '1', '.', '/', '-', '@', '{', '~', '^', ':', '*', '?', '[', '\\', ' ', '_',
    '.lock', '\n');
  const names = fc.sample(fc.array(letter, { minLength: 1, maxLength: 6 }).map((letters) => letters.join('')), {
    numRuns: 400,
    seed: 7,
  }).filter(isGitRef);
  expect(names.length).toBeGreaterThan(9);
  for (const name of names) execFileSync('git', ['check-ref-format', `refs/heads/${name}`]);
});

it('knows whole names of commits', () => {
  expect([isCommit('a'.repeat(40)), isCommit('0'.repeat(64)), isCommit('a'.repeat(39)), isCommit('A'.repeat(40)),
    isCommit('main')]).toEqual([true, true, false, false, false]);
});
