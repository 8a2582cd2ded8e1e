import { describe, expect, it, vi } from 'vitest';
import type { Highlight } from '../../../../generated/docs/sdk/types.gen.ts';
import { CachedHighlights, type Version } from './cached-highlights.ts';
import { SearchFixture } from './test-fixture.ts';

const passage = (fragment: string): Highlight => ({ field: 'contentMd', fragment, matchedTerms: [], startOffset: 0, endOffset: 1, startLine: 1, endLine: 1 });

const version = (ord: number, more: Partial<Version> = {}): Version => ({ ord, key: 'k', lang: 'en', updated_at: 1, rev_ts: 1, crc: 7, bytes: 9, meta: '{}', ...more });

describe('RememberedHighlights', () => {
  it('returns the cached highlights of a document for a finder and options', () => {
    const remembered = new CachedHighlights();
    const [finder, another] = [{}, {}];
    const passages = [passage('a')];
    expect([remembered.has(finder, 'x', 1), remembered.find(finder, 'x', version(1))]).toEqual([false, undefined]);
    remembered.keep(finder, 'x', version(1), passages);
    expect([remembered.has(finder, 'x', 1), remembered.find(finder, 'x', version(1))]).toEqual([true, passages]);
    expect([remembered.find(another, 'x', version(1)), remembered.find(finder, 'y', version(1)), remembered.find(finder, 'x', version(2))]).toEqual([undefined, undefined, undefined]);
  });

  it.each<[string, Partial<Version>]>([
    ['body', { crc: 8 }], ['length', { bytes: 10 }], ['time', { updated_at: 2 }], ['revision', { rev_ts: 2 }], ['metadata', { meta: '{"a":["b"]}' }], ['key', { key: 'K' }], ['language', { lang: 'de' }],
  ])('returns nothing of a version with another %s, which takes its place', (_, more) => {
    const remembered = new CachedHighlights();
    const finder = {};
    remembered.keep(finder, 'x', version(1), [passage('a')]);
    const { bytes } = remembered;
    expect(remembered.find(finder, 'x', version(1, more))).toBeUndefined();
    remembered.keep(finder, 'x', version(1, more), [passage('b')]);
    expect(remembered.find(finder, 'x', version(1, more))).toEqual([passage('b')]);
    expect(remembered.find(finder, 'x', version(1))).toBeUndefined();
    expect(remembered.bytes - bytes).toBe(2 * ((more.meta?.length ?? 2) - 2));
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
      return results.map(({ document, highlights }) => [document.key, ...(highlights ?? []).map(({ fragment }) => fragment.slice(-30))]);
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
      return { keys: results.map(({ document }) => document.key).sort(), shown: results.flatMap(({ highlights }) => highlights!.map(({ fragment }) => fragment)).sort(), read: read.mock.calls.length };
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
});
