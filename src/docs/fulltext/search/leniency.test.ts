import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SearchFixture } from './test-fixture.ts';

let fixture: SearchFixture;
beforeEach(async () => {
  fixture = await SearchFixture.open('sql.js');
});
afterEach(() => fixture.close());

const sorted = async (query: string, more: object = {}) => (await fixture.keys(query, more)).sort();

describe('fuzzy: auto', () => {
  beforeEach(async () => {
    await fixture.add('k1', 'asynchronous functions and an async function');
    await fixture.add('k2', 'a cat');
    await fixture.add('k3', 'seven bats');
    await fixture.add('k4', 'seven cars');
  });
  const keys = (query: string) => sorted(query, { fuzzy: 'auto' });

  it('allows no edit below 4 characters, one from 4 and two from 8', async () => {
    expect(await keys('cot')).toEqual([]);
    expect(await keys('asinc')).toEqual(['k1']);
    expect(await keys('asinq')).toEqual([]);
    expect(await keys('asinchronus')).toEqual(['k1']);
  });

  it('takes a swap of neighbours for one edit, which is marked', async () => {
    expect([await keys('aysnc'), await keys('asycn'), await keys('sevne'), await keys('asycnhronuos')]).toEqual([['k1'],
      ['k1'], ['k3', 'k4'], ['k1']]);
    const { results } = await fixture.find('asycn', { fuzzy: 1, highlight: true });
    expect(results).toMatchObject([{ matchedTerms: ['asycn~async'] }]);
    expect(results[0]!.highlights![0]!.fragment).toContain('<mark>async</mark>');
  });

  it('finds inflections of what was meant', async () => {
    await fixture.add('k5', 'pure functions');
    expect(await keys('functon')).toEqual(['k1', 'k5']);
  });

  it('finds a word of which the collection has inflections only', async () => {
    await fixture.add('k5', 'many lanterns');
    await fixture.add('k6', 'many modules');
    expect([await keys('lantrn'), await keys('modle')]).toEqual([['k5'], ['k6']]);
    expect((await fixture.find('lantrn', { fuzzy: 'auto', highlight: true })).results).toMatchObject([{
      matchedTerms: ['lantrn~lanterns'],
      highlights: [{ fragment: 'many <mark>lanterns</mark>' }],
    }]);
    expect(await sorted('lantrn', { fuzzy: 1 })).toEqual([]);
    expect(await sorted('lantrn', { fuzzy: 'auto', disableStem: true })).toEqual([]);
  });

  it('allows no more for words that the collection has, and for short stems', async () => {
    await fixture.add('k5', 'a lantern');
    await fixture.add('k6', 'two lanturns');
    await fixture.add('k7', 'a tan');
    expect([await keys('lantern'), await keys('taps')]).toEqual([['k5'], []]);
  });

  it('marks what it found', async () => {
    const { results } = await fixture.find('functon', { fuzzy: 'auto', highlight: true });
    expect(results[0]!.highlights![0]!.fragment).toBe(
      'asynchronous <mark>functions</mark> and an async <mark>function</mark>',
    );
    expect(
      (await fixture.find('bars', { fuzzy: 'auto', highlight: true })).results.map(({ highlights }) =>
        highlights![0]!.fragment
      ),
    ).toEqual(['seven <mark>bats</mark>']);
  });

  it('keeps the first character where a word matches with it, and only then', async () => {
    expect(await keys('bars')).toEqual(['k3']);
    expect(await keys('dats')).toEqual(['k3']);
    await fixture.add('k6', 'dates');
    expect(await keys('dats')).toEqual(['k6']);
  });

  it('weighs what is spelled right more', async () => {
    await fixture.add('k7', 'the contract');
    await fixture.add('k8', 'the contrast');
    expect(await fixture.keys('contrast', { fuzzy: 'auto', algorithm: 'bm25' })).toEqual(['k8', 'k7']);
  });
});

