import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formsOf } from '../tokenize.ts';
import { analyzerFor, defaultStopWords, LANGUAGES, primaryLanguage, resolveLanguage,
  stemmingAvailable } from './index.ts';

const terms = (lang: string, text: string, stemming = true,
  stopWords: ReadonlySet<string> | 'default' | 'none' = 'default'): string[] =>
{
  const analyzer = analyzerFor(lang, { stemming, stopWords });
  return formsOf(text).map((form) => analyzer.term(form)).filter((term) => term !== undefined);
};

describe('the languages (decision D-80)', () => {
  it('are 29, each with a name, stop words and a stemmer', () => {
    expect(LANGUAGES.map(({ code }) => code).join(' ')).toBe(
      'en pl cs de fr es it pt nl ru sv no da fi hu ro tr ar ta bg uk sr el lt ga hy hi ne id',
    );
    for (const { code, name } of LANGUAGES) {
      expect(name).toMatch(/^[A-Z][a-z]+$/);
      // The lists of these two are short.
      expect(defaultStopWords(code).size, code).toBeGreaterThan(code === 'uk' || code === 'hy' ? 18 : 50);
      expect(stemmingAvailable(code), code).toBe(true);
    }
  });

  it.each([['en_US', 'en'], ['EN', 'en'], ['pt-BR', 'pt'], ['nb-NO', 'no'], ['nn', 'no'], [' de ', 'de'], ['eng', 'en'],
    ['deu_DE', 'de'], ['xx', 'und'], ['zh-TW', 'und'], ['', 'fr'], ['english', 'und'], ['_', 'fr'], [undefined, 'fr']])(
      'resolves %j to %s',
      (tag, code) => expect(resolveLanguage(tag, 'fr')).toBe(code),
    );

  it.each([['en', 'connection connected connecting', 'connect'], ['pl', 'książka książek książce ksiazkami', 'ksiazk'],
    ['de', 'Häuser Hauses haus', 'haus'], ['fr', 'continuellement continuelle', 'continuel'], ['es',
    'canciones canción cancion', 'cancion'], ['it', 'abbandonata abbandonate', 'abbandon'], ['pt',
    'organização organizações', 'organiz'], ['nl', 'mogelijkheid mogelijkheden', 'mogelijk'], ['ru',
    'книга книги книгами', 'книг'], ['sv', 'flickorna flickornas', 'flick'], ['no', 'husene husenes', 'hus'], ['da',
    'bøger bøgerne', 'bog'], ['fi', 'talossa talosta', 'talo'], ['hu', 'házakban házak', 'haz'], ['ro',
    'frumoase frumoasă', 'frumoas'], ['tr', 'kitaplar kitap', 'kitap'], ['ar', 'الكتاب كتابها', 'كتاب'], ['ta',
    'மரங்களின் மரங்கள்', undefined], ['bg', 'книга книги книгите', 'книг'], ['uk', 'книга книги книгами', 'книг'], [
    'sr',
    'књига књиге knjige',
    'knjig',
  ], ['el', 'γλώσσα γλώσσες γλωσσα ΓΛΩΣΣΕΣ', 'γλωσσ'], ['lt', 'knyga knygos knygų', 'knyg'], ['ga', 'gcapall capall',
    'capall'], ['hy', 'սիրում սիրել սիրելու', undefined], ['hi', 'लड़का लड़के लड़कों', undefined], [
    'ne',
    'किताब किताबहरू',
    'किताब',
  ], ['id', 'membaca dibaca bacaan', 'baca']])('%s: the inflected forms %j meet', (lang, text, stem) => {
    const found = new Set(terms(lang, text));
    expect(found.size).toBe(1);
    if (stem !== undefined) expect([...found]).toEqual([stem]);
  });
});

