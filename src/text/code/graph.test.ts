import { describe, expect, it } from 'vitest';
import { type CodeDocument, type CodeLookups, walkCodeGraph } from './graph.ts';

type Symbols = Partial<Pick<CodeDocument, 'defines' | 'uses' | 'imports'>>;

function document(key: string, language: string, symbols: Symbols = {}, lang = 'en'): CodeDocument {
  return { docId: `c|${key}|${lang}`, key, lang, language, defines: [], uses: [], imports: [], ...symbols };
}

/** The lookups over a list, as specified by their contract. */
function lookupsOf(documents: readonly CodeDocument[]): CodeLookups {
  const sorted = documents.toSorted((a, b) =>
    Buffer.compare(Buffer.from(`${a.key}\0${a.lang}`), Buffer.from(`${b.key}\0${b.lang}`))
  );
  const by =
    (valuesOf: (document: CodeDocument) => readonly string[]) =>
    (wanted: readonly string[], exceptKey: string, limit: number) => {
      expect(wanted).not.toHaveLength(0);
      return Promise.resolve(
        sorted.filter((each) => each.key !== exceptKey && valuesOf(each).some((value) => wanted.includes(value))).slice(
          0,
          limit,
        ),
      );
    };
  return {
    byDefines: by(({ defines }) => defines),
    byUses: by(({ uses }) => uses),
    byImports: by(({ imports }) => imports),
    byKeys: by(({ key }) => [key]),
  };
}

const page = document('theme/post.html', 'html', {
  defines: ['main'],
  uses: ['post-title', 'save'],
  imports: ['theme/post.css', 'theme/app.js'],
});
const style = document('theme/post.css', 'css', {
  defines: ['.post-title', 'post-title'],
  imports: ['theme/base.css'],
});
const script = document('theme/app.js', 'javascript', { defines: ['save'], imports: ['theme/util', 'react'] });
const util = document('theme/util.ts', 'typescript', { defines: ['clamp'] });
const base = document('theme/base.css', 'css', { defines: ['body'] });
const THEME = [page, style, script, util, base];

async function walk(root: CodeDocument, documents: readonly CodeDocument[], options = {}) {
  const { nodes, edges, ...rest } = await walkCodeGraph(root, lookupsOf(documents), options);
  return {
    ...rest,
    nodes: nodes.map(({ document: { key }, depth }) => `${key} ${depth}`),
    edges: edges.map(({ from, to, kind, symbol, direction }) =>
      `${from.key} -${kind}:${symbol}-> ${to.key} ${direction}`
    ),
  };
}

