import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import type { Highlight } from '../../../../generated/docs/sdk/types.gen.ts';
import type { ResultRow } from '../../search/index.ts';
import { CachedHighlights, type Version } from './cached-highlights.ts';
import { SearchFixture } from './test-fixture.ts';

const passage = (fragment: string): Highlight => ({
  field: 'contentMd',
  fragment,
  matchedTerms: [],
  startOffset: 0,
  endOffset: 1,
  startLine: 1,
  endLine: 1,
});

const version = (ord: number, more: Partial<Version> = {}): Version => ({
  ord,
  key: 'k',
  lang: 'en',
  updated_at: 1,
  rev_ts: 1,
  crc: 7,
  bytes: 9,
  meta: '{}',
  ...more,
});

describe('RememberedHighlights', () => {
  it('returns the cached highlights of a document for a finder and options', () => {
    const remembered = new CachedHighlights();
    const [finder, another] = [{}, {}];
    const passages = [passage('a')];
    expect([remembered.has(finder, 'x', 1), remembered.find(finder, 'x', version(1))]).toEqual([false, undefined]);
    remembered.keep(finder, 'x', version(1), passages);
    expect([remembered.has(finder, 'x', 1), remembered.find(finder, 'x', version(1))]).toEqual([true, passages]);
    expect([remembered.find(another, 'x', version(1)), remembered.find(finder, 'y', version(1)),
      remembered.find(finder, 'x', version(2))]).toEqual([undefined, undefined, undefined]);
  });

  it.each<[string, Partial<Version>]>([['body', { crc: 8 }], ['length', { bytes: 10 }], ['time', { updated_at: 2 }], [
    'revision',
    { rev_ts: 2 },
  ], ['metadata', { meta: '{"a":["b"]}' }], ['key', { key: 'K' }], ['language', { lang: 'de' }]])(
    'returns nothing of a version with another %s, which takes its place',
    (_, more) => {
      const remembered = new CachedHighlights();
      const finder = {};
      remembered.keep(finder, 'x', version(1), [passage('a')]);
      const { bytes } = remembered;
      expect(remembered.find(finder, 'x', version(1, more))).toBeUndefined();
      remembered.keep(finder, 'x', version(1, more), [passage('b')]);
      expect(remembered.find(finder, 'x', version(1, more))).toEqual([passage('b')]);
      expect(remembered.find(finder, 'x', version(1))).toBeUndefined();
      expect(remembered.bytes - bytes).toBe(2 * ((more.meta?.length ?? 2) - 2));
    },
  );

  it('returns the highlights that belong to a row without content, and how much they were made from', () => {
    const remembered = new CachedHighlights();
    const finder = {};
    const passages = [passage('a')];
    const [bare, later] = [version(1), version(1)].map((row) =>
      ({ ...row, meta: '{}', meta_bytes: 0, body: null }) as unknown as ResultRow
    ) as [ResultRow, ResultRow];
    const found = (row: ResultRow) => {
      const known = remembered.findBare(finder, 'x', row);
      return [known?.passages, known?.contentBytes];
    };
    remembered.keep(finder, 'x', version(1, { meta: '{"ä":["b"]}' }), passages);
    expect(found(bare)).toEqual([undefined, undefined]);
    remembered.find(finder, 'x', version(1, { crc: 8 }), bare);
    expect(found(bare)).toEqual([undefined, undefined]);
    remembered.find(finder, 'x', version(1, { meta: '{"ä":["b"]}' }), bare);
    expect(found(bare)).toEqual([passages, 9 + 12]);
    remembered.find(finder, 'x', version(1, { meta: '{"ä":["b"]}' }), later);
    expect([...found(bare), ...found(later)]).toEqual([undefined, undefined, passages, 9 + 12]);
    remembered.keep(finder, 'x', version(1), [passage('b')], bare);
    expect([...found(bare), ...found(later)]).toEqual([[passage('b')], 9 + 2, undefined, undefined]);
  });

  it('evicts the least recently used when it is full', () => {
    const remembered = new CachedHighlights();
    const finder = {};
    const ask = (options: string) => {
      const known = remembered.find(finder, options, version(1)) !== undefined;
      if (!known) remembered.keep(finder, options, version(1), [passage('x'.repeat(2 ** 20))]);
      return known;
    };
    for (const options of ['first', 'a', 'b', 'c', 'd', 'e', 'f', 'a', 'g', 'h', 'i']) ask(options);
    expect(remembered.bytes).toBeLessThanOrEqual(16 * 2 ** 20);
    expect(remembered.bytes).toBeGreaterThan(12 * 2 ** 20);
    expect(['a', 'i', 'b'].map(ask)).toEqual([true, true, false]);
  });
});

