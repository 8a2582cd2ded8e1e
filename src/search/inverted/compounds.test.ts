import { describe, expect, it } from 'vitest';
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