describe('fuzzy: auto, of words and their beginnings', () => {
  const auto = { fuzzy: 'auto' };
  const typed = { fuzzy: 'auto', prefix: 'last' };

  it('finds a word whose first two letters are swapped beside others with the first', async () => {
    await fixture.add('a', 'the python language');
    await fixture.add('b', 'a python, and ythons');
    expect(await sorted('ypthon', auto)).toEqual(['a', 'b']);
  });

  it('ranks what is spelled as asked before what is corrected, however often that occurs', async () => {
    await fixture.add('exact', `a form ${'in a long text of other words '.repeat(50)}`);
    await fixture.add('near', 'from from from', { title: ['from'] });
    for (const algorithm of ['tfidf', 'bm25', 'bm25f'])
      expect(await fixture.keys('form', { ...auto, algorithm })).toEqual(['exact', 'near']);
  });

  it('finds the misspelt beginning of a word that is being typed, and marks the word', async () => {
    await fixture.add('a', 'javascript');
    await fixture.add('b', 'a cat');
    expect([await sorted('javsc', typed), await sorted('ajvasc', typed), await sorted('kavascr', typed)]).toEqual([[
      'a',
    ], ['a'], ['a']]);
    expect([await sorted('javsc', auto), await sorted('javsc ', typed), await sorted('javsc cat', typed)]).toEqual([[],
      [], ['b']]);
    expect((await fixture.find('javsc', { ...typed, highlight: true })).results).toMatchObject([{
      matchedTerms: ['javsc~javascript'],
      highlights: [{ fragment: '<mark>javascript</mark>' }],
    }]);
  });

  it('corrects no beginning with which a word begins', async () => {
    await fixture.add('a', 'the contract');
    await fixture.add('b', 'a control');
    expect(await sorted('contra', typed)).toEqual(['a']);
  });

  it('finds one word that was written as two, and two as one, and marks them', async () => {
    await fixture.add('a', 'all of typescript');
    await fixture.add('b', 'an event listener');
    await fixture.add('c', 'to log in');
    await fixture.add('d', 'a login');
    await fixture.add('e', 'the listener of an event');
    const all = { ...auto, matchingStrategy: 'all' };
    expect([await sorted('type script', all), await sorted('the type script', auto)]).toEqual([['a'], ['a']]);
    expect([await sorted('eventlistener', auto), await sorted('eventlisteners', auto)]).toEqual([['b'], ['b']]);
    expect(await fixture.keys('login', auto)).toEqual(['d', 'c']);
    const shown = async (query: string) =>
      (await fixture.find(query, { ...auto, highlight: true })).results.map(({ matchedTerms, highlights }) => [
        matchedTerms,
        highlights![0]!.fragment,
      ]);
    expect(await shown('eventlistener')).toEqual([[['eventlistener'], 'an <mark>event listener</mark>']]);
    expect(await shown('type script')).toEqual([[['type', 'script'], 'all of <mark>typescript</mark>']]);
  });

  it('reranks by the word that was meant', async () => {
    await fixture.add('a', `${'the navigation of a ship and the navigation of a page '.repeat(5)} back`);
    await fixture.add('b', 'about pages', { title: ['Navigation back'] });
    const right = await fixture.keys('navigation back', auto);
    expect([await fixture.keys('naivgation back', auto), right]).toEqual([['b', 'a'], ['b', 'a']]);
  });
});

describe('prefix: last', () => {
  beforeEach(async () => {
    await fixture.add('a', 'array prototype');
    await fixture.add('b', 'the prose of an array');
    await fixture.add('c', 'protocols');
  });

  it('takes the last word for the beginning of one, unless a space ends it', async () => {
    expect(await sorted('proto', { prefix: 'last' })).toEqual(['a', 'c']);
    expect(await sorted('array.pro', { prefix: 'last', matchingStrategy: 'all' })).toEqual(['a', 'b']);
    expect(await sorted('proto ', { prefix: 'last' })).toEqual([]);
    expect(await sorted('proto array', { prefix: 'last', matchingStrategy: 'all' })).toEqual([]);
    expect(await sorted('proto')).toEqual([]);
  });

  it('completes a word with a hyphen in front', async () => {
    await fixture.add('d', 'the -webkit-touch-callout property');
    for (const query of ['-webkit-to', '-web', '--webk'])
      expect(await fixture.find(query, { prefix: 'last' }), query).toMatchObject({
        mode: 'simple',
        results: [{ document: { key: 'd' } }],
      });
  });

  it('weighs the whole word more, and marks what it found', async () => {
    await fixture.add('d', 'a proto type');
    const { results } = await fixture.find('proto', { prefix: 'last', algorithm: 'bm25', highlight: true });
    expect(results[0]!.document.key).toBe('d');
    expect(results.map(({ highlights }) => highlights![0]!.fragment).sort()).toEqual(['<mark>protocols</mark>',
      'a <mark>proto</mark> type', 'array <mark>prototype</mark>']);
  });
});

describe('matchingStrategy', () => {
  beforeEach(async () => {
    for (const [key, text] of [['1', 'red'], ['2', 'red green'], ['3', 'red green blue'], ['4',
      'red green blue white']] as const) await fixture.add(key, text);
  });

  it.each([['red green blue white', 'any', ['1', '2', '3', '4']], ['red green blue white', 'all', ['4']], [
    'red green blue white',
    'most',
    ['3', '4'],
  ], ['red green blue', 'most', ['2', '3', '4']], ['red green', 'most', ['2', '3', '4']], ['the red and the green',
    'all', ['2', '3', '4']], ['red red red', 'all', ['1', '2', '3', '4']], ['red green blue white black grey pink teal',
    'most', []], ['red green blue white black', 'most', ['4']]])('%s, %s',
      async (query, matchingStrategy, keys) => expect(await sorted(query, { matchingStrategy })).toEqual(keys));

  it('counts a word that is found by a synonym', async () => {
    await fixture.call('addSynonyms', { collection: 'c', term: 'crimson', synonyms: ['red'] });
    expect(await sorted('crimson green blue', { matchingStrategy: 'most' })).toEqual(['2', '3', '4']);
  });
});

