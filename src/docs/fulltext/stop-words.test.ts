import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { analyzerFor, defaultStopWords } from '../../text/languages/index.ts';
import { DRIVERS, Fixture } from '../documents/test-fixture.ts';
import { createStopWords, isDefault, type StopWords } from './stop-words.ts';

const ENGLISH = defaultStopWords('en');

describe.each(DRIVERS)('stop words over %s (contract section 4, decision D-93)', (driver) => {
  let fixture: Fixture;
  let stopWords: StopWords;
  beforeEach(async () => {
    fixture = await Fixture.open(driver);
    stopWords = createStopWords(fixture.environment, 'en');
    await stopWords.load();
    fixture.use(stopWords.handlers);
  });
  afterEach(() => fixture.close());

  const add = (...words: string[]) => fixture.call('addStopWords', { collection: 'Blog', words });
  const remove = (...words: string[]) => fixture.call('deleteStopWords', { collection: 'blog', words });
  const list = (collection = 'BLOG') => fixture.call('listStopWords', { collection });
  const feed = async () => (await fixture.changes()).map(({ kind, collection }) => `${kind} ${collection}`);

  it('are the defaults of the default language until something is changed', async () => {
    const { entries, ...rest } = await list();
    expect(rest).toEqual({ collection: 'BLOG', total: ENGLISH.size, defaults: ENGLISH.size, custom: 0 });
    expect(entries.map(({ word }) => word)).toEqual([...ENGLISH].sort());
    expect(entries).toContainEqual({ word: 'the', isDefault: true });
    expect(stopWords.stopWordsOf('blog', 'en')).toBe(ENGLISH);
    expect(stopWords.stopWordsOf('blog', 'de_AT')).toBe(defaultStopWords('de'));
    expect(stopWords.stopWordsOf('blog', 'xx').size).toBe(0);
  });

  it('may be added, in any language; repeats and defaults count for nothing', async () => {
    expect(await add('Lorem', 'lorem', 'the', 'ipsum')).toEqual({ status: 'ok', added: 2 });
    expect(await add('LOREM')).toEqual({ status: 'ok', added: 0 });
    const { entries, total, custom } = await list();
    expect({ total, custom }).toEqual({ total: ENGLISH.size + 2, custom: 2 });
    expect(entries.filter(({ isDefault: own }) => !own)).toEqual([{ word: 'ipsum', isDefault: false }, {
      word: 'lorem',
      isDefault: false,
    }]);
    for (const lang of ['en', 'fr']) expect(stopWords.stopWordsOf('blog', lang).has('lorem')).toBe(true);
    expect(stopWords.stopWordsOf('wiki', 'en').has('lorem')).toBe(false);
    expect(await feed()).toEqual(['stopwords.put blog']);
  });

  it('may be deleted: own ones go, defaults get an exception of this collection', async () => {
    await add('lorem');
    expect(await remove('Lorem', 'THE', 'nonsensical')).toEqual({ status: 'ok', deleted: 2 });
    expect(await remove('lorem', 'the')).toEqual({ status: 'ok', deleted: 0 });
    expect(await list()).toMatchObject({ total: ENGLISH.size - 1, defaults: ENGLISH.size - 1, custom: 0 });
    expect(stopWords.stopWordsOf('blog', 'en').has('the')).toBe(false);
    expect(await list('wiki')).toMatchObject({ total: ENGLISH.size });
  });

  it('withdraw an exception when the word is added again', async () => {
    await remove('the');
    expect(await add('the')).toEqual({ status: 'ok', added: 1 });
    expect(await list()).toMatchObject({ total: ENGLISH.size, custom: 0 });
    expect(await fixture.count('stop_words')).toBe(0);
  });

  it('of other languages can be excepted too', async () => {
    expect(await remove('und')).toEqual({ status: 'ok', deleted: 1 });
    expect(stopWords.stopWordsOf('blog', 'de').has('und')).toBe(false);
    expect(await list()).toMatchObject({ total: ENGLISH.size });
    expect(await add('und')).toEqual({ status: 'ok', added: 1 });
    expect(stopWords.stopWordsOf('blog', 'en').has('und')).toBe(true);
  });

  it('are what the analyzer takes, however they are written', async () => {
    await add('Straße', 'CAFE\u0301');
    await remove('DON’T');
    const analyzer = analyzerFor('en', { stemming: false, stopWords: stopWords.stopWordsOf('blog', 'en') });
    expect(['strasse', 'caf\u00e9', "don't", 'street'].map((form) => analyzer.term(form))).toEqual([undefined,
      undefined, 'dont', 'street']);
  });

  it('survive a restart, and keep their sets until they change', async () => {
    await add('lorem');
    const before = stopWords.stopWordsOf('blog', 'en');
    expect(stopWords.stopWordsOf('Blog', 'en_US')).toBe(before);
    await remove('the');
    const later = createStopWords(fixture.environment, 'en');
    await later.load();
    for (const current of [stopWords, later]) {
      expect(current.stopWordsOf('blog', 'en')).not.toBe(before);
      expect(current.stopWordsOf('blog', 'en')).toEqual(
        new Set([...ENGLISH, 'lorem'].filter((word) => word !== 'the')),
      );
    }
  });

  it('follow the default language of the server', async () => {
    const german = createStopWords(fixture.environment, 'de');
    await german.load();
    fixture.use(german.handlers);
    expect(await list()).toMatchObject({ total: defaultStopWords('de').size });
    expect(await add('und', 'the')).toEqual({ status: 'ok', added: 1 });
  });

  it('refuse what no text can contain, and an endless list', async () => {
    await expect(add('a', '...')).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'words[1] must contain a letter or a digit',
    });
    await expect(add()).rejects.toMatchObject({ status: 400 });
    expect(await remove('...')).toEqual({ status: 'ok', deleted: 0 });
    const many = (from: number) => Array.from({ length: 10_000 }, (_, i) => `word${from + i}`);
    for (let i = 0; i < 5; i++) expect(await add(...many(i * 10_000))).toMatchObject({ added: 10_000 });
    await expect(add('lorem')).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'a collection has at most 50000 stop words and exceptions of its own',
    });
  });
});

describe('stop words against a plain model', () => {
  const word = fc.constantFrom('the', 'and', 'und', 'lorem', 'ipsum');
  const step = fc.record({ adds: fc.boolean(), words: fc.array(word, { minLength: 1, maxLength: 3 }) });

  it('added words are stop words in every language, deleted ones in none', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
      const fixture = await Fixture.open('sql.js');
      const stopWords = createStopWords(fixture.environment, 'en');
      fixture.use(stopWords.handlers);
      // Whether a word was last added or deleted; unknown words have their languages' defaults.
      const last = new Map<string, boolean>();
      const isStop = (lang: string, w: string) =>
        last.get(w) === true || (last.get(w) === undefined && defaultStopWords(lang).has(w));
      for (const { adds, words } of steps) {
        await fixture.call(adds ? 'addStopWords' : 'deleteStopWords', { collection: 'blog', words });
        for (const w of words) {
          // Adding a default of the default language does not affect other languages.
          if (adds && ENGLISH.has(w)) last.delete(w);
          else if (adds || isDefault(w)) last.set(w, adds);
          else last.delete(w);
        }
        for (const lang of ['en', 'de']) {
          for (const w of ['the', 'and', 'und', 'lorem', 'ipsum'])
            expect(stopWords.stopWordsOf('blog', lang).has(w), `${w} in ${lang}`).toBe(isStop(lang, w));
        }
      }
      await fixture.close();
    }), { numRuns: 25 });
  });
});
