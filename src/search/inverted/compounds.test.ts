import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compoundsWith } from '../../testkit/inverted/compounds.ts';
import { analyzerFor, compoundsOf, spellingsOf } from '../../text/languages/index.ts';
import { formsOf } from '../../text/tokenize.ts';
import { InvertedIndex } from './index.ts';

function analyzerOf(lang: string) {
  const { term } = analyzerFor(lang, { stemming: true, stopWords: 'none' });
  return {
    name: lang,
    term: (form: string) => term(form) ?? form,
    spellings: spellingsOf(lang),
    compounds: compoundsOf(lang),
  };
}

/** An index with some words, and what it finds as compounds of another. */
function compoundsIn(lang: string, words: string) {
  const analyzer = analyzerOf(lang);
  const index = new InvertedIndex();
  index.add(0, [{ field: 0, text: words }], analyzer);
  return {
    index,
    analyzer,
    of: (word: string) => index.compounds(analyzer, formsOf(word)[0]!).map((id) => index.textOf(id)).sort(),
  };
}

describe('compounds (decision D-200)', () => {
  it.each([
    ['de', 'Datenbank Verbindung Fehler Datenbankverbindung Verbindungsfehler Datenbankverbindungsfehlern',
      'Verbindungen', 'datenbankverbindung datenbankverbindungsfehlern verbindungsfehler'],
    ['de', 'Haus Häuser Block Häuserblock Hochhäuser Hausblock hoch', 'Haus', 'hausblock hochhäuser häuserblock'],
    ['de', 'Sprache Fehler Sprachfehler', 'Sprache', 'sprachfehler'],
    ['de', 'Sprache Fehler Sprachfehler', 'Fehler', 'sprachfehler'],
    ['de', 'Seitenverhältnis Seiten', 'Verhaeltnis', 'seitenverhältnis'],
    ['nl', 'gegevens verbinding gegevensverbinding stad bestuur stadsbestuur', 'bestuur', 'stadsbestuur'],
    ['nl', 'verzekering maatschappij verzekeringsmaatschappij', 'verzekering', 'verzekeringsmaatschappij'],
    ['sv', 'arbete plats arbetsplats skola gård skolgård', 'arbete', 'arbetsplats'],
    ['sv', 'skola gården skolgården', 'skola', 'skolgården'],
    ['da', 'arbejde plads arbejdsplads arbejdspladsen', 'plads', 'arbejdsplads arbejdspladsen'],
    ['no', 'arbeid plass arbeidsplass arbeidsplassen', 'arbeid', 'arbeidsplass arbeidsplassen'],
    ['fi', 'tietokanta yhteys tietokantayhteys', 'yhteys', 'tietokantayhteys'],
    ['fi', 'auto kauppa autokauppa autonkuljettaja kuljettaja', 'auto', 'autokauppa autonkuljettaja'],
    ['hu', 'adatbázis kapcsolat adatbáziskapcsolatok', 'kapcsolat', 'adatbáziskapcsolatok'],
    ['hu', 'adatbázis kapcsolat adatbáziskapcsolatok', 'adatbázis', 'adatbáziskapcsolatok'],
  ])('%s: in "%s", "%s" is a part of "%s"', (lang, words, word, compounds) => {
    expect(compoundsIn(lang, words).of(word)).toEqual(compounds.split(' '));
  });

  it.each([
    ['Wachtraum Wacht Raum Wach Traum', 'Raum'],
    ['Staubecken Staub Ecken Stau Becken', 'Ecken'],
    ['Staubecken Staub Ecken Stau Becken', 'Staub'],
    ['Urinstinkt Urin stinkt Instinkt', 'Urin'],
    ['Urinstinkt Urin stinkt Instinkt', 'stinkt'],
    ['Datenbankverbindung Datenbank Verbindung Bindung', 'Bindung'],
    ['Verbindung Bindung Einstellung Stellung', 'Bindung'],
    ['Nachrichten richten nach', 'richten'],
    ['romantische Nation Kombination Station Manifestation', 'Nation'],
    ['Datenbank', 'Bank'],
    ['Hint hinter Grund Hintergrund', 'Hint'],
    ['Hint hinter Grund Hintergrund', 'Grund'],
    ['Radweg Fahrradweg Rad', 'Rad'],
  ])('does not take "%s" for compounds of "%s"', (words, word) => {
    expect(compoundsIn('de', words).of(word)).toEqual([]);
  });

  it('knows long words beside letters that are no word of the index', () => {
    const { of } = compoundsIn('de', 'Datenbankverbindungen');
    expect(of('Datenbank')).toEqual(['datenbankverbindungen']);
    expect(of('Verbindung')).toEqual(['datenbankverbindungen']);
    expect(of('Daten')).toEqual([]);
  });

  it('has none in languages that write words apart', () => {
    expect(compoundsIn('en', 'data base database').of('base')).toEqual([]);
  });

  it('follows the words of the index', () => {
    const { index, analyzer, of } = compoundsIn('de', 'Gartenzaun');
    expect(of('Zaun')).toEqual([]);
    index.add(1, [{ field: 0, text: 'Garten' }], analyzer);
    expect(of('Zaun')).toEqual(['gartenzaun']);
  });
});

