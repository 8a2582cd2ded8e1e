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

  it('finds inflections of what was meant', async () => {
    await fixture.add('k5', 'pure functions');
    expect(await keys('functon')).toEqual(['k1', 'k5']);
  });

  it('marks what it found', async () => {
    const { results } = await fixture.find('functon', { fuzzy: 'auto', highlight: true });
    expect(results[0]!.highlights![0]!.fragment).toBe('asynchronous <mark>functions</mark> and an async <mark>function</mark>');
    expect((await fixture.find('bars', { fuzzy: 'auto', highlight: true })).results.map(({ highlights }) => highlights![0]!.fragment)).toEqual(['seven <mark>bats</mark>']);
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

  it('weighs the whole word more, and marks what it found', async () => {
    await fixture.add('d', 'a proto type');
    const { results } = await fixture.find('proto', { prefix: 'last', algorithm: 'bm25', highlight: true });
    expect(results[0]!.document.key).toBe('d');
    expect(results.map(({ highlights }) => highlights![0]!.fragment).sort()).toEqual(['<mark>protocols</mark>', 'a <mark>proto</mark> type', 'array <mark>prototype</mark>']);
  });
});

describe('matchingStrategy', () => {
  beforeEach(async () => {
    for (const [key, text] of [['1', 'red'], ['2', 'red green'], ['3', 'red green blue'], ['4', 'red green blue white']] as const) await fixture.add(key, text);
  });

  it.each([
    ['red green blue white', 'any', ['1', '2', '3', '4']],
    ['red green blue white', 'all', ['4']],
    ['red green blue white', 'most', ['3', '4']],
    ['red green blue', 'most', ['2', '3', '4']],
    ['red green', 'most', ['2', '3', '4']],
    ['the red and the green', 'all', ['2', '3', '4']],
    ['red red red', 'all', ['1', '2', '3', '4']],
    ['red green blue white black grey pink teal', 'most', []],
    ['red green blue white black', 'most', ['4']],
  ])('%s, %s', async (query, matchingStrategy, keys) => expect(await sorted(query, { matchingStrategy })).toEqual(keys));

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

  it('is told what would have found something', async () => {
    expect(await fixture.find('Asynch functoin!')).toMatchObject({ total: 0, suggestions: ['async function!'] });
    expect((await fixture.find('function')).suggestions).toBeUndefined();
    expect((await fixture.find('zzzzzzz')).suggestions).toBeUndefined();
  });

  it('is told so under its filters only', async () => {
    expect(await fixture.find('functoin', { filterMeta: { kind: ['guide'] } })).toMatchObject({ suggestions: ['function'] });
    expect((await fixture.find('functoin', { filterMeta: { kind: ['other'] } })).suggestions).toBeUndefined();
  });

  it('is told which words were not looked for', async () => {
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
    expect(await fixture.keys('-this')).toEqual([]);
  });
});

describe('autocomplete of several words', () => {
  const complete = async (q: string, more: object = {}) => (await fixture.call('autocomplete', { collection: 'c', q, ...more })).items.map(({ term, field, docCount }) => `${field}: ${term} (${docCount})`);
  beforeEach(async () => {
    await fixture.add('a', 'How do I center a div? How does it work?', { title: ['How to center'] });
    await fixture.add('b', 'How do I sort?', { title: ['Array.prototype.map()'] });
    await fixture.add('c', 'Prototypes of an array', { title: ['Array.prototype.map()'] });
  });

  it('offers phrases that documents have, those of most first', async () => {
    expect(await complete('how do')).toEqual(['content: how do (2)', 'content: how does (1)']);
    expect(await complete('how do i ')).toEqual(['content: how do i (2)']);
    expect(await complete('center do')).toEqual([]);
  });

  it('offers titles', async () => {
    expect(await complete('array.pro')).toEqual(['meta.title: Array.prototype.map() (2)']);
    expect(await complete('How to')).toEqual(['meta.title: How to center (1)']);
    expect(await complete('how to', { field: 'content' })).toEqual([]);
    expect(await complete('how d', { field: 'title' })).toEqual([]);
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
    expect(await fixture.find('foxx')).toMatchObject({ algorithm: 'bm25f', total: 1, results: [{ document: { key: 'a' } }] });
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

it('the algorithm of searches that name none is a setting', async () => {
  await fixture.close();
  fixture = await SearchFixture.open('sql.js', { algorithm: 'bm25' });
  expect((await fixture.find('x')).algorithm).toBe('bm25');
  expect((await fixture.find('x', { algorithm: 'tfidf' })).algorithm).toBe('tfidf');
});
