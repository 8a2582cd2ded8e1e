import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mostWork } from '../../../testkit/work-counter.ts';
import { SearchFixture } from './test-fixture.ts';

describe('compounds in a search (decision D-200)', () => {
  let fixture: SearchFixture;
  const keys = async (query: string, more: object = {}) => (await fixture.keys(query, more)).sort();

  beforeAll(async () => {
    fixture = await SearchFixture.open('node:sqlite');
    const add = (key: string, lang: string, text: string) => fixture.add(key, text, {}, { lang });
    await add('word', 'de', 'Hier steht eine Verbindung.');
    await add('compound', 'de', 'Hier steht die Datenbankverbindung.');
    await add('database', 'de', 'Hier steht eine Datenbank.');
    await add('failure', 'de', 'Hier steht ein Datenbankverbindungsfehler.');
    await add('other', 'de', 'Hier stehen Fehler.');
    await add('english', 'en', 'Datenbankverbindung is a German word.');
  });
  afterAll(() => fixture.close());

  it('finds them by their parts, behind the documents that have the word itself', async () => {
    expect(await fixture.keys('Verbindung')).toEqual(['word', 'compound', 'failure']);
    expect(await keys('Datenbanken')).toEqual(['compound', 'database', 'failure']);
    expect(await keys('Fehler')).toEqual(['failure', 'other']);
    expect(await keys('Verbindung', { lang: 'de' })).toEqual(['compound', 'english', 'failure', 'word']);
    expect(await keys('Verbindung', { lang: 'en' })).toEqual(['word']);
    expect(await keys('Verbindung', { disableStem: true })).toEqual(['word']);
  });

  it('counts them for all words, but not for what is quoted or excluded', async () => {
    expect(await keys('Datenbank Fehler', { matchingStrategy: 'all' })).toEqual(['failure']);
    expect(await keys('Verbindung AND Datenbank')).toEqual(['compound', 'failure']);
    expect(await keys('"Verbindung"')).toEqual(['word']);
    expect(await keys('Datenbank -Verbindung')).toEqual(['compound', 'database', 'failure']);
    expect(await keys('Datenbank', { fuzzy: 'auto' })).toEqual(['compound', 'database', 'failure']);
  });

  it('finds their parts near each other in any order, behind them', async () => {
    const lang = 'de';
    await fixture.add('apart', 'Die Verbindung zur Datenbank.', {}, { lang, collection: 'apart' });
    await fixture.add('far', `Datenbank ${'und so weiter '.repeat(3)} Verbindung`, {}, { lang, collection: 'apart' });
    await fixture.add('linked', 'Ein Fehler der Verbindung.', {}, { lang, collection: 'apart' });
    await fixture.add('itself', 'Die Datenbankverbindung.', {}, { lang, collection: 'apart' });
    const found = async (query: string) => await fixture.keys(query, { collection: 'apart' });
    expect(await found('Datenbankverbindung')).toEqual(['itself', 'apart']);
    expect(await found('Verbindungsfehler')).toEqual(['linked']);
  });

  it('looks for them with pauses where they are many (decision D-214)', async () => {
    const parts = Array.from({ length: 700 },
      (_, i) => [...i.toString(5).padStart(5, '0')].map((digit) => 'bklmn'[Number(digit)]).join('o'));
    const more = { lang: 'de', collection: 'many' };
    await fixture.add('parts', parts.join(' '), {}, more);
    await fixture.add('whole', parts.map((part, i) => `kabel${part}${parts[(i + 7) % 700]}`).join(' '), {}, more);
    let found: readonly string[] = [];
    const most = await mostWork(async () => {
      found = await fixture.keys('Kabel', { collection: 'many' });
    });
    expect(found).toEqual(['whole']);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(15_000);
  });

  it('names the word, and marks the compound', async () => {
    const { results } = await fixture.find('Verbindung', { highlight: true });
    const compound = results.find(({ document }) => document.key === 'compound');
    expect(compound).toMatchObject({
      matchedTerms: ['verbindung'],
      highlights: [{ fragment: 'Hier steht die <mark>Datenbankverbindung</mark>.' }],
    });
  });
});