describe('stems that are ours, or that ours correct', () => {
  it.each([['ar', 'ملف الملفات والملفات ملفاتهم'], ['ar', 'سيارة السيارات سيارته'], ['ar',
    'كتاب كتابا كتب الكتب وكتبه'], [
    'ar',
    'مدرسة المدارس مدارسنا',
  ], ['ar', 'سؤال أسئلة الأسئلة'], ['cs', 'kniha knihy knize knihou'], ['cs', 'soubor souboru soubory souborech'], ['cs',
    'uživatel uživatelé uživatelů'], [
    'cs',
    'majetek majetku',
  ], [
    'el',
    'σύστημα συστήματα συστημάτων',
  ], ['el', 'πληροφορία πληροφορίες'], ['el', 'διάκριση διακρίσεις'], ['el', 'παιδί παιδιά'], ['el',
    'επιστημονικός επιστημονική επιστημονικά'], ['de', 'arbeitet arbeiten'], ['de', 'öffnet öffnen'], ['tr',
    'dosya dosyası dosyalar'], ['tr', 'adres adresi adresler'], ['es', 'arte artes'], ['es', 'voz voces'], ['es',
    'mujer mujeres'], ['fi', 'talo talon taloissa taloja'], ['fi', 'asetus asetuksen asetukset asetusten'], [
    'fi',
    'ihminen ihmisen ihmisiä',
  ], ['fi', 'vapaus vapauden vapautta vapauteen'], ['fi', 'tiede tieteen'], ['fi', 'salasana salasanan salasanat'], [
    'fi',
    'opiskelija opiskelijoiden',
  ], ['fi', 'palkka palkan'], ['hi', 'हिन्दी हिंदी'], ['hi', 'फ़ाइल फाइलें'], ['it', 'arte arti'], ['it', 'banca banche'], [
    'nl',
    'straf straffen',
  ], ['no', 'hjem hjemmet'], ['pl', 'opinia opinie opinii'], ['tr', 'kültür kültürü kültürler'], ['nl', 'huis huizen'],
    ['nl', 'brief brieven'], ['nl', 'vakantie vakanties'], ['pt', 'religião religiões religioes'], [
    'pt',
    'jornal jornais',
  ], ['pt', 'papel papéis'], ['sv', 'hus huset husen'], ['sv', 'hem hemmet'], ['sv', 'program programmet'], ['tr',
    'ücret ücrete ücretler'], [
    'tr',
    'salata salatalar',
  ]])('%s: the forms %j meet', (lang, text) => expect(new Set(terms(lang, text)).size).toBe(1));

  it.each([['cs', 'kniha kněz'], ['nl', 'huis huid'], ['sv', 'paket pake'], ['sv', 'nyhet ny'], ['de',
    'Magnet Magnolie'], ['de', 'Planet planen'], [
    'sv',
    'nationalitet national',
  ], ['ar', 'كتاب كاتب']])('%s: the words %j differ', (lang, text) => expect(new Set(terms(lang, text)).size).toBe(2));
});

describe('analyzerFor', () => {
  it('drops stop words, also behind an elision and before a possessive', () => {
    expect(terms('en', "The engines don't stop: that's a fact")).toEqual(['engin', 'stop', 'fact']);
    expect(terms('fr', "l'avion qu’ils mangent aujourd'hui")).toEqual(['avion', 'mangent', 'aujourdhui']);
    expect(terms('it', "dell'arte")).toEqual(terms('it', 'arte'));
    expect(terms('tr', "İstanbul'da")).toEqual(['istanbul']);
    expect(terms('pl', 'To jest książka, która ma łódź.')).toEqual(['ksiazk', 'lodz']);
  });

  it('drops Greek stop words with their accents', () => {
    expect(terms('el', 'από την γλώσσα')).toEqual(['γλωσσ']);
  });

  it('takes no stop words, or those it is given', () => {
    expect(terms('en', 'the cat', true, 'none')).toEqual(['the', 'cat']);
    expect(terms('en', 'the cat', true, new Set(['cat']))).toEqual(['the']);
  });

  it('folds but does not stem when stemming is off, and says so', () => {
    expect(terms('en', 'Running naïvely', false)).toEqual(['running', 'naively']);
    expect(analyzerFor('en', { stemming: false, stopWords: 'none' }).stemmingActive).toBe(false);
    expect(analyzerFor('xx', { stemming: true, stopWords: 'none' }).stemmingActive).toBe(false);
    expect(analyzerFor('en', { stemming: true, stopWords: 'none' }).stemmingActive).toBe(true);
    expect(terms('xx', "naïve o'clock 漢字")).toEqual(['naive', 'oclock', '汉字']);
  });

  it('meets a word that was typed without its accents', () => {
    expect(terms('en', 'naïve cafés résumé')).toEqual(terms('en', 'naive cafes resume'));
    expect(terms('ru', 'ёлки')).toEqual(terms('ru', 'елки'));
  });

  it('leaves numbers, identifiers and other scripts unstemmed', () => {
    expect(terms('en', 'utf8s 3.14 книги 日本語', true, 'none')).toEqual(['utf8s', '3.14', 'книги', '日本语']);
    expect(terms('ru', 'engines', true, 'none')).toEqual(['engines']);
  });

  it('never throws, never gives an empty term and stays quick, whatever the form', () => {
    const analyzers = LANGUAGES.map(({ code }) => analyzerFor(code, { stemming: true, stopWords: 'none' }));
    const word = fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }),
      fc.array(fc.constantFrom('s', 'ing', 'y', 'e', 'ı', 'ль', 'ا', 'ة', 'ـ', 'க', '்', "'", 'ß', 'iveness'), {
        maxLength: 60,
      }).map((parts) => parts.join('')));
    fc.assert(fc.property(word, (text) => {
      for (const form of formsOf(text)) for (const analyzer of analyzers) expect(analyzer.term(form)).toMatch(/./su);
    }), { numRuns: 200 });
  });
});

describe('primaryLanguage', () => {
  it.each([['en_US', 'en'], ['eng', 'en'], [' De-AT ', 'de'], ['und', 'und'], ['ja', 'ja'], ['x1', 'x1'], [undefined,
    '']])('of %j is %j', (tag, primary) => expect(primaryLanguage(tag)).toBe(primary));
});