describe('a query that finds nothing', () => {
  beforeEach(async () => {
    await fixture.add('a', 'an async function', { kind: ['guide'] });
    await fixture.add('b', 'fractions');
  });

  it('names what would have found something', async () => {
    expect(await fixture.find('Asynch functoin!')).toMatchObject({ total: 0, suggestions: ['async function!'] });
    expect((await fixture.find('function')).suggestions).toBeUndefined();
    expect((await fixture.find('zzzzzzz')).suggestions).toBeUndefined();
  });

  it('names it under its filters only', async () => {
    expect(await fixture.find('functoin', { filterMeta: { kind: ['guide'] } })).toMatchObject({
      suggestions: ['function'],
    });
    expect((await fixture.find('functoin', { filterMeta: { kind: ['other'] } })).suggestions).toBeUndefined();
  });

  it('names the words that were not searched for', async () => {
    expect(await fixture.find('the zebra of this')).toMatchObject({ total: 0, droppedWords: ['the', 'of', 'this'] });
    expect((await fixture.find('the function')).droppedWords).toBeUndefined();
  });
});

describe('a query of nothing but stop words', () => {
  it('finds what they name', async () => {
    await fixture.add('this', 'The this keyword', { title: ['this'] });
    await fixture.add('of', 'for...of');
    expect(await fixture.keys('this')).toEqual(['this']);
    expect(await fixture.keys('for...of')).toEqual(['of']);
    expect(await fixture.keys('-this')).toEqual(['this']);
    expect(await fixture.keys('-this', { mode: 'boolean' })).toEqual([]);
  });
});

describe('autocomplete of several words', () => {
  const complete = async (q: string, more: object = {}) =>
    (await fixture.call('autocomplete', { collection: 'c', q, ...more })).items.map(({ term, field, docCount }) =>
      `${field}: ${term} (${docCount})`
    );
  beforeEach(async () => {
    await fixture.add('a', 'How do I center a div? How does it work?', { title: ['How to center'] });
    await fixture.add('b', 'How do I sort?', { title: ['Array.prototype.map()'] });
    await fixture.add('c', 'Prototypes of an array', { title: ['Array.prototype.map()'] });
  });

  it('offers phrases that documents have, those of most first', async () => {
    await fixture.add('d', 'Read the howdo');
    expect(await complete('how do')).toEqual(['content: how do (2)', 'content: how does (1)', 'content: howdo (1)']);
    expect(await complete('how do i ')).toEqual(['content: how do i (2)']);
    expect(await complete('center do')).toEqual([]);
  });

  it('offers titles', async () => {
    expect(await complete('array.pro')).toEqual(['meta.title: Array.prototype.map() (2)']);
    expect(await complete('How to')).toEqual(['meta.title: How to center (1)']);
    expect(await complete('how to', { field: 'content' })).toEqual([]);
    expect(await complete('how d', { field: 'title' })).toEqual([]);
  });

  it('offers the first heading of documents without a title', async () => {
    await fixture.add('d', '```md\n# Map of things\n```\n\n# Map of the world ##\n\n## Map of roads', { title: [' '] });
    await fixture.add('e', `# Map of the world\n\n${'long '.repeat(50_000)}`);
    await fixture.add('f', '# Map of the moon', { title: ['Moon'] });
    expect(await complete('map of', { field: 'title' })).toEqual(['meta.title: Map of the world (2)']);
  });
});

describe('a retrieval profile', () => {
  const configure = (retrieval: object) => fixture.base.call('setCollectionConfig', { collection: 'c', retrieval });
  beforeEach(async () => {
    await fixture.add('a', 'event target', { author: ['fox'] });
    await fixture.add('b', 'a fox, and the target of an event');
  });

  it('says what a search leaves open', async () => {
    await configure({ algorithm: 'bm25f', fieldWeights: { 'meta.author': 1 }, fuzzy: 'auto', rerank: false });
    expect(await fixture.find('foxx')).toMatchObject({
      algorithm: 'bm25f',
      total: 1,
      results: [{ document: { key: 'a' } }],
    });
    expect(await fixture.find('fox', { algorithm: 'bm25', fuzzy: 0 })).toMatchObject({ algorithm: 'bm25', total: 2 });
    expect(await fixture.find('foxx', { fuzzy: 0 })).toMatchObject({ total: 0 });
    expect(await sorted('target', { fieldWeights: { content: 1 } })).toEqual(['a', 'b']);
  });

  it('switches reranking off, which a search may ask for', async () => {
    const score = async (more: object = {}) => (await fixture.find('event target', more)).results[0]!.score;
    const [reranked, plain] = [await score(), await score({ rerank: false })];
    expect(reranked).toBeGreaterThan(plain);
    await configure({ rerank: false });
    expect([await score(), await score({ rerank: true })]).toEqual([plain, reranked]);
  });
});

