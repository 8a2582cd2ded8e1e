import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { referenceNeighbours } from '../../../testkit/cooccurrence/ppmi.ts';
import { ManualTimer } from '../../../testkit/manual-timer.ts';
import { formsOf } from '../../../text/tokenize.ts';
import { DRIVERS } from '../../documents/test-fixture.ts';
import { SearchFixture } from '../search/test-fixture.ts';
import { allTexts } from '../view/document-texts.ts';
import { createTrainer } from './training.ts';

const PLAIN = { rerank: false, algorithm: 'pmisparse', disableStem: true };

/** Texts in which "shock" occurs with "wave" and "tube", and "wing" with "lift", in several documents. */
const TEXTS: Readonly<Record<string, string>> = {
  a: 'shock wave behind blunt body',
  b: 'shock wave inside tube',
  c: 'shock tube experiment',
  d: 'wave equation solved exactly by hand here',
  e: 'tube steel prices',
  f: 'wing lift measured',
  g: 'wing lift',
  h: 'lift drag ratio of wing models flown',
  i: 'garden flowers bloom',
};

describe.each(DRIVERS)('pmisparse over %s (decision D-84)', (driver) => {
  let fixture: SearchFixture;
  let timer: ManualTimer;
  beforeEach(async () => {
    timer = new ManualTimer();
    fixture = await SearchFixture.open(driver, {}, { timer });
  });
  afterEach(() => fixture.close());

  const addAll = () =>
    fixture.call('addDocuments', {
      collection: 'c',
      documents: Object.entries(TEXTS).map(([key, contentMd]) => ({ key, lang: 'en', contentMd })),
    });
  const matched = async (query: string, more: object = {}) => {
    const { results } = await fixture.find(query, { ...PLAIN, ...more });
    return Object.fromEntries(results.map(({ document, matchedTerms }) => [document.key, matchedTerms.join(' ')]));
  };

  it('scores by BM25 with k1 1.5, and 0.35 of the weighted scores of the five best neighbours', async () => {
    await addAll();
    const { results, algorithm, mode } = await fixture.find('shock wing', PLAIN);
    expect({ algorithm, mode }).toEqual({ algorithm: 'pmisparse', mode: 'simple' });
    const documents = Object.entries(TEXTS).map(([key, text]) => ({ key, forms: formsOf(text) }));
    const { entries } = await fixture.call('listStopWords', { collection: 'c' });
    const stopWords = new Set(entries.map(({ word }) => word));
    const near = referenceNeighbours(
      documents.map(({ forms }) => [forms.map((form) => (stopWords.has(form) ? undefined : form))]),
    );
    const average = documents.reduce((sum, { forms }) => sum + forms.length, 0) / documents.length;
    const bm25 = (term: string, forms: readonly string[]): number => {
      const tf = forms.filter((form) => form === term).length;
      const df = documents.filter((document) => document.forms.includes(term)).length;
      return (Math.log((documents.length - df + 0.5) / (df + 0.5) + 1) * tf * 2.5) /
        (tf + 1.5 * (0.25 + (0.75 * forms.length) / average));
    };
    const expected = documents.map(({ key, forms }) => {
      const own = ['shock', 'wing'].reduce((sum, term) => sum + bm25(term, forms), 0);
      const neighbours = ['shock', 'wing'].flatMap((term) => {
        expect(near.get(term)!.size).toBeLessThanOrEqual(5);
        return [...near.get(term)!];
      });
      return { key, score: neighbours.reduce((sum, [term, weight]) => sum + 0.35 * weight * bm25(term, forms), own) };
    }).filter(({ score }) => score > 0).sort((x, y) => y.score - x.score);
    expect(results.map(({ document: { key } }) => key)).toEqual(expected.map(({ key }) => key));
    for (const [i, { score }] of results.entries()) expect(score).toBeCloseTo(expected[i]!.score, 5);
    expect(results.map(({ document: { key } }) => key)).toContain('d');
  });

  it('weighs the neighbours of a term by how often the query has it', async () => {
    await addAll();
    const scores = async (query: string) =>
      (await fixture.find(query, PLAIN)).results.map(({ document: { key }, score }) => [key, score] as const);
    const once = await scores('shock');
    const thrice = await scores('shock shock, shock');
    expect(thrice.map(([key]) => key)).toEqual(once.map(([key]) => key));
    for (const [i, [, score]] of thrice.entries()) expect(score / once[i]![1]).toBeCloseTo(3, 5);
  });

  it('finds documents by neighbours alone and names only what they have', async () => {
    await addAll();
    const found = await matched('shock');
    expect(Object.keys(found).sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
    for (const [key, terms] of Object.entries(found))
      expect(formsOf(TEXTS[key]!)).toEqual(expect.arrayContaining(terms.split(' ')));
    expect(found).toMatchObject({ e: 'tube', a: expect.stringMatching(/^shock /) as string });
    expect(await matched('shock', { algorithm: 'bm25' })).toEqual({ a: 'shock', b: 'shock', c: 'shock' });
    const { results } = await fixture.find('shock', { ...PLAIN, highlight: true });
    expect(results.find(({ document: { key } }) => key === 'e')!.highlights).toMatchObject([{
      fragment: '<mark>tube</mark> steel prices',
      matchedTerms: ['tube'],
    }]);
  });

  it('calls what the query names itself by that name', async () => {
    await addAll();
    const found = await matched('shock tube');
    expect([found['b'], found['c'], found['e']]).toEqual([expect.stringMatching(/^shock tube/),
      expect.stringMatching(/^shock tube/), 'tube']);
  });

  it.each([['"shock wave"', 'auto', 'ab'], ['"shock"', 'phrase', 'abc'], ['"shock tube"~3', 'auto', 'bc'], ['shoc*',
    'auto', 'abc'], ['+shock garden', 'auto', 'abc'], ['shock AND wave', 'auto', 'ab'], ['shock -wave', 'auto', 'c'], [
    'shock OR garden',
    'auto',
    'abcdei',
  ], ['(shock OR garden) AND steel', 'auto', ''], ['NOT shock', 'boolean', ''], ['the', 'auto', ''], ['unheard', 'auto',
    '']])('expands what may be there, not what has to be or must not: %s', async (query, mode, keys) => {
      await addAll();
      expect(Object.keys(await matched(query, { mode })).sort().join('')).toBe(keys);
    });

  it('adds the score of neighbours of what is optional to what is required', async () => {
    await addAll();
    const score = async (algorithm: string) =>
      (await fixture.find('+equation shock', { ...PLAIN, algorithm })).results.map((
        { document: { key }, score: one },
      ) => [key, one] as const);
    const [[key, more]] = await score('pmisparse') as [readonly [string, number]];
    expect(key).toBe('d');
    expect(more).toBeGreaterThan((await score('bm25'))[0]![1]);
  });

  it('is the same by GET', async () => {
    await addAll();
    const { results, algorithm } = await fixture.call('searchFullTextByQuery', {
      collection: 'C',
      q: 'shock',
      algorithm: 'pmisparse',
      disableStem: true,
    });
    expect(algorithm).toBe('pmisparse');
    expect(results.map(({ document: { key } }) => key).sort().join('')).toBe('abcde');
  });

  it('leaves neighbours to the filter, the limit and the total', async () => {
    await addAll();
    await fixture.add('e', TEXTS.e!, { kind: ['x'] });
    expect(await matched('shock', { filterMeta: { kind: ['x'] } })).toEqual({ e: 'tube' });
    expect(await fixture.find('shock', { ...PLAIN, limit: 1 })).toMatchObject({ total: 1, totalMatches: 5 });
  });

  it('expands terms of the query and not their synonyms', async () => {
    await addAll();
    await fixture.call('addSynonyms', { collection: 'c', term: 'jolt', synonyms: ['shock'] });
    expect(Object.keys(await matched('jolt')).sort().join('')).toBe('abc');
    expect(Object.keys(await matched('shock')).sort().join('')).toBe('abcde');
  });

  it('serves on after writes, and includes them once they have settled', async () => {
    await addAll();
    expect(Object.keys(await matched('garden'))).toEqual(['i']);
    for (const key of ['j', 'k']) await fixture.add(key, 'garden spade');
    await fixture.add('l', 'spade broken');
    expect(Object.keys(await matched('garden')).sort().join('')).toBe('ijk');
    const settled = fixture.search.expansion.settled();
    // Repeated as often as necessary, because the feed may report the writes one by one.
    let done = false;
    void settled.then(() => (done = true));
    while (!done) {
      await Promise.race([timer.elapse(), settled]);
      await new Promise(setImmediate);
    }
    expect(Object.keys(await matched('garden')).sort().join('')).toBe('ijkl');
  });

  it('respects stop words that were added since it learned', async () => {
    await addAll();
    expect(Object.keys(await matched('shock')).sort().join('')).toBe('abcde');
    await fixture.call('addStopWords', { collection: 'c', words: ['tube'] });
    expect(Object.keys(await matched('shock')).sort().join('')).toBe('abcd');
  });

  it('goes by stems, and stays in its language', async () => {
    for (const key of ['a', 'b']) await fixture.add(key, 'hunting foxes');
    await fixture.add('c', 'a fox');
    expect(Object.keys(await matched('hunts', { disableStem: false })).sort().join('')).toBe('abc');
    expect(Object.keys(await matched('hunts'))).toEqual([]);
    expect((await fixture.find('hunting', { algorithm: 'pmisparse', lang: 'de' })).results.length).toBeGreaterThan(0);
  });

  it('learns from code as code', async () => {
    const code = { defines: ['openSession'] };
    for (const key of ['a.ts', 'b.ts'])
      await fixture.add(key, 'export function openSession() { return retryPolicy; }', {
        language: ['typescript'],
        ...code,
      });
    await fixture.add('d', 'retry after a pause');
    expect(Object.keys(await matched('session')).sort()).toEqual(['a.ts', 'b.ts', 'd']);
  });

  it('searches as BM25 where there is nothing to learn', async () => {
    expect(await fixture.find('fox', PLAIN)).toMatchObject({ algorithm: 'pmisparse', results: [], total: 0 });
    await fixture.add('a', 'fox');
    expect(await matched('fox')).toEqual({ a: 'fox' });
    await fixture.call('deleteDocument', { collection: 'c', key: 'a', lang: 'en' });
    expect(await matched('fox')).toEqual({});
  });

  it('takes queries of many words and odd ones', async () => {
    await addAll();
    const many = Object.values(TEXTS).join(' ');
    expect(Object.keys(await matched(`${many} ${Array.from({ length: 300 }, (_, i) => `w${i}`).join(' ')}`)))
      .toHaveLength(9);
    for (const query of ['__proto__ constructor', '\u0000', 'ß 名前 🦊', 'a'.repeat(500)]) await matched(query);
  });

  it('learns from large collections in a thread', async () => {
    const filler = Array.from({ length: 400 }, (_, i) => `filler${i}`).join(' ');
    const documents = Array.from({ length: 50 },
      (_, i) => ({ key: `k${i}`, lang: 'en', contentMd: `shock wave ${filler}` }));
    await fixture.call('addDocuments', {
      collection: 'c',
      documents: [...documents, { key: 'w', lang: 'en', contentMd: 'wave' }],
    });
    expect(Object.keys(await matched('shock', { limit: 100 }))).toContain('w');
  });

  it('learns from a sample of limited size, the same each time', async () => {
    const items = Array.from({ length: 300 },
      (_, i) => ({ key: `k${i}`, lang: 'en', contentMd: `alpha word${i} alpha word${i}` }));
    await fixture.call('addDocuments', { collection: 'c', documents: items });
    const { sql, environment } = fixture.base;
    const keys = async (share: number) =>
      (await Array.fromAsync(allTexts(sql, environment.codec, 'c', 0, { share }))).map(({ key }) => key);
    const sample = await keys(0.2);
    expect(sample.length).toBeGreaterThan(50);
    expect(sample.length).toBeLessThan(70);
    expect(await keys(0.2)).toEqual(sample);
    expect(await keys(1)).toHaveLength(300);
    const rules = { lang: 'en', stemming: false, stopWords: new Set<string>() };
    const learned = await createTrainer(environment, 40).train('c', rules, new AbortController().signal);
    const known = items.filter((_, i) => learned.of(`word${i}`).length > 0);
    expect(known.length).toBeGreaterThan(30);
    expect(known.length).toBeLessThanOrEqual(40);
  });
});
