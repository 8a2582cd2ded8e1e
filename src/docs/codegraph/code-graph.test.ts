import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { symbolsOf, withCodeSymbols } from '../../text/code/index.ts';
import { DRIVERS, Fixture } from '../documents/test-fixture.ts';
import { createCodeGraph } from './index.ts';

describe.each(DRIVERS)('the code graph over %s (contract section 4, decision D-76)', (driver) => {
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await Fixture.open(driver);
    fixture.use(createCodeGraph(fixture.environment, fixture).handlers);
  });
  afterEach(() => fixture.close());

  /** A document with these symbols, whatever its body contains: the graph uses only the stored symbols. */
  const add = async (key: string, symbols: Record<string, string[]>,
    { contentMd = '', ...more }: { contentMd?: string; collection?: string; lang?: string; ttl?: number } = {}) =>
  {
    const { id } = await fixture.call('addDocument', { collection: 'Site', key, lang: 'en', contentMd, ...more });
    await fixture.sql.transaction(async (tx) => {
      const { ord } = (await tx.get<{ ord: number }>('SELECT ord FROM documents WHERE id = ?', [id]))!;
      await tx.run('UPDATE documents SET meta = ? WHERE ord = ?', [JSON.stringify(symbols), ord]);
      await fixture.feed.append(tx, [{ kind: 'doc.put', collection: id.split('|')[0]!, ord, docId: id, key }]);
    });
    await fixture.columns.caughtUp();
  };
  const addSource = async (key: string, contentMd: string) => {
    const document = { key, meta: {} as Record<string, string[]>, contentMd };
    await add(key, withCodeSymbols(document, await symbolsOf(document, { maxSymbols: 512 })).meta, { contentMd });
  };
  const graph = (key: string, more: object = {}) =>
    fixture.call('queryCodeGraph', { collection: 'site', key, ...more });
  const keys = async (key: string, more: object = {}) =>
    (await graph(key, more)).nodes.map((node) => `${node.key} ${node.depth}`);
  const edges = async (key: string, more: object = {}) =>
    (await graph(key, more)).edges.map(({ from, to, kind, symbol, direction }) =>
      `${from} -> ${to} ${kind} ${symbol} ${direction}`
    );

  /** Two pages use theme.css, which imports base.css. */
  const addSite = async () => {
    await add('theme.css', { defines: ['.card', 'card'], imports: ['base.css'] });
    await add('base.css', { defines: ['reset'] });
    await add('page.html', { uses: ['card', 'reset', 'none'], imports: ['theme.css'] });
    await add('other.html', { uses: ['card'] });
  };

  it('returns a document with what it depends on and what depends on it', async () => {
    await addSite();
    expect(await graph('theme.css')).toEqual({
      collection: 'site',
      root: 'theme.css',
      direction: 'both',
      depth: 1,
      truncated: false,
      nodes: [{ key: 'base.css', docId: 'site|base.css|en', lang: 'en', language: 'css', depth: 1 }, {
        key: 'other.html',
        docId: 'site|other.html|en',
        lang: 'en',
        language: 'html',
        depth: 1,
      }, { key: 'page.html', docId: 'site|page.html|en', lang: 'en', language: 'html', depth: 1 }, {
        key: 'theme.css',
        docId: 'site|theme.css|en',
        lang: 'en',
        language: 'css',
        depth: 0,
      }],
      edges: [{ from: 'other.html', to: 'theme.css', kind: 'uses-selector', symbol: 'card', direction: 'in' }, {
        from: 'page.html',
        to: 'theme.css',
        kind: 'imports',
        symbol: 'theme.css',
        direction: 'in',
      }, { from: 'page.html', to: 'theme.css', kind: 'uses-selector', symbol: 'card', direction: 'in' }, {
        from: 'theme.css',
        to: 'base.css',
        kind: 'imports',
        symbol: 'base.css',
        direction: 'out',
      }],
    });
  });

  it('follows one direction where asked to', async () => {
    await addSite();
    expect(await keys('theme.css', { direction: 'out' })).toEqual(['base.css 1', 'theme.css 0']);
    expect(await keys('theme.css', { direction: 'in' })).toEqual(['other.html 1', 'page.html 1', 'theme.css 0']);
  });

  it('goes 1 to 3 steps; more are taken as 3', async () => {
    for (const i of [1, 2, 3, 4, 5]) await add(`m${i}.js`, { imports: [`m${i + 1}.js`] });
    expect(await keys('m1.js', { direction: 'out' })).toEqual(['m1.js 0', 'm2.js 1']);
    const deepest = await graph('m1.js', { direction: 'out', depth: 9 });
    expect(deepest).toMatchObject({ depth: 3, truncated: false });
    expect(deepest.nodes.map(({ key }) => key)).toEqual(['m1.js', 'm2.js', 'm3.js', 'm4.js']);
    await expect(graph('m1.js', { depth: 0 })).rejects.toMatchObject({ status: 400 });
  });

  it('returns the same answer by query parameters', async () => {
    await addSite();
    expect(await fixture.call('getCodeGraph', { collection: 'site', key: 'theme.css', depth: 2 })).toEqual(
      await graph('theme.css', { depth: 2 }),
    );
  });

  it('cuts at a hundred neighbours, or fewer where asked to, the first by key', async () => {
    await add('lib.css', { defines: ['x'] });
    const users = Array.from({ length: 101 }, (_, i) => `p${String(i).padStart(3, '0')}.html`);
    for (const key of users) await add(key, { uses: ['x'] });
    const cut = await graph('lib.css');
    expect(cut.truncated).toBe(true);
    expect(cut.nodes.map(({ key }) => key)).toEqual(['lib.css', ...users.slice(0, 100)]);
    expect(await graph('lib.css', { maxDegree: 2 })).toMatchObject({
      truncated: true,
      nodes: [{ key: 'lib.css' }, { key: 'p000.html' }, { key: 'p001.html' }],
    });
    await fixture.call('deleteDocument', { collection: 'site', key: 'p100.html', lang: 'en' });
    expect(await graph('lib.css')).toMatchObject({ truncated: false });
  });

  it('returns 404 to an unknown key, an unwritten spelling, an expired document and an unknown collection', async () => {
    await add('a.css', {}, { ttl: 10 });
    await add('B.css', {});
    await add('b.css', {});
    fixture.advance(10);
    for (const key of ['none.css', 'b.CSS', 'a.css'])
      await expect(graph(key)).rejects.toMatchObject({ code: 'not_found', message: 'not found' });
    await expect(graph('b.css', { collection: 'none' })).rejects.toMatchObject({ status: 404 });
    expect(await graph('B.css')).toMatchObject({ root: 'b.css' });
  });

  it('stays inside its collection and away from what has expired', async () => {
    await add('a.css', { defines: ['x'] });
    await add('b.html', { uses: ['x'], imports: ['a.css'] }, { collection: 'elsewhere' });
    await add('c.html', { uses: ['x'], imports: ['a.css'] }, { ttl: 10 });
    await add('d.html', { imports: ['c.html'] });
    fixture.advance(10);
    expect(await edges('a.css')).toEqual([]);
    expect(await edges('d.html')).toEqual([]);
  });

  it('starts from the first language of a key', async () => {
    await add('a.css', { defines: ['x'] }, { lang: 'pl' });
    await add('a.css', { defines: ['y'] }, { lang: 'de' });
    await add('b.html', { uses: ['x'] });
    await add('c.html', { uses: ['y'] });
    expect(await keys('a.css')).toEqual(['a.css 0', 'c.html 1']);
  });

  it('looks through long lists of symbols in order', async () => {
    const names = Array.from({ length: 1000 }, (_, i) => `n${i}`);
    await add('uses.html', { uses: names });
    for (const i of [999, 0, 600]) await add(`d${i}.css`, { defines: [names[i]!, 'shared'] });
    expect(await graph('uses.html', { maxDegree: 2 })).toMatchObject({
      truncated: true,
      nodes: [{ key: 'd0.css' }, { key: 'd600.css' }, { key: 'uses.html' }],
    });
  });

  it('follows what real sources say, with the first line of each symbol in both documents', async () => {
    await addSource('theme/post.css', '.post-title { color: red }\n\n.post-body { margin: 0 }');
    await addSource('theme/post.html',
      '<!doctype html>\n<head>\n<link rel="stylesheet" href="post.css">\n</head>\n\n<h1 ' +
        'class="post-title">Hi</h1>\n<p class="post-body">…</p>');
    const { edges: found } = await graph('theme/post.html', { direction: 'out', lines: true });
    expect(found).toEqual([{
      from: 'theme/post.html',
      to: 'theme/post.css',
      kind: 'imports',
      symbol: 'theme/post.css',
      direction: 'out',
      lines: { fromLine: 3, toLine: 1 },
    }, {
      from: 'theme/post.html',
      to: 'theme/post.css',
      kind: 'uses-selector',
      symbol: 'post-body',
      direction: 'out',
      lines: { fromLine: 7, toLine: 3 },
    }, {
      from: 'theme/post.html',
      to: 'theme/post.css',
      kind: 'uses-selector',
      symbol: 'post-title',
      direction: 'out',
      lines: { fromLine: 6, toLine: 1 },
    }]);
    expect((await graph('theme/post.html')).edges[0]!.lines).toBeUndefined();
  });

  it('says 0 of a symbol that the body does not show', async () => {
    await add('a.html', { uses: ['x'], imports: ['b.css'] });
    await add('b.css', { defines: ['x'] });
    expect((await graph('a.html', { lines: true })).edges.map(({ lines }) => lines)).toEqual([{
      fromLine: 0,
      toLine: 1,
    }, { fromLine: 0, toLine: 0 }]);
  });
});