describe('walkCodeGraph (contract, "Code graph"; decision D-76)', () => {
  it('goes out one step', async () => {
    expect(await walk(page, THEME, { direction: 'out' })).toEqual({
      direction: 'out',
      depth: 1,
      truncated: false,
      nodes: ['theme/app.js 1', 'theme/post.css 1', 'theme/post.html 0'],
      edges: ['theme/post.html -imports:theme/app.js-> theme/app.js out',
        'theme/post.html -uses-selector:save-> theme/app.js out',
        'theme/post.html -imports:theme/post.css-> theme/post.css out',
        'theme/post.html -uses-selector:post-title-> theme/post.css out'],
    });
  });

  it('goes in, to those that depend on a document', async () => {
    expect(await walk(util, THEME, { direction: 'in', depth: 3 })).toMatchObject({
      depth: 3,
      nodes: ['theme/app.js 1', 'theme/post.html 2', 'theme/util.ts 0'],
      edges: ['theme/app.js -imports:theme/util-> theme/util.ts in',
        'theme/post.html -imports:theme/app.js-> theme/app.js in',
        'theme/post.html -uses-selector:save-> theme/app.js in'],
    });
  });

  it('goes both ways by default, and finds the same edges from every side', async () => {
    const ends = await Promise.all(THEME.map((root) => walk(root, THEME, { depth: 3 })));
    for (const { direction, edges } of ends.slice(0, 3)) {
      expect(direction).toBe('both');
      expect(edges).toHaveLength(6);
    }
  });

  it.each([[0, 1], [1, 1], [2, 2], [3, 3], [9, 3]])('clamps a depth of %s to %s', async (depth, clamped) => {
    expect(await walk(page, THEME, { depth })).toMatchObject({ depth: clamped });
  });

  it('goes round in a circle once', async () => {
    const a = document('a.css', 'css', { imports: ['b.css'] });
    const b = document('b.css', 'css', { imports: ['a.css'] });
    expect(await walk(a, [a, b], { depth: 3 })).toMatchObject({
      nodes: ['a.css 0', 'b.css 1'],
      edges: ['a.css -imports:b.css-> b.css out', 'b.css -imports:a.css-> a.css in'],
    });
  });

  it('keeps the first neighbours by key and says that it cut', async () => {
    const users = Array.from({ length: 5 }, (_, i) => document(`p${i}.html`, 'html', { uses: ['post-title'] }))
      .reverse();
    expect(await walk(style, [style, ...users], { direction: 'in', maxDegree: 3 })).toMatchObject({
      truncated: true,
      nodes: ['p0.html 1', 'p1.html 1', 'p2.html 1', 'theme/post.css 0'],
    });
    expect(await walk(style, [style, ...users], { direction: 'in', maxDegree: 5 })).toMatchObject({ truncated: false });
    const many = Array.from({ length: 101 }, (_, i) => document(`p${i}.html`, 'html', { uses: ['post-title'] }));
    const { nodes, truncated } = await walk(style, [style, ...many], { maxDegree: 1000 });
    expect({ count: nodes.length, truncated }).toEqual({ count: 101, truncated: true });
  });

  it('ends a walk that would not end', async () => {
    const all = Array.from({ length: 1500 }, (_, i) =>
      document(`d${i}.html`, 'html', {
        defines: [`s${i % 20}`, `t${i % 31}`],
        uses: [`s${(i * 7) % 20}`, `t${(i * 5) % 31}`],
      }));
    const { nodes, truncated } = await walk(all[0]!, all, { depth: 3 });
    expect(truncated).toBe(true);
    expect(nodes.length).toBeLessThanOrEqual(1000);
  });

  it('takes the first candidate that exists, from either side', async () => {
    const from = document('src/a.ts', 'typescript', { imports: ['src/b', 'src/c.js', 'src/d'] });
    const targets = ['src/b.ts', 'src/b.js', 'src/c.ts', 'src/d/index.ts', 'src/d'].map((key) =>
      document(key, 'typescript')
    );
    const all = [from, ...targets];
    const expected = ['src/a.ts -imports:src/b-> src/b.ts', 'src/a.ts -imports:src/c.js-> src/c.ts',
      'src/a.ts -imports:src/d-> src/d'];
    expect((await walk(from, all, { direction: 'out' })).edges).toEqual(expected.map((edge) => `${edge} out`));
    const incoming = await Promise.all(targets.map((target) => walk(target, all, { direction: 'in' })));
    expect(incoming.flatMap(({ edges }) => edges).sort()).toEqual(expected.map((edge) => `${edge} in`));
  });

  it('finds the partials of Sass, and leaves plain paths of other languages alone', async () => {
    const main = document('scss/main.scss', 'scss', { imports: ['scss/mixins'] });
    const partial = document('scss/_mixins.scss', 'scss');
    expect((await walk(main, [main, partial])).edges).toEqual([
      'scss/main.scss -imports:scss/mixins-> scss/_mixins.scss out',
    ]);
    expect((await walk(partial, [main, partial])).edges).toEqual([
      'scss/main.scss -imports:scss/mixins-> scss/_mixins.scss in',
    ]);
    const html = document('a.html', 'html', { imports: ['b'] });
    expect((await walk(html, [html, document('b.js', 'javascript')])).edges).toEqual([]);
  });

  it('is no neighbour of its own translations, and shares edges among those of others', async () => {
    const german = { ...style, docId: 'c|theme/post.css|de', lang: 'de' };
    const { nodes, edges } = await walk(page, [page, style, german, {
      ...page,
      docId: 'c|theme/post.html|de',
      lang: 'de',
      defines: ['save'],
    }], { direction: 'out' });
    expect(nodes).toEqual(['theme/post.css 1', 'theme/post.css 1', 'theme/post.html 0']);
    expect(edges).toHaveLength(2);
  });

  it('does not depend on the order of documents', async () => {
    const expected = await walk(page, THEME, { depth: 3 });
    expect(await walk(page, THEME.toReversed(), { depth: 3 })).toEqual(expected);
  });

  it('stands alone without symbols', async () => {
    expect(await walk(document('x.go', 'go'), THEME)).toEqual({
      direction: 'both',
      depth: 1,
      truncated: false,
      nodes: ['x.go 0'],
      edges: [],
    });
  });
});
