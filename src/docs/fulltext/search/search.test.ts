import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ColumnStore } from '../../../search/columns/index.ts';
import { DRIVERS, START } from '../../documents/test-fixture.ts';
import { SearchFixture } from './test-fixture.ts';

const refusal = { code: 'invalid_argument' };

describe.each(DRIVERS)('full-text search over %s (contract section 4, "Full-text search")', (driver) => {
  let fixture: SearchFixture;
  beforeEach(async () => {
    fixture = await SearchFixture.open(driver);
  });
  afterEach(() => fixture.close());

  const terms = async (query: string, more: object = {}) =>
    (await fixture.find(query, more)).results.map(({ matchedTerms }) => matchedTerms.join(' '));

  it('finds what was written as soon as the write is acknowledged, and no longer what was deleted', async () => {
    await fixture.add('a', 'The quick fox runs');
    await fixture.add('b', 'Lazy dogs sleep', { title: ['Foxes'] });
    expect((await fixture.keys('fox')).sort()).toEqual(['a', 'b']);
    await fixture.call('updateDocument', { collection: 'C', key: 'a', lang: 'en', contentMd: 'The quick cat' });
    expect(await fixture.keys('fox')).toEqual(['b']);
    expect(await fixture.keys('cats', { collection: 'C' })).toEqual(['a']);
    await fixture.call('deleteDocument', { collection: 'c', key: 'b', lang: 'en' });
    expect(await fixture.find('fox')).toMatchObject({ results: [], total: 0, totalMatches: 0 });
    await fixture.call('deleteCollection', { collection: 'c' });
    expect(await fixture.keys('cat')).toEqual([]);
    await fixture.add('a', 'fox again');
    expect(await fixture.keys('fox')).toEqual(['a']);
  });

  it('has caught up when a write is acknowledged, and says so without a query', async () => {
    await fixture.add('a', 'The quick fox runs');
    expect(fixture.search.view.isCaughtUp).toBe(true);
  });

  it('reports the words that a result has, in whichever field, of few results as of many', async () => {
    const documents = Array.from({ length: 300 }, (_, i) => ({
      key: `${i % 5 === 0 ? 'owl' : 'k'}-${i}`,
      lang: 'en',
      contentMd: i % 2 === 0 ? 'foxes' : 'dogs',
      meta: i % 3 === 0 ? { title: ['Cats'] } : {},
    }));
    await fixture.call('addDocuments', { collection: 'c', documents });
    const termsByKey = async (limit: number) =>
      new Map(
        (await fixture.find('fox cat owl', { limit })).results.map((
          { document, matchedTerms },
        ) => [document.key, matchedTerms.join(' ')]),
      );
    const many = await termsByKey(300);
    expect([many.get('owl-0'), many.get('k-3'), many.get('k-2')]).toEqual(['fox cat owl', 'cat', 'fox']);
    const few = await termsByKey(100);
    expect(few.size).toBe(100);
    for (const [key, terms] of few) expect(many.get(key), key).toBe(terms);
  });

  it('finds what is in a circle alone, with counts of that', async () => {
    const at = (lat: number, lng: number) => ({ geo_lat: [String(lat)], geo_lng: [String(lng)] });
    await fixture.add('near', 'red apples', at(52.5163, 13.3777));
    await fixture.add('nearer', 'red', { geo_hash: ['u33db2m3'] });
    await fixture.add('far', 'red apples', at(48.8566, 2.3522));
    await fixture.add('nowhere', 'red apples');
    const geo = { lat: 52.5163, lng: 13.3777, radiusMeters: 5000 };
    expect((await fixture.keys('red', { geo })).sort()).toEqual(['near', 'nearer']);
    expect(await fixture.keys('red', { geo, sort: 'key:asc' })).toEqual(['near', 'nearer']);
    expect(await fixture.find('apples', { geo, facetBy: ['lang'] })).toMatchObject({
      total: 1,
      totalMatches: 1,
      facets: { lang: [{ value: 'en', count: 1 }] },
    });
    expect(await fixture.keys('red', { geo: { ...geo, radiusMeters: 2e6 }, filterMeta: { geo_lat: ['48.8566'] } }))
      .toEqual(['far']);
    await expect(fixture.find('red', { geo: { lat: 1, lng: 2 } })).rejects.toMatchObject({ status: 400 });
  });

  it('says how it searched, also in a collection that is not there', async () => {
    expect(await fixture.find('fox', { facetBy: ['x', '__proto__'] })).toEqual({
      results: [],
      total: 0,
      totalMatches: 0,
      algorithm: 'tfidf',
      mode: 'simple',
      lang: 'en',
      langs: ['en'],
      stemmingActive: true,
      synonymsActive: true,
      facets: JSON.parse('{"x":[],"__proto__":[]}') as object,
    });
    const answer = await fixture.find('"a b"~2', { algorithm: 'bm25', lang: 'pl_PL', disableSynonyms: true });
    expect(answer).toMatchObject({
      algorithm: 'bm25',
      mode: 'proximity',
      lang: 'pl',
      stemmingActive: true,
      synonymsActive: false,
    });
    expect(await fixture.find('x', { lang: 'xx', disableStem: true })).toMatchObject({
      lang: 'und',
      stemmingActive: false,
    });
  });

  it('scores tfidf by a limited (1 + ln tf)/pivoted length · ln(1 + N/df), decision D-81, and bm25 by D-82', async () => {
    await fixture.add('a', 'fox fox cat dog');
    await fixture.add('b', 'cat cat cat dog dog mouse');
    const score = async (algorithm: string) => (await fixture.find('fox', { algorithm })).results[0]!.score;
    const frequency = (1 + Math.log(2)) / (0.75 + (0.25 * 4) / 5);
    expect(await score('tfidf')).toBeCloseTo(frequency * 5 / (frequency + 4) * Math.log(1 + 2 / 1), 5);
    const idf = Math.log((2 - 1 + 0.5) / (1 + 0.5) + 1);
    expect(await score('bm25')).toBeCloseTo((idf * 2 * 2.2) / (2 + 1.2 * (1 - 0.75 + (0.75 * 4) / 5)), 5);
  });

  it('counts a word of a heading once more by tfidf, decision D-201, and twice more by bm25f', async () => {
    await fixture.add('heading', '## fox\n\ncat', { title: ['mouse'] });
    await fixture.add('text', 'fox cat', { title: ['mouse'] });
    const scores = async (algorithm: string) => {
      const { results } = await fixture.find('fox', { algorithm, rerank: false });
      return results.map(({ score }) => score);
    };
    const [heading, text] = await scores('tfidf');
    expect(heading! / text!).toBeCloseTo(2 * 5 / (2 + 4), 5);
    const [most, least] = await scores('bm25f');
    expect(most! / least!).toBeCloseTo(3 / (1.2 + 3) / (1 / (1.2 + 1)), 5);
  });

  describe.each(['tfidf', 'bm25', 'bm25f', 'pmisparse'])('the terms of a query, by %s', (algorithm) => {
    beforeEach(async () => {
      await fixture.add('a', 'fox fox cat dog');
      await fixture.add('b', 'foxes and cats');
      await fixture.add('d', 'automobile');
    });

    const scores = async (query: string, more: object = {}) =>
      Object.fromEntries(
        (await fixture.find(query, { algorithm, rerank: false, ...more })).results.map((
          { document, score },
        ) => [document.key, score]),
      );
    const expectTimes = (found: Record<string, number>, factor: number, once: Record<string, number>) => {
      expect(Object.keys(found).sort()).toEqual(Object.keys(once).sort());
      for (const [key, score] of Object.entries(once)) expect(found[key]! / score, key).toBeCloseTo(factor, 5);
    };

    it('count as often as they stand in it, in whatever inflections', async () => {
      const [fox, cat] = [await scores('fox'), await scores('cats')];
      expectTimes(await scores('fox the fox'), 2, fox);
      expectTimes(await scores('fox foxes fox'), 3, fox);
      const both = await scores('Foxes, cats: fox!');
      for (const key of ['a', 'b']) expect(both[key]).toBeCloseTo(2 * fox[key]! + cat[key]!, 5);
      expectTimes(await scores('fox foxes', { mode: 'boolean' }), 2, fox);
      expectTimes(await scores('"fox" "fox"'), 2, await scores('"fox"'));
    });

    it('lend that weight to their edits and synonyms', async () => {
      const near = await scores('faxes', { fuzzy: 1, disableStem: true });
      expect(Object.keys(near)).toEqual(['b']);
      expectTimes(await scores('faxes faxes', { fuzzy: 1, disableStem: true }), 2, near);
      await fixture.call('addSynonyms', { collection: 'c', term: 'car', synonyms: ['automobile', 'cat dog'] });
      expectTimes(await scores('car car car'), 3, await scores('car'));
    });

    it('are called by the first of their inflections', async () => {
      for (const names of await terms('foxes fox foxes', { algorithm })) expect(names).toMatch(/^foxes(?! fox\b)/);
    });
  });

  it('weighs the fields of bm25f (decision D-83); fields that are not listed do not count', async () => {
    await fixture.add('body', 'fox', { title: ['cat'] });
    await fixture.add('title', 'cat', { title: ['fox'] });
    await fixture.add('author', 'cat', { author: ['fox'], status: ['cat'] });
    await fixture.add('status', 'cat', { author: ['cat'], status: ['fox'] });
    expect(await fixture.keys('fox', { algorithm: 'bm25f' })).toEqual(['title', 'body']);
    expect(await fixture.keys('fox', { algorithm: 'bm25f', fieldWeights: { content: 5, title: 1 } })).toEqual(['body',
      'title']);
    expect(await fixture.keys('fox', { algorithm: 'bm25f', fieldWeights: { 'meta.title': 1 } })).toEqual(['title']);
    expect(await fixture.keys('fox', { algorithm: 'bm25f', fieldWeights: { 'meta.author': 1 } })).toEqual(['author']);
    expect(await fixture.keys('fox', { algorithm: 'bm25f', fieldWeights: { 'status': 2, 'meta.author': 1 } })).toEqual([
      'status',
      'author',
    ]);
    expect(await fixture.keys('fox', { algorithm: 'bm25f', fieldWeights: { 'meta.never-seen': 1 } })).toEqual([]);
  });

  describe('reranking', () => {
    beforeEach(async () => {
      await fixture.add('a', 'the event of a target, and again the event, the event of the target');
      await fixture.add('b', 'what a target does', { title: ['EventTarget: addEventListener() method'] });
      await fixture.add('listeners', 'addEventListener addEventListener addEventListener target event listeners', {
        title: ['Listeners'],
      });
      await fixture.add('d', '# Event target\n\nnothing else');
    });

    it('puts documents first whose title or key is the typed text, in simple mode, for every algorithm', async () => {
      for (const algorithm of ['tfidf', 'bm25', 'bm25f', 'pmisparse']) {
        expect((await fixture.keys('event target', { algorithm }))[0], algorithm).toBe('d');
        expect((await fixture.keys('listeners', { algorithm }))[0], algorithm).toBe('listeners');
      }
    });

    it('multiplies scores, keeps the matches, and is left out when it is not wanted', async () => {
      const by = async (more: object) => {
        const { results, totalMatches } = await fixture.find('event target', { algorithm: 'bm25', ...more });
        return { totalMatches, scores: new Map(results.map(({ document, score }) => [document.key, score])) };
      };
      const [plain, reranked] = [await by({ rerank: false }), await by({})];
      expect(await by({ rerank: true })).toEqual(reranked);
      expect(reranked.totalMatches).toBe(plain.totalMatches);
      expect([...plain.scores.keys()].sort()).toEqual([...reranked.scores.keys()].sort());
      for (const [key, score] of plain.scores) expect(reranked.scores.get(key)!, key).toBeGreaterThan(score);
      expect(await by({ mode: 'boolean' })).toEqual(await by({ mode: 'boolean', rerank: false }));
    });

    it('leaves the order to weights that a request gives', async () => {
      const weighed = { algorithm: 'bm25f', fieldWeights: { content: 1, title: 0.1 } };
      expect((await fixture.find('event target', weighed)).results).toEqual(
        (await fixture.find('event target', { ...weighed, rerank: false })).results,
      );
    });
  });

  it('finds the headings of a body and the last segment of a key, weakly, where fields are weighed', async () => {
    await fixture.add('guides/center_a_div/index.md', 'text\n\n## Grid\n\nmore text');
    await fixture.add('b', 'a grid of text, a grid');
    expect(await fixture.keys('center')).toEqual(['guides/center_a_div/index.md']);
    expect(await fixture.keys('center', { algorithm: 'bm25' })).toEqual([]);
    expect(await fixture.keys('center', { algorithm: 'bm25f', fieldWeights: { key: 1 } })).toEqual([
      'guides/center_a_div/index.md',
    ]);
    expect(await fixture.keys('grid', { algorithm: 'bm25f', fieldWeights: { headings: 1 } })).toEqual([
      'guides/center_a_div/index.md',
    ]);
    await fixture.add('c', 'text', { key: ['center'] });
    expect(await fixture.keys('center', { algorithm: 'bm25f', fieldWeights: { 'meta.key': 1 } })).toEqual(['c']);
  });

  describe('modes', () => {
    beforeEach(async () => {
      await fixture.add('a', 'the quick brown fox jumps over the lazy dog');
      await fixture.add('b', 'a brown dog and a quick cat');
      await fixture.add('c', 'computers compute computations');
    });

    it.each([['quick AND fox', 'boolean', ['a']], ['quick -fox', 'boolean', ['b']], ['+dog fox', 'boolean', ['a', 'b']],
      ['NOT fox', 'simple', ['a']], ['the AND fox', 'boolean', ['a']], ['fox AND (the AND NOT cat)', 'expression', [
      'a',
    ]], ['dog AND (the AND NOT fox)', 'expression', ['b']], ['"brown fox"', 'phrase', ['a']], ['"over the lazy"',
      'phrase', ['a']], ['"quick dog"', 'phrase', []], ['"fox quick"~1', 'proximity', ['a']], ['comp*', 'wildcard', [
      'c',
    ]], ['f?x', 'wildcard', ['a']], ['(fox OR cat) AND "brown dog"', 'expression', ['b']], ['What is a computer?',
      'simple', ['c']], ['the and of', 'simple', ['a', 'b']], ['cat AND', 'simple', ['b']], ['(cat AND', 'simple', [
      'b',
    ]], ['"cat" NOT', 'simple', ['b']], ['!!!', 'simple', []]])('%s is %s', async (query, mode, keys) => {
      const { results, mode: found, totalMatches } = await fixture.find(query);
      expect({ found, keys: results.map(({ document }) => document.key).sort(), totalMatches }).toEqual({
        found: mode,
        keys,
        totalMatches: keys.length,
      });
    });

    it('adds the score of what is optional to what is required', async () => {
      const [with_, without] = [await fixture.find('+dog fox', { algorithm: 'bm25' }),
        await fixture.find('+dog', { algorithm: 'bm25' })];
      const scoreOf = ({ results }: typeof with_, key: string) =>
        results.find(({ document }) => document.key === key)!.score;
      expect(scoreOf(with_, 'b')).toBeCloseTo(scoreOf(without, 'b'), 5);
      expect(scoreOf(with_, 'a')).toBeGreaterThan(scoreOf(without, 'a'));
    });

    it('takes distance for proximity without ~N only', async () => {
      expect(await fixture.keys('"quick jumps"', { mode: 'proximity', distance: 1 })).toEqual([]);
      expect(await fixture.keys('"quick jumps"', { mode: 'proximity', distance: 2 })).toEqual(['a']);
    });

    it.each([['quick AND (fox', 10], ['é "fox', 3]])('refuses %s with the byte position', async (query, byte) => {
      await expect(fixture.find(query, { mode: 'expression' })).rejects.toMatchObject({
        ...refusal,
        message: expect.stringMatching(`^query: .*byte ${byte}\\)$`) as string,
      });
    });
  });

  it('finds by edits, each a fifth less, and names them query~indexed (decision D-85)', async () => {
    await fixture.add('exact', 'search engine');
    await fixture.add('near', 'serch engine');
    await fixture.add('far', 'saerhc engine');
    expect(await fixture.keys('search', { disableStem: true })).toEqual(['exact']);
    const { results } = await fixture.find('search', { fuzzy: 2, disableStem: true });
    expect(results.map(({ document, matchedTerms }) => [document.key, ...matchedTerms])).toEqual([['exact', 'search'], [
      'near',
      'search~serch',
    ], ['far', 'search~saerhc']]);
    // Frequencies count less, and the limit of D-81 applies to them.
    const limited = (frequency: number) => frequency * 5 / (frequency + 4);
    expect(results[1]!.score).toBeCloseTo(results[0]!.score * limited(0.8), 5);
    expect(results[2]!.score).toBeCloseTo(results[0]!.score * limited(0.64), 5);
    expect(await fixture.keys('serch', { fuzzy: 1, mode: 'boolean' })).toEqual(['near']);
    await fixture.add('ab', 'ab');
    expect(await fixture.keys('ac', { fuzzy: 2 })).toEqual([]);
  });

  it.each([['big apple', 'big apple'], ['node.js', 'Node.js'], ['e-mail', 'e-mail'], ['sign-in', 'sign in'], [
    'databases',
    'database',
  ], ['categories', 'category'], ['Big Apples', 'the big apple today']])('searches synonyms of %j for the query %j',
    async (term, query) => {
      await fixture.add('t', 'target text');
      await fixture.call('addSynonyms', { collection: 'c', term, synonyms: ['target'] });
      for (const matchingStrategy of ['any', 'most'] as const)
        expect(await fixture.keys(query, { matchingStrategy: query.startsWith('the') ? 'any' : matchingStrategy }))
          .toEqual(['t']);
    });

  it('searches a term for the words of its synonym, in whose place it counts', async () => {
    await fixture.add('a', 'hotels in NYC');
    await fixture.add('b', 'hotels in New York City');
    await fixture.add('c', 'new hotels of another city');
    await fixture.call('addSynonyms', { collection: 'c', term: 'nyc', synonyms: ['new york city'] });
    expect((await fixture.keys('new york city hotels', { matchingStrategy: 'all' })).sort()).toEqual(['a', 'b']);
    expect(await fixture.keys('nyc')).toEqual(expect.arrayContaining(['a', 'b']));
    expect((await fixture.find('new york city')).results.find(({ document }) => document.key === 'a')).toMatchObject({
      matchedTerms: ['new', 'york', 'city'],
    });
  });

  it('searches synonyms in both directions, over one step (decision D-86), and names the term of the query', async () => {
    await fixture.add('a', 'a fast car');
    await fixture.add('b', 'an automobile');
    await fixture.add('d', 'a motor vehicle');
    await fixture.call('addSynonyms', { collection: 'c', term: 'car', synonyms: ['automobile', 'motor vehicle'] });
    expect((await fixture.keys('car')).sort()).toEqual(['a', 'b', 'd']);
    expect(await terms('car')).toEqual(['car', 'car', 'car']);
    expect((await fixture.keys('automobile')).sort()).toEqual(['a', 'b']);
    expect(await fixture.keys('+car +fast')).toEqual(['a']);
    expect(await fixture.keys('car', { disableSynonyms: true })).toEqual(['a']);
  });

  it('follows the stop words of the collection at once', async () => {
    await fixture.add('a', 'lorem ipsum');
    expect(await fixture.keys('lorem')).toEqual(['a']);
    await fixture.call('addStopWords', { collection: 'c', words: ['lorem'] });
    expect(await fixture.keys('lorem dolor')).toEqual([]);
    expect(await fixture.keys('"lorem ipsum"')).toEqual(['a']);
    await fixture.add('b', 'the who');
    expect(await fixture.keys('who dolor')).toEqual([]);
    await fixture.call('deleteStopWords', { collection: 'c', words: ['who'] });
    expect(await fixture.keys('who dolor')).toEqual(['b']);
  });

  it('stems by the language of the query (contract, `lang`)', async () => {
    await fixture.add('de', 'Die Häuser stehen leer', {}, { lang: 'de' });
    expect(await fixture.keys('haus', { lang: 'de_DE' })).toEqual(['de']);
    expect(await fixture.keys('haus', { lang: 'de', disableStem: true })).toEqual([]);
    expect(await fixture.keys('häusern', { lang: 'de' })).toEqual(['de']);
    expect(await fixture.keys('hauser', { lang: 'en' })).toEqual(['de']);
  });

  it('finds identifiers of code and their parts (contract section 2, "Code documents")', async () => {
    await fixture.add('src/app.ts', 'export function getUserName() { return this.x; }');
    await fixture.add('prose.md', 'getUserName');
    expect((await fixture.keys('getUserName')).sort()).toEqual(['prose.md', 'src/app.ts']);
    expect(await fixture.keys('user')).toEqual(['src/app.ts']);
    const { results } = await fixture.find('user', { highlight: true, highlightTag: '[b]' });
    expect(results[0]!.highlights![0]!.fragment).toContain('get[b]User[/b]Name');
  });

  describe('filters', () => {
    beforeEach(async () => {
      await fixture.add('a', 'fox', { tags: ['x', 'y'], n: ['5'], day: ['2025-12-01'] });
      fixture.base.advance(60);
      await fixture.add('b', 'fox', { tags: ['y'], n: ['10'], day: ['2025-12-24'] });
      await fixture.add('d', 'fox', { tags: ['z'], n: ['ten'] });
    });

    it.each([[{ tags: ['x'] }, ['a']], [{ tags: ['x', 'z'] }, ['a', 'd']], [{ tags: ['y'], n: ['10'] }, ['b']], [{
      tags: [],
    }, []], [{ none: ['x'] }, []], [{}, ['a', 'b', 'd']]])('filterMeta %j', async (filterMeta, keys) => {
      const { results, totalMatches } = await fixture.find('fox', { filterMeta });
      expect(results.map(({ document }) => document.key).sort()).toEqual(keys);
      expect(totalMatches).toBe(keys.length);
    });

    it.each([[[{ field: 'n', gte: 6 }], ['b']], [[{ field: 'n', gte: '5', lt: '10' }], ['a']], [{
      n: { gt: 4, lte: 10 },
    }, ['a', 'b']], [[{ field: 'day', gte: '2025-12-02' }], ['b']], [[{ field: 'day', lt: 1764633600 }], ['a']], [[{
      field: 'tags',
      gte: 'x',
      lt: 'y',
    }, { field: 'n', gte: 5 }], ['a']], [[{ field: 'addedAt', gt: START }], ['b', 'd']], [[{
      field: 'addedAt',
      lte: String(START),
    }], ['a']], [[{ field: 'addedAt', gte: new Date(START * 1000 + 1000).toISOString() }], ['b', 'd']], [[], ['a', 'b',
      'd']]])('rangeMeta %j (decision D-91)', async (rangeMeta, keys) => {
        expect((await fixture.keys('fox', { rangeMeta })).sort()).toEqual(keys);
      });

    it('refuses times that are none, and filters that are too large', async () => {
      await expect(fixture.find('fox', { rangeMeta: [{ field: 'updatedAt', gte: 'soon' }] })).rejects.toMatchObject({
        ...refusal,
        message: expect.stringContaining('rangeMeta') as string,
      });
      await expect(fixture.find('fox', { filterMeta: { a: Array(600).fill('x'), b: Array(600).fill('x') } })).rejects
        .toMatchObject(refusal);
    });

    it('leaves the frequencies of terms alone', async () => {
      const [all, some] = [await fixture.find('fox'), await fixture.find('fox', { filterMeta: { tags: ['x'] } })];
      expect(some.results[0]!.score).toBe(all.results.find(({ document }) => document.key === 'a')!.score);
    });

    it('boosts before the cut: positive multiplies, negative divides, matches multiply, never below 0.001', async () => {
      const plain = (await fixture.find('fox')).results;
      const boosted = async (boost: Record<string, number>) =>
        (await fixture.find('fox', { boost, limit: 1 })).results[0]!;
      const [base] = plain.filter(({ document }) => document.key === 'd');
      expect(await boosted({ 'tags:z': 2 })).toMatchObject({ document: { key: 'd' } });
      expect((await boosted({ 'tags:z': 2, 'n:ten': 3 })).score).toBeCloseTo(base!.score * 6, 4);
      expect((await boosted({ 'tags:x': -2, 'tags:y': -2 })).document.key).toBe('d');
      const a = (await fixture.find('fox', { boost: { 'tags:x': -2 } })).results.at(-1)!;
      expect(a).toMatchObject({ document: { key: 'a' } });
      expect(a.score).toBeCloseTo(plain.find(({ document }) => document.key === 'a')!.score / 2, 5);
      const floored = (await fixture.find('fox', { boost: { 'tags:z': 0 } })).results.at(-1)!;
      expect(floored.score).toBeCloseTo(base!.score * 0.001, 6);
      expect(await fixture.keys('fox', { boost: { 'tags:none': 9 } })).toHaveLength(3);
    });

    it('counts facets over all matches, before the limit (decision D-90)', async () => {
      const { facets, total, totalMatches } = await fixture.find('fox', {
        facetBy: ['tags', 'lang', 'none'],
        limit: 1,
      });
      expect(facets).toEqual({
        tags: [{ value: 'y', count: 2 }, { value: 'x', count: 1 }, { value: 'z', count: 1 }],
        lang: [{ value: 'en', count: 3 }],
        none: [],
      });
      expect({ total, totalMatches }).toEqual({ total: 1, totalMatches: 3 });
      expect((await fixture.find('fox', { facetBy: ['tags'], facetMaxValues: 1, filterMeta: { tags: ['y'] } })).facets)
        .toEqual({ tags: [{ value: 'y', count: 2 }] });
    });

    it('counts the facets of searches that run at the same time each over its own matches', async () => {
      const count = async (query: string) => (await fixture.find(query, { facetBy: ['lang'] })).facets!['lang']!;
      const queries = ['fox', 'dog', 'fox OR dog', 'none'];
      const alone: unknown[] = [];
      for (const query of queries) alone.push(await count(query));
      for (let round = 0; round < 3; round++) expect(await Promise.all(queries.map(count))).toEqual(alone);
    });

    it('counts a result that is deleted before facets are counted by the metadata with which it was read', async () => {
      const { hasEach } = ColumnStore.prototype;
      const deleted = vi.spyOn(ColumnStore.prototype, 'hasEach').mockImplementationOnce(
        function deleting(this: ColumnStore, ords) {
          this.remove(ords[0]!);
          return hasEach.call(this, ords);
        },
      );
      try {
        const { facets, totalMatches, results } = await fixture.find('fox', {
          facetBy: ['tags', 'lang'],
          fields: ['key'],
        });
        expect(deleted).toHaveBeenCalled();
        expect(results).toHaveLength(3);
        expect({ totalMatches, facets }).toEqual({
          totalMatches: 3,
          facets: {
            tags: [{ value: 'y', count: 2 }, { value: 'x', count: 1 }, { value: 'z', count: 1 }],
            lang: [{ value: 'en', count: 3 }],
          },
        });
      } finally {
        deleted.mockRestore();
      }
    });

    it('hides what has expired at once', async () => {
      await fixture.call('setDocumentTtl', { collection: 'c', key: 'b', lang: 'en', ttl: 10 });
      expect(await fixture.keys('fox')).toHaveLength(3);
      fixture.base.advance(10);
      expect(await fixture.find('fox', { facetBy: ['tags'] })).toMatchObject({
        totalMatches: 2,
        facets: { tags: [{ value: 'x' }, { value: 'y', count: 1 }, { value: 'z' }] },
      });
      expect(await fixture.keys('fox', { filterMeta: { tags: ['y'] } })).toEqual(['a']);
    });

    describe('with curation (decisions section 4.5)', () => {
      const rule = (more: object) =>
        fixture.call('createCurationRule', { collection: 'c', query: 'fox', enabled: true, ...more });

      it('hides before it counts, and pins where the rule says', async () => {
        await fixture.add('p', 'something else', { tags: ['x'] });
        await rule({ hides: ['A'], pins: [{ key: 'p', position: 2 }, { key: 'd', position: 1 }] });
        const { results, totalMatches, facets } = await fixture.find(' FOX ', {
          facetBy: ['tags'],
          filterMeta: { tags: ['x', 'y', 'z'] },
        });
        expect(results.map(({ document, pinned = false }) => [document.key, pinned])).toEqual([['d', true], ['p', true],
          ['b', false]]);
        expect(results[1]).toMatchObject({ score: 0, matchedTerms: [] });
        expect(results[0]!.score).toBeGreaterThan(0);
        expect(totalMatches).toBe(3);
        expect(facets).toEqual({
          tags: [{ value: 'x', count: 1 }, { value: 'y', count: 1 }, { value: 'z', count: 1 }],
        });
      });

      it('pins what passes the filters, and everything where a rule ignores them (decision D-189)', async () => {
        await fixture.add('q', 'something else', { tags: ['x'] });
        await fixture.add('other', 'something else', { tags: ['y'] });
        const { id } = await rule({ pins: [{ key: 'other', position: 1 }, { key: 'q', position: 2 }] });
        const filters = [{ filter: 'tags = x' }, { filterMeta: { tags: ['x'] } }, {
          rangeMeta: [{ field: 'tags', lt: 'y' }],
        }];
        const pinned = async (more: object) =>
          (await fixture.find('fox', more)).results.filter((each) => each.pinned).map(({ document }) => document.key);
        for (const filter of filters) expect(await pinned(filter)).toEqual(['q']);
        expect(await pinned({ langs: ['de'] })).toEqual([]);
        expect(await pinned({})).toEqual(['other', 'q']);
        const ignoring = { id, collection: 'c', query: 'fox', pins: [{ key: 'other', position: 1 }], enabled: true };
        await fixture.call('updateCurationRule', { ...ignoring, ignoreFilters: true });
        for (const filter of [...filters, { langs: ['de'] }]) {
          expect(await pinned(filter)).toEqual(['other']);
          expect((await fixture.find('fox', filter)).totalMatches).toBe(
            (await fixture.find('fox', filter)).results.length,
          );
        }
      });

      it('gives a pinned document its score also from behind the limit', async () => {
        for (let i = 0; i < 5; i++) await fixture.add(`more-${i}`, 'fox fox');
        await fixture.add('last', 'fox and much else that makes this one long');
        await rule({ pins: [{ key: 'last', position: 1 }] });
        const { results, totalMatches } = await fixture.find('fox', { limit: 2, boost: { 'tags:x': 0.5 } });
        expect(results[0]).toMatchObject({ document: { key: 'last' }, pinned: true, matchedTerms: ['fox'] });
        expect(results[0]!.score).toBeGreaterThan(0);
        expect({ n: results.length, totalMatches }).toEqual({ n: 2, totalMatches: 9 });
      });
    });
  });

  it('highlights with byte offsets and lines, also where fields leave the body out (decisions D-40, D-88)', async () => {
    await fixture.add('a', 'Überall\n\nrunning foxes and a fox', { title: ['T'], author: ['me'] });
    const { results: [result] } = await fixture.find('fox', { highlight: true, fields: ['author', 'updatedAt'] });
    expect(result).toMatchObject({
      document: { id: 'c|a|en', key: 'a', lang: 'en', meta: { author: ['me'] }, updatedAt: START },
    });
    expect(result!.document).not.toHaveProperty('contentMd');
    expect(result!.document).not.toHaveProperty('addedAt');
    const [highlight] = result!.highlights!;
    expect(highlight).toMatchObject({
      fragment: 'Überall\n\nrunning <mark>foxes</mark> and a <mark>fox</mark>',
      matchedTerms: ['fox'],
      startOffset: 0,
      endOffset: 33,
      startLine: 1,
      endLine: 3,
    });
    expect((await fixture.find('fox')).results[0]).not.toHaveProperty('highlights');
    const short = (await fixture.find('"fox"', { highlight: true, fragmentSize: 10, maxHighlights: 1 })).results[0]!
      .highlights!;
    expect(short).toHaveLength(1);
    expect(short[0]!.fragment).toContain('…');
  });

  it('follows request, profile and default for limit and token budget, and expands responsePrompt', async () => {
    for (let i = 0; i < 60; i++) await fixture.add(`k${i}`, `fox ${'x '.repeat(18)}x`);
    expect((await fixture.find('fox')).total).toBe(50);
    await fixture.base.call('setCollectionConfig', {
      collection: 'c',
      retrieval: { topK: 4, contextTokenBudget: 22 },
      responsePrompt: 'On {{query}} in {{collection}}: {{other}}',
    });
    const answer = await fixture.find('fox');
    expect(answer).toMatchObject({
      total: 2,
      totalMatches: 60,
      contextTruncated: true,
      responsePrompt: 'On fox in c: {{other}}',
    });
    expect(await fixture.find('fox', { contextTokenBudget: 0 })).toMatchObject({ total: 4 });
    expect(await fixture.find('fox', { limit: 7, includeContent: false })).toMatchObject({ total: 7 });
    expect((await fixture.find('fox', { contextTokenBudget: 1 })).total).toBe(1);
  });

  describe('hostile queries', () => {
    beforeEach(async () => {
      const word = (n: number): string => `${n.toString(26)}q`.replace(/\d/g, (digit) => 'klmnopqrst'[Number(digit)]!);
      const documents = Array.from({ length: 200 }, (_, i) => ({
        key: `k${i}`,
        lang: 'en',
        contentMd: Array.from({ length: 100 }, (__, j) => word((i * 7919 + j * j * 31) % 9000)).join(' '),
      }));
      await fixture.call('addDocuments', { collection: 'c', documents });
    });

    const letters = 'klmnopqrst';
    const nested = (depth: number): string =>
      Array.from({ length: depth }).reduce<string>(
        (inner, _, i) => `(${inner} ${i % 2 === 0 ? 'AND' : 'OR'} kq NOT lq)`,
        'mq',
      );
    it.each([['many words with edits', [...letters].flatMap((a) => [...letters].map((b) => `${a}${b}kqq`)).join(' '), {
      fuzzy: 2,
      highlight: true,
      limit: 200,
    }], ['many patterns',
      Array.from({ length: 128 }, (_, i) => `*${letters[i % 10]!}*${letters[(i * 7) % 10]!}*`).join(' '), {
      mode: 'wildcard',
      highlight: true,
    }], ['a pattern that backtracks', `*${'k*'.repeat(1000)}z`, { mode: 'wildcard' }], ['a long phrase of one word',
      `"${'kq '.repeat(1000)}"`, {}], ['a wide window', `"${'kq lq mq '.repeat(100)}"~1000`, {}], ['parentheses',
      `${'('.repeat(32)}kq${')'.repeat(32)} AND lq`, {}], ['operators within operators', nested(30), {
      mode: 'expression',
    }]])('returns %s', async (_, query, more) => {
      expect(await fixture.find(query, more)).toMatchObject({ algorithm: 'tfidf' });
    }, 5000);

    it.each([[`${'('.repeat(33)}kq`, { mode: 'expression' }], ['kq '.repeat(129), { mode: 'boolean' }]])(
      'refuses what is beyond the limits (%#)',
      async (query, more) => {
        await expect(fixture.find(query, more)).rejects.toMatchObject(refusal);
      },
    );
  });

  it('has a GET form (decision D-75)', async () => {
    await fixture.add('a', 'fox', { tags: ['x'] });
    await fixture.add('b', 'fox', { tags: ['y'] });
    const get = (input: object) => fixture.call('searchFullTextByQuery', { collection: 'c', ...input });
    expect((await get({ q: 'fox', meta: { tags: 'y' } })).results.map(({ document }) => document.key)).toEqual(['b']);
    expect((await get({ q: 'x', query: 'fox', meta: { tags: ['x', 'y'] }, highlight: true })).results[0]!.highlights)
      .toHaveLength(1);
    await expect(get({})).rejects.toMatchObject({ code: 'missing_fields', message: 'missing fields: query' });
  });

  it('takes a question mark for a character within a word, and for one or none at its end (decision D-132)', async () => {
    await fixture.add('a', 'cats');
    await fixture.add('b', 'cat');
    await fixture.add('d', 'catsy');
    await fixture.add('e', 'cots');
    const found = async (query: string, more: object = {}) => (await fixture.keys(query, more)).sort().join('');
    const mode = 'wildcard';
    expect([await found('cats?', { mode }), await found('cat?', { mode }), await found('c?ts'), await found('c?t?'),
      await found('cats? OR cots'), await found('cats??', { mode })]).toEqual(['abd', 'ab', 'ae', 'abe', 'abde',
        'abd']);
    expect([await found('cats?', { mode, disableStem: true }), await found('cat?', { mode, disableStem: true }),
      await found('do cats?'), await found('cats?')]).toEqual(['ad', 'ab', 'ab', 'ab']);
    const { results } = await fixture.find('cats?', { mode, highlight: true });
    expect(results.map(({ matchedTerms, highlights }) => [matchedTerms, highlights![0]!.fragment]).sort()).toEqual([[[
      'cats?',
    ], '<mark>cat</mark>'], [['cats?'], '<mark>cats</mark>'], [['cats?'], '<mark>catsy</mark>']]);
  });

  it.each(['tfidf', 'bm25', 'bm25f', 'pmisparse'])(
    'divides the score of a loose phrase by %s by what stands between its words (decision D-86)',
    async (algorithm) => {
      await fixture.add('near', 'red blue one two three four');
      await fixture.add('apart', 'red one two three blue four');
      const score = async (query: string) =>
        Object.fromEntries(
          (await fixture.find(query, { algorithm })).results.map(({ document: { key }, score: own }) => [key, own]),
        );
      const [loose, both] = [await score('"red blue"~3'), await score('red AND blue')];
      expect(loose['near']).toBeCloseTo(both['near']!, 5);
      expect(loose['apart']).toBeCloseTo(both['apart']! / 4, 5);
    },
  );

  describe('autocomplete (decision D-92)', () => {
    const complete = async (q: string, more: object = {}) =>
      (await fixture.call('autocomplete', { collection: 'c', q, ...more })).items.map(({ term, field, docCount }) =>
        `${term} ${field} ${docCount}`
      );
    beforeEach(async () => {
      await fixture.add('a', 'posts posting those', { title: ['Poster'], author: ['Polly Post'] });
      await fixture.add('b', 'posts Café', { tags: ['posts'] });
    });

    it('offers words as they were written, those of most documents first', async () => {
      expect(await complete('PO-')).toEqual(['posts content 2', 'polly meta.author 1', 'post meta.author 1',
        'poster meta.title 1', 'posting content 1']);
      expect(await complete('post', { field: 'content' })).toEqual(['posts content 2', 'posting content 1']);
      expect(await complete('post', { field: 'title' })).toEqual(['poster title 1']);
      expect(await complete('po', { field: 'meta.author', topN: 1 })).toEqual(['polly meta.author 1']);
      expect(await complete('cafe')).toEqual(['café content 1']);
      expect(await complete('thos')).toEqual([]);
    });

    it('offers stop words that are titles, and no others', async () => {
      await fixture.add('c', 'The statement is run while a condition holds', { title: ['while'] });
      await fixture.add('d', '# ::before\n\nA pseudo-element');
      await fixture.add('e', 'text', { title: ['Those who wait'] });
      expect(await complete('whil')).toEqual(['while content 1']);
      expect(await complete('befo')).toEqual(['before content 1']);
      expect(await complete('befo', { field: 'title' })).toEqual(['before title 1']);
      expect([await complete('thos'), await complete('befo', { field: 'content' })]).toEqual([[], []]);
    });

    it('shows no titles of documents that have expired', async () => {
      await fixture.call('addDocument', {
        collection: 'c',
        key: 'x',
        lang: 'en',
        contentMd: 'x',
        meta: { title: ['Secret agents'] },
        ttl: 10,
      });
      await fixture.search.view.caughtUp();
      expect(await complete('secret ag', { field: 'title' })).toEqual(['Secret agents meta.title 1']);
      fixture.base.advance(10);
      expect(await complete('secret ag', { field: 'title' })).toEqual([]);
    });

    it('returns an empty list for a prefix of nothing', async () => {
      expect(await fixture.call('autocomplete', { collection: 'c', q: '-!' })).toEqual({
        items: [],
        total: 0,
        query: '-!',
        field: '',
      });
      expect(await complete('posts', { collection: 'none' })).toEqual([]);
    });

    it('counts documents, whatever fields and values have a word, and however often', async () => {
      await fixture.add('d', 'posts posts', { title: ['posts', 'posts'], tags: ['posts'], author: ['posts posts'] });
      await fixture.add('b', 'posts again Café');
      await fixture.add('e.js', 'posts(posts_of, posts)', { title: ['posts'] });
      expect((await complete('posts'))[0]).toBe('posts content 4');
      expect([await complete('posts', { field: 'title' }), await complete('posts', { field: 'meta.author' }),
        await complete('posts', { field: 'tags' })]).toEqual([['posts title 2'], ['posts meta.author 1'], [
          'posts tags 1',
        ]]);
      await fixture.call('deleteDocuments', { collection: 'c', documents: [{ key: 'd', lang: 'en' }] });
      expect((await complete('posts'))[0]).toBe('posts content 3');
    });
  });

  it('reindexes what an import left out, while searches go on', async () => {
    await fixture.add('a', 'fox');
    const { sql, feed } = fixture.base;
    const { ord } = (await sql.get<{ ord: number }>('SELECT ord FROM documents'))!;
    await sql.transaction((tx) =>
      feed.append(tx, [{ kind: 'doc.put', collection: 'c', ord, docId: 'c|a|en', key: 'a', lang: 'en', flags: 4 }])
    );
    await fixture.search.view.caughtUp();
    expect(await fixture.keys('fox')).toEqual([]);
    expect(await fixture.call('reindexFullText', { collection: 'C' })).toEqual({ reindexed: 1, collection: 'C' });
    expect(await fixture.keys('fox')).toEqual(['a']);
    expect(await fixture.call('reindexFullText', { collection: 'none' })).toEqual({ reindexed: 0, collection: 'none' });
  });
});

describe('settings of full-text search', () => {
  it.each([[{ stemming: false }, { stemmingActive: false, synonymsActive: true, lang: 'en' }], [{
    synonyms: false,
    defaultLang: 'de',
  }, { stemmingActive: true, synonymsActive: false, lang: 'de' }]])('%j', async (settings, shown) => {
    const fixture = await SearchFixture.open('sql.js', settings);
    // Without documents, the query is read in the server's language.
    expect(await fixture.find('foxes')).toMatchObject({ ...shown, total: 0 });
    await fixture.close();
  });
});
