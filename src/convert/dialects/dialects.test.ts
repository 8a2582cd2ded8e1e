import { describe, expect, it } from 'vitest';
import { convert } from '../test-fixture.ts';
import { keysOfPaths, readMarkdown } from './index.ts';

const md = async (text: string, name = 'a.md') => (await convert(text, name)).contentMd;

describe('markdown of Obsidian', () => {
  it.each([['links', '[[My Note]] and [[folder/Other|that]]', '[My Note](my-note) and [that](other)'], [
    'links to headings and blocks',
    '[[A#Part B]] [[A#^block1|said]] [[#Here]] [[#^block2|above]]',
    '[A > Part B](a#part-b) [said](a) [Here](#here) above',
  ], ['links in tables', '| [[A\\|b]] |\n| - |', '| [b](a) |\n| - |'], ['embeds',
    '![[Picture one.png|300]] ![[p.png|A fox]] ![[Note#Part]]',
    '![Picture one.png](picture-one.png) ![A fox](p.png) [Note > Part](note#part)'], ['callouts',
    '> [!warning]- Hot *things*\n> text\n\n> > [!note]\n> > inner',
    '> **Warning: Hot *things***\n> text\n\n> > **Note**\n> > inner'], ['names of blocks',
    'A claim. ^claim-1\n- b ^abc123\r\nx^2', 'A claim.\n- b\r\nx^2']])('has %s in the form of markdown',
      async (_, source, expected) => {
        expect(await md(source)).toBe(expected);
      });

  it.each(['`[[a]]` and ``[[b]] ` [[c]]``', '```sh\n[[ -f x ]] && echo\n> [!note] ^abc\n```',
    '[[1]](https://a.example)', '[[1, 2], [3, 4]]', 'x = [[', '[[]] [[ ]] [[-]]', '> [link][!x]',
    'Footnote[^1] and 2 ^ 3'])('leaves other text as it is: %j', async (text) => {
      expect(await md(text)).toBe(text);
    });

  it('finds the keys of links among those of a folder', () => {
    const keyOf = keysOfPaths(['Index', 'notes/My Note', 'archive/2020/My Note', 'img/a b.png']);
    const read = (text: string) => readMarkdown(new TextEncoder().encode(text), { name: 'x.md', keyOf }).content;
    expect(read('[[my note]] [[2020/My Note]] [[Index.md|start]] [[Missing|gone]] ![[a b.png]]')).toBe(
      '[my note](notes/My%20Note) [2020/My Note](archive/2020/My%20Note) [start](Index) gone ![a b.png](img/a%20b.png)',
    );
  });

  it.each(['[[', '![[a', '`', '[[a|', '> > ', '> [!a', ' ^a', 'import '])('is read in linear time: %j',
    async (part) => {
      const text = part.repeat(200_000);
      expect((await md(text, 'a.mdx')).length).toBeGreaterThan(text.length / 2);
    });
});

describe('MDX', () => {
  it('is read without its imports', async () => {
    expect(
      await md(
        "---\ntitle: T\n---\nimport A from '@x/a'\nimport {\n  B,\n  C,\n} from \"./b\";\nimport './style.css'\n\n# Title\n\n" +
          "import the data first, from 'files'\n\n<A>text</A>\n\n```js\nimport x from 'y'\n```\n",
        'a.mdx',
      ),
    ).toBe("# Title\n\nimport the data first, from 'files'\n\n<A>text</A>\n\n```js\nimport x from 'y'\n```\n");
    const quoted = "````md\n```js\nimport x from 'y'\n````\n";
    expect(await md(quoted, 'a.mdx'), 'a fence within a longer one').toBe(quoted);
    expect(await md("import a from 'b'\n")).toBe("import a from 'b'\n");
  });
});