describe('searchable fields', () => {
  const configure = (retrieval: object) => fixture.base.call('setCollectionConfig', { collection: 'c', retrieval });
  const ALGORITHMS = ['tfidf', 'bm25', 'bm25f', 'pmisparse'];
  beforeEach(async () => {
    await fixture.add('a', 'a fox runs', { title: ['cat'], author: ['dog fox'], editor: ['elk'] });
    await fixture.add('b', 'a cat', { title: ['foxes'], author: ['elk'], tags: ['fox'] });
  });

  it.each(ALGORITHMS)('are the only ones in which %s finds words', async (algorithm) => {
    const found = (query: string, more: object = {}) => sorted(query, { algorithm, ...more });
    await configure({ searchableFields: ['title', 'meta.author'] });
    expect(await found('fox')).toEqual(['a', 'b']);
    expect([await found('cat'), await found('elk'), await found('runs'), await found('f*'), await found('"dog fox"')])
      .toEqual([['a'], ['b'], [], ['a', 'b'], ['a']]);
    expect([await found('foc', { fuzzy: 1 }), await found('rums', { fuzzy: 'auto' })]).toEqual([['a'], []]);
    await configure({ searchableFields: ['content'] });
    expect([await found('fox'), await found('elk')]).toEqual([['a'], []]);
    await configure({ searchableFields: ['missing'] });
    expect(await found('fox')).toEqual([]);
    await configure({ searchableFields: null });
    expect(await found('fox')).toEqual(['a', 'b']);
  });

  it.each(ALGORITHMS)('are what terms and passages are shown of by %s', async (algorithm) => {
    await configure({ searchableFields: ['author'] });
    const shown = async (query: string, more: object = {}) =>
      (await fixture.find(query, { algorithm, highlight: true, ...more })).results.map((
        { matchedTerms, highlights },
      ) => [matchedTerms, highlights!.map(({ field, fragment }) => `${field}: ${fragment}`)]);
    expect(await shown('fox runs cat')).toEqual([[['fox'], ['meta.author: dog <mark>fox</mark>']]]);
    expect(await shown('foxx runn', { fuzzy: 1 })).toEqual([[['foxx~fox'], ['meta.author: dog <mark>fox</mark>']]]);
  });

  it('give way to the fields that a search weighs itself', async () => {
    await configure({ searchableFields: ['title'] });
    const asked = { algorithm: 'bm25f', fieldWeights: { content: 1 }, highlight: true };
    expect((await fixture.find('fox', asked)).results).toMatchObject([{
      document: { key: 'a' },
      matchedTerms: ['fox'],
      highlights: [{ field: 'content' }],
    }]);
    expect(await sorted('fox', { algorithm: 'tfidf', fieldWeights: { content: 1 } })).toEqual(['b']);
  });

  it('weigh for bm25f what the profile says, else the default or 1', async () => {
    await configure({
      searchableFields: ['title', 'author'],
      fieldWeights: { author: 2, content: 3 },
      algorithm: 'bm25f',
    });
    expect([await sorted('fox'), await sorted('cat')]).toEqual([['a'], []]);
    await configure({ fieldWeights: null });
    expect(await fixture.keys('fox')).toEqual(['b', 'a']);
  });

  it('switch reranking off without those that it looks at, unless it is asked for', async () => {
    const score = async (more: object = {}) => (await fixture.find('dog fox', more)).results[0]!.score;
    await configure({ searchableFields: ['author'] });
    expect(await score()).toBe(await score({ rerank: false }));
    expect(await score({ rerank: true })).toBeGreaterThan(await score());
    await configure({ searchableFields: ['author', 'content', 'title', 'key'] });
    expect(await score()).toBeGreaterThan(await score({ rerank: false }));
  });

  it('are those of suggestions', async () => {
    await configure({ searchableFields: ['title'] });
    expect((await fixture.find('rums')).suggestions).toBeUndefined();
    expect((await fixture.find('foxxs')).suggestions).toContain('foxes');
  });
});

it('the algorithm of searches that name none is a setting', async () => {
  await fixture.close();
  fixture = await SearchFixture.open('sql.js', { algorithm: 'bm25' });
  expect((await fixture.find('x')).algorithm).toBe('bm25');
  expect((await fixture.find('x', { algorithm: 'tfidf' })).algorithm).toBe('tfidf');
});
