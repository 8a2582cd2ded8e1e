import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { caughtUp } from '../../operations/index.ts';
import { DRIVERS } from '../documents/test-fixture.ts';
import { searchFullText } from '../fulltext/search/search-full-text.ts';
import { SearchFixture } from '../fulltext/search/test-fixture.ts';
import { createSpell, type Spell } from './index.ts';

describe.each(DRIVERS)('spelling over %s (decisions section 4.10)', (driver) => {
  let fixture: SearchFixture;
  let spell: Spell;
  const use = async (settings: { enabled: boolean; maxBytes?: number } = { enabled: true }): Promise<void> => {
    const { base, search } = fixture;
    const environment = { ...base.environment, settings: { ...base.environment.settings, spell: settings } };
    spell = createSpell(environment, { view: search.deps.view });
    await spell.load();
    base.use({
      ...base.documents.handlers,
      ...base.collections.handlers,
      ...search.handlers,
      ...spell.handlers,
      searchFullText: (input, context) => searchFullText({ ...search.deps, spelling: spell.spelling }, input, context),
    }, { caughtUp: caughtUp({ words: search.view }) });
  };
  beforeEach(async () => {
    fixture = await SearchFixture.open(driver);
    await use();
  });
  afterEach(() => fixture.close());

  const suggest = (text: string, more: object = {}) =>
    fixture.call('suggestSpelling', { text, lang: 'en', collection: 'C', ...more });
  const clean = async (text: string, more: object = {}) =>
    (await fixture.call('cleanSpelling', { text, lang: 'en', collection: 'c', ...more })).cleaned;
  const dictionary = (operation: 'addDictionaryWords' | 'deleteDictionaryWords', words: string[], more: object = {}) =>
    fixture.call(operation, { lang: 'en', words, collection: 'c', ...more });

  it('suggests the words of the collection, the nearest first, then the more frequent one', async () => {
    await fixture.add('a', 'Markdown documents and markdowns.');
    await fixture.add('b', 'Markdown again.');
    expect(await suggest('Markdwon documents')).toEqual({
      originalText: 'Markdwon documents',
      suggestedText: 'Markdown documents',
      // One edit in eight letters; two documents have this word, and one the next.
      tokenSuggestions: [{
        token: 'markdwon',
        original: 'Markdwon',
        corrected: 'markdown',
        confidence: 0.58,
        suggestions: ['markdown', 'markdowns'],
      }],
    });
    expect((await suggest('markdwon', { maxSuggestions: 1 })).tokenSuggestions).toMatchObject([{
      suggestions: ['markdown'],
      confidence: 0.58,
    }]);
    expect((await suggest('zzyzx Markdown')).tokenSuggestions).toEqual([{
      token: 'zzyzx',
      original: 'zzyzx',
      corrected: 'zzyzx',
      confidence: 0,
      suggestions: [],
    }]);
  });

  it('cleans prose up and leaves the rest as it is', async () => {
    await fixture.add('a', 'The themes of markdown documents are stored there.');
    expect(
      await clean(
        '# Teh Docuemnts\n\n`docuemnts` are STROED ' +
          '[theer](docuemnts.md)\n\n```\nthre\n```\nhttp://thre.example/docuemnts',
      ),
    ).toBe(
      '# The Documents\n\n`docuemnts` are STORED ' +
        '[there](docuemnts.md)\n\n```\nthre\n```\nhttp://thre.example/docuemnts',
    );
    expect(await fixture.call('cleanSpelling', { text: 'stored there', lang: 'en', collection: 'c' })).toEqual({
      original: 'stored there',
      cleaned: 'stored there',
      correctionsApplied: 0,
    });
  });

  it('follows documents that come and go', async () => {
    expect(await clean('whale wahle')).toBe('whale wahle');
    await fixture.add('a', 'whale');
    expect(await clean('wahle')).toBe('whale');
    await fixture.add('b', 'walrus');
    expect(await clean('walrsu')).toBe('walrus');
    await fixture.call('deleteDocument', { collection: 'c', key: 'a', lang: 'en' });
    expect(await clean('wahle')).toBe('wahle');
    expect(spell.bytesOf('C')).toBeGreaterThan(0);
  });

  it('knows the words of all collections where none is named', async () => {
    await fixture.add('a', 'whale');
    await fixture.call('addDocument', { collection: 'other', key: 'b', lang: 'en', contentMd: 'walrus' });
    expect(await clean('wahle walrsu', { collection: undefined })).toBe('whale walrus');
    expect(await clean('wahle walrsu')).toBe('whale walrsu');
  });

  it('knows the words that users add, of a collection or of all, by language, over a restart', async () => {
    await fixture.add('a', 'quite');
    expect(await clean('quire')).toBe('quite');
    expect(await dictionary('addDictionaryWords', ['Quire', 'quire', 'codex'])).toEqual({ status: 'ok', added: 2 });
    expect(await dictionary('addDictionaryWords', ['quire'], { frequency: 7, lang: 'EN', collection: 'C' })).toEqual({
      status: 'ok',
      added: 0,
    });
    expect(await dictionary('addDictionaryWords', ['vellum'], { collection: undefined })).toEqual({
      status: 'ok',
      added: 1,
    });
    await use();
    expect(await fixture.call('listDictionary', { lang: 'en', collection: 'c' })).toEqual({
      collection: 'c',
      lang: 'en',
      words: ['codex', 'quire'],
      entries: [{ word: 'codex', frequency: 100 }, { word: 'quire', frequency: 7 }],
    });
    expect(await fixture.call('listDictionary', { lang: 'en' })).toMatchObject({ collection: '', words: ['vellum'] });
    expect(await fixture.call('listDictionary', { lang: 'de', collection: 'c' })).toMatchObject({ words: [] });
    expect(await clean('quire vellun cdoex')).toBe('quire vellum codex');
    expect(await clean('vellun', { collection: 'other' })).toBe('vellum');
    expect(await clean('vellun', { lang: 'de' })).toBe('vellun');
    expect(await dictionary('deleteDictionaryWords', ['QUIRE', 'none'])).toEqual({ status: 'ok', removed: 1 });
    expect(await clean('cdoex')).toBe('codex');
    expect((await fixture.call('listDictionary', { lang: 'en', collection: 'c' })).words).toEqual(['codex']);
  });

  it('corrects queries where the collection asks for it, but for words that something is found by (decision D-94)', async () => {
    await fixture.add('a', 'Blue whales were swimming in the cold sea.');
    const find = (query: string, more: object = {}) =>
      fixture.call('searchFullText', { collection: 'c', query, ...more });
    expect(await find('blue wahles')).not.toHaveProperty('spellCorrected');
    await fixture.call('setCollectionConfig', { collection: 'c', spellCorrect: true });
    expect(await find('cold wahles')).toMatchObject({
      total: 1,
      spellCorrected: { original: 'cold wahles', corrected: 'cold whales' },
    });
    for (const query of ['blue whale swim', '"blue wahles"', 'wahles AND blue', 'zzyzx'])
      expect(await find(query)).not.toHaveProperty('spellCorrected');
  });

  it('suggests queries for those that find nothing, by its own words and under the same filters', async () => {
    await fixture.add('a', 'A seat by the sea.', { kind: ['note'] });
    const find = (query: string, more: object = {}) =>
      fixture.call('searchFullText', { collection: 'c', query, ...more });
    expect(await find('saet')).toMatchObject({ total: 0, suggestions: ['seat', 'sea'] });
    expect(await find('saet', { filterMeta: { kind: ['other'] } })).not.toHaveProperty('suggestions');
    expect(await find('seat')).not.toHaveProperty('suggestions');
    await use({ enabled: false });
    expect(await find('saet')).toMatchObject({ suggestions: ['seat'] });
  });

  it('keeps to its memory: the rarest words go, and collections that were not asked for', async () => {
    await use({ enabled: true, maxBytes: 1_500_000 });
    const words = Array.from({ length: 6000 },
      (_, i) => `w${[...i.toString(10)].map((digit) => 'qrstuvwxyz'[Number(digit)]).join('')}ord`);
    await fixture.add('many', words.join(' '));
    for (const key of ['x', 'y', 'z']) await fixture.add(key, 'frequent');
    expect(await clean('frequnet')).toBe('frequent');
    expect(spell.bytesOf('c')).toBeLessThan(1_500_000);
    // The word is still known.
    expect(await clean(words[17]!)).toBe(words[17]);
  });

  it('is off unless asked for', async () => {
    await use({ enabled: false });
    await expect(suggest('x')).rejects.toMatchObject({
      status: 400,
      code: 'invalid_argument',
      message: 'spell correction is disabled',
    });
    await expect(fixture.call('listDictionary', { lang: 'en' })).rejects.toThrow('spell correction is disabled');
  });
});
