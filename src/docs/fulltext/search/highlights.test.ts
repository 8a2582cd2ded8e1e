import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SearchFixture } from './test-fixture.ts';

describe('highlights of a search (contract section 4, "Full-text search"; decisions D-88, D-89, D-196)', () => {
  let fixture: SearchFixture;

  beforeEach(async () => {
    fixture = await SearchFixture.open('node:sqlite');
  });
  afterEach(() => fixture.close());

  const highlights = async (query: string, more: object = {}) =>
    (await fixture.find(query, { highlight: true, ...more })).results[0]?.highlights?.map((
      { field, valueIndex, fragment, matchedTerms, startOffset, endOffset },
    ) => (
      {
        field: valueIndex === undefined ? field : `${field}[${valueIndex}]`,
        fragment,
        matchedTerms,
        offsets: [startOffset, endOffset],
      }
    ));
  const fragments = async (query: string, more: object = {}) =>
    (await highlights(query, more))?.map(({ field, fragment }) => `${field}: ${fragment}`);

  it('escape the text, not the tags, where a page shows them', async () => {
    await fixture.add('a', `<script>alert("fox")</script> a fox & 'co'`);
    expect(await fragments('fox', { highlightEscape: 'html' })).toEqual([
      'content: &lt;script&gt;alert(&quot;<mark>fox</mark>&quot;)&lt;/script&gt; a <mark>fox</mark> &amp; &#39;co&#39;',
    ]);
    expect(await fragments('fox')).toEqual([
      `content: <script>alert("<mark>fox</mark>")</script> a <mark>fox</mark> & 'co'`,
    ]);
    expect(await fragments('fox', { highlightTag: '<b>', highlightEscape: 'none' })).toEqual([
      `content: <script>alert("<b>fox</b>")</script> a <b>fox</b> & 'co'`,
    ]);
    const byQuery = await fixture.call('searchFullTextByQuery', {
      collection: 'c',
      q: 'fox',
      highlight: true,
      highlightEscape: 'html',
    });
    expect(byQuery.results[0]!.highlights![0]!.fragment).toContain('&lt;script&gt;');
  });

  it('keep tags out of addresses and code spans of prose, not of code', async () => {
    await fixture.add('a', 'A [fox](http://fox.org) in `the fox`.');
    await fixture.add('b.js', 'x = `the fox`');
    expect(await fragments('fox')).toEqual([
      'content: A [<mark>fox</mark>](http://fox.org) in <mark>`the fox`</mark>.',
    ]);
    expect(await fragments('fox +x')).toEqual(['content: <mark>x</mark> = `the <mark>fox</mark>`']);
  });

  it('mark a phrase as one, and its words nowhere else', async () => {
    await fixture.add('a', 'A fox, a quick brown fox, a quick dog.');
    expect(await fragments('"quick brown fox"')).toEqual([
      'content: A fox, a <mark>quick brown fox</mark>, a quick dog.',
    ]);
    expect(await fragments('"Brown Foxes"')).toEqual(['content: A fox, a quick <mark>brown fox</mark>, a quick dog.']);
    expect(await fragments('dog OR "quick brown"')).toEqual([
      'content: A fox, a <mark>quick brown</mark> fox, a quick <mark>dog</mark>.',
    ]);
    expect(await highlights('"quick brown fox"')).toMatchObject([{ matchedTerms: ['quick', 'brown', 'fox'] }]);
  });

  describe('pass over stop words', () => {
    const TYPED = { fuzzy: 'auto', prefix: 'last' };
    const shown = async (query: string, more: object = TYPED) => (await fragments(query, more))![0]!.slice(9);

    it('in prose and in code, which is searched for them', async () => {
      await fixture.add('life.ts', '// The life of a write, from the form of a request');
      expect(await shown('the life of a write')).toBe(
        '// The <mark>life</mark> of a <mark>write</mark>, from the form of a request',
      );
      await fixture.add('life', 'The life of a write, from the form of a request');
      const { results } = await fixture.find('the life of a write', {
        ...TYPED,
        highlight: true,
        filter: 'key = life',
      });
      expect(results[0]!.highlights![0]!.fragment).toContain('The <mark>life</mark> of a <mark>write</mark>, from');
    });

    it('that are spelled like a word, or that an unfinished one may become', async () => {
      await fixture.add('a', 'A life from the form, thus a theme.');
      expect(await shown('form')).toBe('A life from the <mark>form</mark>, thus a theme.');
      expect(await shown('life th')).toBe('A <mark>life</mark> from the form, <mark>thus</mark> a <mark>theme</mark>.');
      expect(await shown('life th*', { mode: 'wildcard' })).toContain('from <mark>the</mark> form');
    });

    it.each(['a', 'a.ts'])('unless there is nothing else, or they are quoted (%s)', async (key) => {
      await fixture.add(key, 'from whom, for while the fox');
      expect(await shown('from')).toBe('<mark>from</mark> whom, for while the fox');
      expect(await shown('for the')).toBe('from whom, <mark>for</mark> while <mark>the</mark> fox');
      expect(await shown('whil')).toBe('from whom, for <mark>while</mark> the fox');
      expect(await shown('"the fox"')).toBe('from whom, for while <mark>the fox</mark>');
      expect(await shown('from AND "the fox"')).toContain(', for while <mark>the fox</mark>');
    });
  });

  it('mark the synonym of a word, which may be a phrase', async () => {
    await fixture.call('addSynonyms', { collection: 'c', term: 'car', synonyms: ['motor vehicle'] });
    await fixture.add('a', 'A motor and a motor vehicle.');
    expect(await highlights('car')).toMatchObject([{
      fragment: 'A motor and a <mark>motor vehicle</mark>.',
      matchedTerms: ['car'],
    }]);
  });

  it('show metadata that match, with offsets into the value', async () => {
    await fixture.add('a', 'Nothing here.', {
      tags: ['dog', 'a quick fox'],
      title: ['Größe of a fox'],
      author: ['Nobody'],
    });
    const found = (await highlights('fox'))!.sort((a, b) => (a.field < b.field ? -1 : 1));
    expect(found).toEqual([{
      field: 'meta.tags[1]',
      fragment: 'a quick <mark>fox</mark>',
      matchedTerms: ['fox'],
      offsets: [0, 11],
    }, {
      field: 'meta.title[0]',
      fragment: 'Größe of a <mark>fox</mark>',
      matchedTerms: ['fox'],
      offsets: [0, Buffer.byteLength('Größe of a fox')],
    }]);
    expect((await fixture.find('fox', { highlight: true, fields: ['id'] })).results[0]!.highlights).toHaveLength(2);
  });

  it('show the body first, and as many passages of metadata as of it', async () => {
    const gap = 'word '.repeat(60);
    await fixture.add('a', `fox ${gap} fox ${gap} fox`, {
      tags: ['fox one', 'quick fox two', 'fox three', 'quick four'],
    });
    expect((await highlights('fox quick', { maxHighlights: 2 }))!.map(({ field }) => field)).toEqual(['content',
      'content', 'meta.tags[0]', 'meta.tags[1]']);
  });

  it('leave out metadata that bm25f gives no weight', async () => {
    await fixture.add('a', 'A fox.', { title: ['fox'], author: ['fox'] });
    expect(
      (await highlights('fox', { algorithm: 'bm25f', fieldWeights: { content: 1, author: 2 } }))!.map(({ field }) =>
        field
      ),
    ).toEqual(['content', 'meta.author[0]']);
    expect((await highlights('fox', { algorithm: 'bm25f' }))!.map(({ field }) => field)).toEqual(['content',
      'meta.title[0]']);
    expect((await highlights('fox', { algorithm: 'bm25f', fieldWeights: { author: 2 } }))!.map(({ field }) => field))
      .toEqual(['meta.author[0]']);
  });
});
