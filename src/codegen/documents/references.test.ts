import { describe, expect, it } from 'vitest';
import { readMarkdown } from './markdown.ts';
import { deadLinks, missingFiles, missingParts, namesOf, unknownVariables, untypedBodies,
  variablesOf } from './references.ts';

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

const names = namesOf(['src/docs/view/view.ts', 'src/console/app.tsx', 'README.md']);
const missing = (file: string, text: string): string[] => missingFiles(file, text, names);

describe('names of files', () => {
  it('resolve by their last folders, wherever they are written', () => {
    expect(missing('a.md', 'see `view.ts`, `../docs/view/view.ts` and `app.tsx`\n')).toEqual([]);
    expect(missing('src/a.ts', '/**\n * Like [view.ts](view/view.ts).\n */\n// and app.tsx.\n')).toEqual([]);
  });

  it('are reported where no file has them, once for each place', () => {
    expect(missing('a.md', 'text\n`views.ts` and `ew.ts`, `runs/view.ts`\n')).toEqual([
      'a.md:2: there is no file views.ts',
      'a.md:2: there is no file ew.ts',
      'a.md:2: there is no file runs/view.ts',
    ]);
    expect(missing('src/a.ts', '// see gone.ts\nimport "./gone.ts"; // not a comment of its own\n')).toEqual([
      'src/a.ts:1: there is no file gone.ts',
    ]);
  });

  it('are not read in blocks of code, in prose, and where they stand for others', () => {
    expect(
      missing('a.md',
        '```sh\n`gone.ts`\n```\nNode.ts and gone.ts, `asm/NAME.ts`, `a.ts`, `generated/docs/types.ts`, `x.d.ts`, ' +
          '`*.test.ts`\n'),
    ).toEqual([]);
  });
});

const paths = ['src/docs/README.md', 'src/docs/geo/geo.ts', 'src/docs/hybrid/search/search.ts', 'src/docs/index.ts',
  'src/lib/lru.ts', 'src/lib/lru.test.ts', 'src/lib/glob.ts'];

it('reports folders of a room, and helpers of lib, that its page does not name', () => {
  expect(missingParts('src/docs/README.md', '[geo](geo/README.md), `hybrid`\n', paths)).toEqual([]);
  expect(missingParts('src/docs/README.md', 'geography and hybrid/\n', paths)).toEqual([
    'src/docs/README.md: geo is not named',
  ]);
  expect(missingParts('src/lib/README.md', '`glob.ts`\n', paths)).toEqual(['src/lib/README.md: lru.ts is not named']);
  expect(missingParts('src/docs/geo/README.md', '', paths)).toEqual([]);
});

it('reports variables of a page that are no settings', () => {
  const settings = variablesOf('| `SVC_PATH`, `--db` | |\n| `SVC_HTTP_ADDR` |\n');
  expect(unknownVariables('a.md', 'SVC_PATH=x SVC_HTTP_ADDR=:1, `SVC_…` and SVC_EMBEDDING_*\nSVC_PATHS=x\n', settings))
    .toEqual(['a.md:2: SVC_PATHS is no setting']);
});

describe('a curl in a page', () => {
  it('names the type of its body, wherever in the command', () => {
    expect(
      untypedBodies('a.md',
        "curl x -d '{\n  \"a\": 1\n}' -H 'Content-Type: application/json'\ncurl x -H \"$json\" -d '{}'\ncurl x " +
          "\\\n  -d @- -H 'Content-Type: text/plain'\nnpx buf curl x -d '{}'\ncurl x\n"),
    ).toEqual([]);
  });

  it('is reported when it does not', () => {
    expect(untypedBodies('a.md', "text\ncurl x -d '{\n}'\ncurl y -H 'Content-Type: application/json' -d '{}'\n"))
      .toEqual(['a.md:2: curl sends a body without its Content-Type']);
  });
});
