import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { foldDiacritics } from '../../../text/folding.ts';
import { SearchFixture } from './test-fixture.ts';

/** Inflections and names with accents, by language. */
const WORDS: Readonly<Record<string, string>> = {
  es: 'información informaciones imágenes imagen configuración instalación ejecución ejecuciones María mar jóvenes',
  fr: 'sécurité sécurités données donnée fonctionnalités fonctionnalité élève préférées qualité été',
  pt: 'configuração configurações função funções informações você órgão mãe mães',
  de: 'Müller Häuser Haus Schlüter Seitenverhältnisse Größe groß schön schönes',
  it: 'città qualità perché libertà università caffè',
  hu: 'városok város számítógépek számítógép házakban',
  ro: 'înțelegere țări țară frumoasă frumoase școală',
  tr: 'çocuklar çocuk öğrencilerin öğrenci güzel',
  pl: 'książki książka łódź łodzi ćwiczenie ćwiczeń',
  sv: 'människor människan hänsyn ålder åldern',
  da: 'bøger bøgerne århus købe køber',
  fi: 'päivä päivää päivät talossa yötä',
};

describe('how words are written (decisions D-180, D-181)', () => {
  let fixture: SearchFixture;
  beforeEach(async () => {
    fixture = await SearchFixture.open('sql.js');
  });
  afterEach(() => fixture.close());

  const add = (key: string, lang: string, contentMd: string) => fixture.add(key, contentMd, {}, { lang });
  const keys = async (query: string, more: object = {}) => (await fixture.keys(query, more)).sort();

  it.each(Object.entries(WORDS))('%s: without accents, a word of the documents finds what it finds with them',
    async (lang, words) => {
      for (const word of words.split(' ')) await add(word, lang, `${word}.`);
      for (const word of words.split(' ')) {
        const bare = await keys(foldDiacritics(word.toLowerCase()));
        expect(bare, word).toEqual(expect.arrayContaining(await keys(word)));
      }
    });

  it.each([['es', 'informaciones', 'informacion'], ['es', 'imágenes', 'imagen'], ['es', 'examen', 'exámenes'], ['pt',
    'configurações', 'configuracao'], ['fr', 'sécurités', 'securite'], ['fr', 'données', 'donnee'], ['fr', 'cœur',
    'coeurs'], [
    'fr',
    'coeur',
    'cœurs',
  ]])('%s: %s is found by %s', async (lang, text, query) => {
    await add('a', lang, text);
    expect(await keys(query)).toEqual(['a']);
  });

  it('does not take a word of the documents for another with accents', async () => {
    await add('name', 'es', 'Maria');
    await add('sea', 'es', 'el mar');
    expect(await keys('maria')).toEqual(['name']);
  });

  it.each([['de', 'Müller', 'Mueller'], ['de', 'Mueller', 'Müller'], ['de', 'Schlüters', 'Schlueter'], ['de',
    'Seitenverhältnisse', 'Seitenverhaeltnis'], ['de', 'Häuser', 'Haeuser'], ['de', 'Goetheplätze', 'goetheplaetze'], [
    'de',
    'Straße',
    'Strassen',
  ], ['da', 'Århus', 'Aarhus'], ['no', 'Aasen', 'Åsen'], ['da', 'købe', 'koebe'], ['sv', 'Göteborg', 'Goeteborg']])(
    '%s: %s is found by %s',
    async (lang, text, query) => {
      await add('a', lang, text);
      expect(await keys(query)).toEqual(['a']);
    },
  );

  it('reads digraphs as letters only where the documents have a word with them', async () => {
    await add('a', 'de', 'blu');
    await add('b', 'de', 'neu aktuell Frauen Poeten');
    expect(await keys('blue')).toEqual([]);
    expect(await keys('blue frauen')).toEqual(['b']);
    expect(await keys('blue', { lang: 'en' })).toEqual([]);
  });

  it('marks and names what is found', async () => {
    await add('a', 'de', 'Frau Müller');
    await add('b', 'es', 'mucha información');
    const { results: [german] } = await fixture.find('Mueller', { highlight: true });
    expect(german).toMatchObject({ matchedTerms: ['mueller'], highlights: [{ fragment: 'Frau <mark>Müller</mark>' }] });
    const { results: [spanish] } = await fixture.find('informacion', { highlight: true });
    expect(spanish!.highlights![0]!.fragment).toBe('mucha <mark>información</mark>');
  });

  it('finds at least as much without accents, whatever the words', async () => {
    const word = fc.constantFrom(...Object.values(WORDS).flatMap((words) => words.split(' ')));
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(word, { maxLength: 8 }), fc.constantFrom(...Object.keys(WORDS)),
        async (words, lang) => {
          for (const [i, text] of words.entries()) await add(String(i), lang, text);
          for (const text of words) {
            const bare = await keys(foldDiacritics(text.toLowerCase()), { lang });
            expect(bare, text).toEqual(expect.arrayContaining(await keys(text, { lang })));
          }
        }),
      { numRuns: 15 },
    );
  });
});