/** Few words, some of which make up others, with links and endings between and behind them. */
const stem = fc.constantFrom('daten', 'bank', 'verbindung', 'bindung', 'sprache', 'haus', 'hint', 'hinter', 'traum',
  'raum', 'wach', 'wacht', 'ecken', 'stau', 'staub', 'müller', 'größe', 'straße', 'ver', 'tür');
const link = fc.constantFrom('', '', 's', 'n', 'en', 'e', 'x');
const ending = fc.constantFrom('', '', 'en', 'er', 's', 'e');
const made = fc.tuple(fc.array(fc.tuple(stem, link), { maxLength: 3 }), stem, ending).map(([parts, last, end]) =>
  `${parts.map((part) => part.join('')).join('')}${last}${end}`
);

/** Distinct words of some letters, which none of them contains. */
function lettersFor(count: number): string[] {
  return Array.from({ length: count },
    (_, i) => [...i.toString(5).padStart(6, '0')].map((digit) => 'bklmn'[Number(digit)]).join('o'));
}

it('are found in steps (decision D-214)', () => {
  const { index, analyzer, of } = compoundsIn('de', 'Daten');
  const others = lettersFor(900);
  const compounds = others.map((other, i) => `daten${other}${others[(i + 7) % 900]}`);
  others.forEach((text, i) => index.add(2 * i + 1, [{ field: 0, text }], analyzer));
  compounds.forEach((text, i) => index.add(2 * i + 2, [{ field: 0, text }], analyzer));
  let steps = 1;
  while (!index.prepareCompounds(analyzer, 'daten')) steps++;
  expect(steps).toBeGreaterThan(2);
  expect(index.knowsCompounds(analyzer, 'daten')).toBe(true);
  expect(of('Daten')).toEqual(compounds.toSorted());
  index.add(5000, [{ field: 0, text: 'neues' }], analyzer);
  expect(index.knowsCompounds(analyzer, 'daten')).toBe(false);
  expect(of('Daten')).toEqual(compounds.toSorted());
});

describe.each(['release', 'debug'] as const)('compounds, %s build', (build) => {
  it('are those that the plain twin finds, in whatever steps', () => {
    fc.assert(
      fc.property(fc.constantFrom('de', 'sv', 'fi'), fc.uniqueArray(made, { minLength: 5, maxLength: 60, size: 'max' }),
        fc.array(fc.string({ unit: fc.constantFrom('a', 'ä', 'é', '𝒳', '1', 'я'), maxLength: 4 }), { maxLength: 5 }),
        made, (lang, words, odd, asked) => {
        const analyzer = analyzerOf(lang);
        const index = new InvertedIndex({ build });
        const all = [...words, ...odd.flatMap((letters) => [`${words[0]}${letters}`, `${letters}${words[1]}`])];
        index.add(0, [{ field: 0, tokens: all.map((form, position) => ({ form, position })) }], analyzer);
        for (const word of [asked, ...words.slice(0, 20)]) {
          const ids = index.group(analyzer, word);
          const term = (form: string) => analyzer.term(form);
          const expected = compoundsWith({
            form: word,
            ids,
            spellings: analyzer.spellings?.customary(word) ?? [],
            termOf: term,
            rules: analyzer.compounds!,
            dictionary: {
              find: (form) => index.form(form),
              wildcard: (pattern, limit) => index.wildcard(pattern, limit),
              text: (id) => index.textOf(id),
            },
            isInflected: (part) =>
              all.some((form) => term(form) === term(part)) || index.unstemmed(term(part)).length > 0,
          });
          expect(index.compounds(analyzer, word).map((id) => index.textOf(id)).sort(), word).toEqual(
            expected.map((id) => index.textOf(id)).sort(),
          );
        }
      }),
      { numRuns: build === 'debug' ? 40 : 100 },
    );
  });
});
