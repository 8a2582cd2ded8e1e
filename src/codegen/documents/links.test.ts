import { describe, expect, it } from 'vitest';
import { deadLinks } from './links.ts';
import { readMarkdown } from './markdown.ts';

const PAGES: Readonly<Record<string, string>> = {
  'README.md': '# Home\n',
  'docs/a.md': '# First\n## Two words\n',
  'src/lib/README.md': '# Lib\n',
};
const FILES = new Set([...Object.keys(PAGES), '.', 'docs', 'docs/two words.svg', 'src/lib', 'src/lib/pace.ts']);

/** The problems of a link in docs/a.md. */
function problem(target: string): string | undefined {
  const page = readMarkdown(`${PAGES['docs/a.md']}[link](${target})\n`);
  const tree = {
    has: (path: string) => FILES.has(path),
    page: (path: string) => (path in PAGES ? readMarkdown(PAGES[path]!) : undefined),
  };
  return deadLinks('docs/a.md', page, tree)[0];
}

describe('a relative link', () => {
  it.each(['a.md', '../README.md', '../README.md#home', '#two-words', 'a.md#first', '../src/lib/', '../src/lib/pace.ts',
    '..', 'two%20words.svg'])('to %s leads somewhere', (target) => {
      expect(problem(target)).toBeUndefined();
    });

  it.each([['b.md', 'docs/a.md:3: the link b.md leads to no file'], ['/README.md',
    'docs/a.md:3: the link /README.md leads to no file'], ['../../README.md',
    'docs/a.md:3: the link ../../README.md leads to no file'], ['#third',
    'docs/a.md:3: the link #third leads to no heading of docs/a.md'], ['../README.md#Home',
    'docs/a.md:3: the link ../README.md#Home leads to no heading of README.md']])('to %s is dead',
      (target, message) => expect(problem(target)).toBe(message));

  it.each(['https://example.org/a.md', 'mailto:a@example.org', '//example.org'])('is not %s',
    (target) => expect(problem(target)).toBeUndefined());
});
