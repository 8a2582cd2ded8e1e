import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultStopWords } from '../../../text/languages/index.ts';
import { tokenize } from '../../../text/tokenize.ts';
import { termAnalyzer } from '../view/analyzers.ts';
import { PLAIN_SEARCH, resolveRequest } from './request.ts';
import { SearchFixture } from './test-fixture.ts';
import { wordsRetriever } from './words-retriever.ts';

describe('a search without lang (decision D-144)', () => {
  let fixture: SearchFixture;
  beforeEach(async () => {
    fixture = await SearchFixture.open('sql.js');
  });
  afterEach(() => fixture.close());

  const add = (key: string, lang: string, contentMd: string, meta: Record<string, string[]> = {}) =>
    fixture.add(key, contentMd, meta, { lang });
  const keys = async (query: string, more: object = {}) => (await fixture.keys(query, more)).sort();

  describe('in a collection of several languages', () => {
    beforeEach(async () => {
      await add('de', 'de_DE', 'Alte Häuser stehen leer, die Katze läuft');
      await add('de2', 'de', 'running ist ein englisches Wort');
      await add('en', 'en', 'Hauser Castings is running a die shop');
      await add('en2', 'en-GB', 'the cats and a house');
      await add('pl', 'pl', 'Stare książki leżą na stole');
      await add('xx', 'xx', 'the cats of an unknown language');
    });

    it('finds inflections in documents of the language that has them, and leaves the others alone', async () => {
      expect(await keys('Haus')).toEqual(['de']);
      expect(await keys('runs')).toEqual(['en']);
      expect(await keys('running')).toEqual(['de2', 'en']);
      expect(await keys('książek')).toEqual(['pl']);
      expect(await keys('haus cat książkami')).toEqual(['de', 'en2', 'pl']);
      expect(await keys('haus cats')).toEqual(['de', 'en2', 'xx']);
    });

    it('names one language for all documents where the request has one', async () => {
      expect(await keys('Haus', { lang: 'de' })).toEqual(['de', 'en']);
      expect(await keys('runs', { lang: 'en' })).toEqual(['de2', 'en']);
      expect(await keys('książek', { lang: 'en' })).toEqual([]);
    });

    it('has stop words in their own language only', async () => {
      expect(await keys('+die +haus')).toEqual(['de']);
      expect(await keys('+die +running')).toEqual(['de2', 'en']);
      expect(await keys('running -die')).toEqual(['de2']);
    });

    it('looks for stop words where a query has nothing else', async () => {
      expect(await keys('die')).toEqual(['de', 'en']);
      expect(await keys('die der')).toEqual(['de', 'en']);
      expect(await keys('the')).toEqual(['en2', 'xx']);
    });

    it.each([['"altes Haus"', ['de']], ['"house Haus"', []], ['"Haus alt"~3', ['de']], ['haus*', ['de', 'en']], [
      '(Haus OR cats) AND NOT house',
      ['de', 'xx'],
    ], ['NOT Haus', ['de']], ['haus~1 AND alt', ['de']]])('in every mode: %s',
      async (query, found) => expect(await keys(query)).toEqual(found));

    it('allows edits in all of them', async () => {
      expect(await keys('Katzze', { fuzzy: 1 })).toEqual(['de']);
      expect(await keys('catz', { fuzzy: 1 })).toEqual(['en2', 'xx']);
    });

    it('names and marks what a document matches in its own language', async () => {
      const { results } = await fixture.find('haus running', { highlight: true });
      const found = Object.fromEntries(
        results.map((
          { document, matchedTerms, highlights },
        ) => [document.key, { matchedTerms, fragment: highlights![0]!.fragment }]),
      );
      expect(found).toEqual({
        de: { matchedTerms: ['haus'], fragment: 'Alte <mark>Häuser</mark> stehen leer, die Katze läuft' },
        de2: { matchedTerms: ['running'], fragment: '<mark>running</mark> ist ein englisches Wort' },
        en: { matchedTerms: ['running'], fragment: 'Hauser Castings is <mark>running</mark> a die shop' },
      });
    });

    it('says which languages it read the query in, that of most documents first', async () => {
      expect(await fixture.find('haus')).toMatchObject({
        lang: 'en',
        langs: ['en', 'de', 'pl', 'und'],
        stemmingActive: true,
      });
      expect(await fixture.find('haus', { lang: 'de_AT' })).toMatchObject({ lang: 'de', langs: ['de'] });
      for (const i of [1, 2, 3]) await add(`more${i}`, 'pl', 'słowo');
      await fixture.call('deleteDocument', { collection: 'c', key: 'de', lang: 'de_DE' });
      expect(await fixture.find('haus')).toMatchObject({ lang: 'pl', langs: ['pl', 'en', 'de', 'und'] });
    });

    it('expands a query by the neighbours of each language', async () => {
      for (const i of [1, 2]) {
        await add(`wave${i}`, 'en', 'shock wave');
        await add(`welle${i}`, 'de', 'shock Welle');
      }
      await add('en3', 'en', 'a wave, no Welle');
      await add('de3', 'de', 'Wellen am Strand');
      await add('de4', 'de', 'wave am Strand');
      expect(await keys('shock', { algorithm: 'pmisparse' })).toEqual(['de3', 'en3', 'wave1', 'wave2', 'welle1',
        'welle2']);
    });

    it('survives a restart, and knows of documents that went', async () => {
      await fixture.search.view.stop();
      await fixture.search.view.start();
      await fixture.search.view.settled();
      expect(await keys('Haus')).toEqual(['de']);
      await fixture.call('deleteDocument', { collection: 'c', key: 'pl', lang: 'pl' });
      expect((await fixture.find('Haus')).langs).toEqual(['en', 'de', 'und']);
    });

    it('ranks words for other searches alike', async () => {
      const { deps } = fixture.search;
      const request = resolveRequest(deps, { ...PLAIN_SEARCH, collection: 'c', query: 'Haus', algorithm: 'bm25' });
      const { hits } = await wordsRetriever(deps, request).candidates({ eligible: undefined, factors: undefined }, {
        limit: 10,
      });
      expect(hits).toHaveLength(1);
    });

    it('reads words as they are where stemming is off', async () => {
      expect(await keys('haus', { disableStem: true })).toEqual([]);
      expect(await keys('hauser', { disableStem: true })).toEqual(['de', 'en']);
      expect(await fixture.find('haus', { disableStem: true })).toMatchObject({ stemmingActive: false });
    });
  });

  it('is read in the one language that the documents have, and else in that of the server', async () => {
    expect(await fixture.find('Haus')).toMatchObject({ lang: 'en', langs: ['en'] });
    await add('de', 'de', 'Alte Häuser');
    expect(await fixture.find('Haus')).toMatchObject({ lang: 'de', langs: ['de'], total: 1 });
    await add('a.ts', 'en', 'const haus = 1;');
    expect(await fixture.find('Haus')).toMatchObject({ langs: ['de'], total: 2 });
  });

  it('scores each document as a scan in its own language does', async () => {
    const word = fc.constantFrom('haus', 'häuser', 'hauser', 'runs', 'running', 'the', 'die', 'książka', 'książek',
      'katze');
    const text = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(' '));
    const lang = fc.constantFrom('en', 'de', 'pl');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ lang, text }), { minLength: 2, maxLength: 8 }), text,
        async (documents, query) => {
          await fixture.call('deleteCollection', { collection: 'c' });
          for (const [i, document] of documents.entries()) await add(`k${i}`, document.lang, document.text);
          const { results } = await fixture.find(query, {
            mode: 'simple',
            algorithm: 'bm25',
            rerank: false,
            limit: 100,
          });
          const found = new Map(results.map(({ document, score }) => [document.key, score]));
          for (const [i, expected] of scan(documents, query).entries()) {
            if (expected === 0) expect(found.has(`k${i}`)).toBe(false);
            else expect(found.get(`k${i}`)! / expected).toBeCloseTo(1, 4);
          }
        }),
      { numRuns: 60 },
    );
  });
});

interface Scanned {
  readonly lang: string;
  readonly text: string;
}

/** BM25 (decision D-82) of each document, 0 for none: the query and all documents as words of its language. */
function scan(documents: readonly Scanned[], query: string): number[] {
  const formsOf = (text: string) => tokenize(text).map(({ form }) => form);
  const average = documents.reduce((sum, { text }) => sum + formsOf(text).length, 0) / documents.length;
  const meaningful = (lang: string) => formsOf(query).filter((form) => !defaultStopWords(lang).has(form));
  return documents.map(({ lang, text }) => {
    const { term } = termAnalyzer(lang, true);
    const frequency = (forms: readonly string[], wanted: string) =>
      forms.filter((form) => term(form) === term(wanted)).length;
    return (meaningful(lang).length === 0 ? formsOf(query) : meaningful(lang)).reduce((sum, wanted) => {
      const tf = frequency(formsOf(text), wanted);
      const df = documents.filter((other) => frequency(formsOf(other.text), wanted) > 0).length;
      const idf = Math.log((documents.length - df + 0.5) / (df + 0.5) + 1);
      return sum + (idf * tf * 2.2) / (tf + 1.2 * (0.25 + (0.75 * formsOf(text).length) / average));
    }, 0);
  });
}