describe('highlights of a query that comes again', () => {
  it('are those of the documents and words of the time', async () => {
    const fixture = await SearchFixture.open('node:sqlite');
    const text = (word: string) => `${'Some words that are only there to be read. '.repeat(30)}\n\nA ${word} ran.`;
    const fragments = async (query: string, more: object = {}) => {
      const { results } = await fixture.find(query, { highlight: true, ...more });
      return results.map((
        { document, highlights },
      ) => [document.key, ...(highlights ?? []).map(({ fragment }) => fragment.slice(-30))]);
    };
    await fixture.add('one', text('fox'));
    const first = await fragments('fox');
    for (let turn = 0; turn < 3; turn++) expect(await fragments('fox')).toEqual(first);
    expect(first[0]![1]).toContain('<mark>fox</mark>');
    // A word that is added with another document is found in the first by the same query.
    await fixture.add('two', text('foxes'));
    expect((await fragments('fox')).flat().join()).toContain('<mark>foxes</mark>');
    await fixture.add('one', text('Fox'));
    for (let turn = 0; turn < 3; turn++) expect((await fragments('fox')).flat().join()).toContain('<mark>Fox</mark>');
    expect((await fragments('fox', { highlightTag: '**' })).flat().join()).toContain('**Fox**');
    expect((await fragments('fox')).flat().join()).toContain('<mark>Fox</mark>');
    await fixture.close();
  });

  it('need no bodies, as long as nobody writes the documents', async () => {
    const fixture = await SearchFixture.open('node:sqlite');
    const read = vi.spyOn(fixture.base.environment.codec, 'bytesAsync');
    const search = async () => {
      read.mockClear();
      const { results } = await fixture.find('fox', { highlight: true, fields: ['key'] });
      return {
        keys: results.map(({ document }) => document.key).sort(),
        shown: results.flatMap(({ highlights }) => highlights!.map(({ fragment }) => fragment)).sort(),
        read: read.mock.calls.length,
      };
    };
    await fixture.add('one', `A fox. ${'Other words. '.repeat(9000)}`, { tags: ['a fox'] });
    await fixture.add('two', 'Two foxes');
    const { read: first, ...found } = await search();
    expect([first, found.keys, found.shown.length]).toEqual([2, ['one', 'two'], 3]);
    expect(await search()).toEqual({ ...found, read: 0 });
    // Changes only metadata, within the same second as the previous version, without a revision.
    await fixture.add('two', 'Two foxes', { tags: ['no fox'] }, { saveRevision: false });
    const second = await search();
    expect([second.shown.filter((fragment) => fragment.includes('no ')).length, second.read]).toEqual([1, 1]);
    await fixture.add('two', 'Six foxes', { tags: ['no fox'] }, { saveRevision: false });
    expect((await search()).shown).toContain('Six <mark>foxes</mark>');
    await fixture.call('deleteDocument', { collection: 'c', key: 'one', lang: 'en' });
    expect(await search()).toMatchObject({ keys: ['two'], read: 0 });
    await fixture.close();
  });

  describe('and shows keys alone', () => {
    let fixture: SearchFixture;
    beforeEach(async () => {
      fixture = await SearchFixture.open('node:sqlite');
      await fixture.add('one', 'A fox.', { tags: ['a fox'] });
      await fixture.add('two', 'Two foxes', { tags: ['no cat'] });
    });
    afterEach(() => fixture.close());

    const search = async (more: object = {}) => {
      const { results } = await fixture.find('fox', { highlight: true, fields: ['key'], ...more });
      return results.map(({ document, highlights }) => [document, ...highlights!.map(({ fragment }) => fragment)])
        .sort();
    };
    const rowsRead = (all: MockInstance) =>
      all.mock.calls.filter(([statement]) => String(statement).includes('FROM documents d WHERE d.ord IN')).length;

    it('reads rows again only after a commit', async () => {
      const all = vi.spyOn(fixture.base.sql, 'all');
      const first = await search();
      expect(rowsRead(all)).toBe(1);
      expect([await search(), await search({ offset: 1 }), rowsRead(all)]).toEqual([first, first.slice(1), 1]);
      await fixture.add('three', 'No dog');
      expect([await search(), await search(), rowsRead(all)]).toEqual([first, first, 2]);
      // Changes only metadata, within the same second as the previous version, without a revision.
      await fixture.add('two', 'Two foxes', { tags: ['no fox'] }, { saveRevision: false });
      expect((await search()).flat()).toContain('no <mark>fox</mark>');
      expect((await search()).flat()).toContain('no <mark>fox</mark>');
      await fixture.call('deleteDocument', { collection: 'c', key: 'one', lang: 'en' });
      expect((await search()).map(([document]) => (document as { key: string }).key)).toEqual(['two']);
    });

    it('still shows and counts metadata where they are wanted', async () => {
      await search();
      await search();
      expect((await search({ fields: ['meta'] })).map(([document]) => (document as { meta: object }).meta)).toEqual([{
        tags: ['a fox'],
      }, { tags: ['no cat'] }]);
      expect((await fixture.find('fox', { highlight: true, fields: ['key'], facetBy: ['tags'] })).facets).toEqual({
        tags: [{ value: 'a fox', count: 1 }, { value: 'no cat', count: 1 }],
      });
    });

    it('reads no more contents than an answer may', async () => {
      fixture.base.answerBytes = 150;
      const first = await search();
      expect(first.length).toBe(1);
      expect(await search()).toEqual(first);
    });

    it('shows one version of a document that changes meanwhile', async () => {
      const old = await search();
      expect(await search()).toEqual(old);
      const meanwhile = (change: () => Promise<unknown>) => {
        vi.spyOn(fixture.base.environment.codec, 'fetchAhead').mockImplementationOnce(async () => void await change());
      };
      meanwhile(() => fixture.add('two', 'Six foxes'));
      expect(await search()).toEqual(old);
      const six = await search();
      expect(six.flat()).toContain('Six <mark>foxes</mark>');
      expect(await search()).toEqual(six);
      // Another search replaces the passages that were remembered.
      meanwhile(async () => {
        await fixture.add('two', 'Ten foxes');
        await search();
      });
      expect(await search()).toEqual(six);
      const now = await search();
      expect(now.flat()).toContain('Ten <mark>foxes</mark>');
      expect(await search()).toEqual(now);
    });
  });
});
