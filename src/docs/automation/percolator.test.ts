import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AutomationFixture } from '../../testkit/automation-fixture.ts';
import { Percolator } from './percolator.ts';
import type { Conditions } from './rule.ts';
import { scoreOf, wordsOf } from './search.ts';

const WORDS = ['router', 'routers', 'café', 'cafe', 'broken', 'the', 'running', 'run', 'getUserName', 'user',
  'informacion', 'información', 'imagen', 'Mueller', 'Müller', 'node.js', 'nodejs', 'node', 'js', 'event', 'listener',
  'addEventListener', 'popups', 'v1.2', '.NET', 'net', 'ASP.NET', 'asp.net'];
const OPERATORS = ['"broken router"', '"router broken"~3', 'run*', 'ruter~1', 'AND', 'OR', 'NOT', '-the', '(', ')'];

describe('percolation', () => {
  let fixture: AutomationFixture;
  let number = 0;
  beforeAll(async () => {
    fixture = await AutomationFixture.open();
  });
  afterAll(() => fixture.close());

  const conditions = (query: string): Conditions => ({
    collection: 'c',
    searchType: 'fts',
    query,
    threshold: 0,
    sentimentEnabled: false,
    sentimentMin: -1,
    sentimentMax: 1,
    conditionLogic: 'and',
  });
  const readingsOf = (query: string) => {
    try {
      return wordsOf(fixture.searchDeps.words, conditions(query), 'c', { forAny: true }).plan.readings;
    } catch {
      return undefined;
    }
  };

  /** The candidates among some queries for a written document, and those of them that match it. */
  async function compared(queries: readonly string[],
    document: { lang: string; meta: Record<string, string[]>; contentMd: string })
  {
    const key = `d${number++}`;
    await fixture.documents.write(key, document.contentMd, document.meta, { lang: document.lang });
    const { ord } =
      (await fixture.searchDeps.environment.sql.get<{ ord: number }>('SELECT ord FROM documents WHERE id = ?', [
        `c|${key}|${document.lang}`,
      ]))!;
    const index = fixture.searchDeps.words.view.indexOf('c');
    const percolator = new Percolator<string>((form) => index?.documentsWith(form) ?? 0);
    const known = queries.flatMap((query) => {
      const readings = readingsOf(query);
      return readings === undefined ? [] : [{ query, readings }];
    });
    for (const { query, readings } of known) percolator.add(query, { readings });
    const matching: string[] = [];
    for (const { query } of known)
      if (await scoreOf(fixture.searchDeps, conditions(query), 'c', ord, new AbortController().signal) !== undefined)
        matching.push(query);
    return { candidates: await percolator.candidates({ key, ...document }), matching };
  }

  it('leaves out no query that matches, whatever the language or kind of the document', async () => {
    const query = fc.array(fc.constantFrom(...WORDS, ...OPERATORS), { minLength: 1, maxLength: 4 }).map((parts) =>
      parts.join(' ')
    );
    const text = fc.array(
      fc.constantFrom(...WORDS, 'else', 'user_name', 'routeurs', 'informaciones', 'imágenes', 'pop up', 'v1.2.3'),
      {
        minLength: 1,
        maxLength: 6,
      },
    ).map((words) => words.join(' '));
    const meta = fc.constantFrom<Record<string, string[]>>({}, { tags: ['router'] }, {
      title: ['running'],
      lines: ['3'],
    }, { language: ['typescript'], path: ['src/a.ts'] });
    await fc.assert(
      fc.asyncProperty(fc.array(query, { maxLength: 10 }), text, fc.constantFrom('en', 'fr', 'es', 'de', 'xx'), meta,
        async (queries, contentMd, lang, own) => {
          const { candidates, matching } = await compared(queries, { lang, meta: own, contentMd });
          expect([...candidates]).toEqual(expect.arrayContaining(matching));
        }),
      { numRuns: 60 },
    );
  });

  it('finds words as parts of compounds, as searches do (decision D-200)', async () => {
    const queries = ['Verbindung', 'Datenbank', 'verbindung NOT router', 'Netzwerk', '"Verbindung"'];
    const { candidates, matching } = await compared(queries, {
      lang: 'de',
      meta: {},
      contentMd: 'Datenbankverbindungen',
    });
    expect(matching).toEqual(['Verbindung', 'Datenbank', 'verbindung NOT router']);
    expect(candidates).toEqual(new Set(matching));
  });

  it('finds names in other spellings, as searches do, also in the first document that has them', async () => {
    const queries = ['event listener', 'nodejs', 'node js', 'popup', 'pop-up', 'v1.2', 'broken AND node.js'];
    const found = async (contentMd: string) => {
      const { candidates, matching } = await compared(queries, { lang: 'en', meta: {}, contentMd });
      expect([...candidates], contentMd).toEqual(expect.arrayContaining(matching));
      return matching;
    };
    expect(await found('It calls addEventListener once.')).toEqual(['event listener']);
    expect(await found('A broken nodejs.')).toEqual(['nodejs', 'node js', 'broken AND node.js']);
    expect(await found('Use node.js.')).toEqual(['nodejs', 'node js']);
    expect(await found('The pop up of 1.2.3.')).toEqual(['popup', 'pop-up', 'v1.2']);
    const percolator = new Percolator<string>();
    for (const query of queries) if (query !== 'v1.2') percolator.add(query, { readings: readingsOf(query)! });
    const other = { key: 'k', lang: 'en', meta: {}, contentMd: 'Something else that nobody hears.' };
    expect([...await percolator.candidates(other)]).toEqual([]);
  });

  it('asks for every word that is required, and for one of alternatives', async () => {
    const percolator = new Percolator<string>((form) => (form === 'router' ? 0 : 50));
    percolator.add('all', { readings: readingsOf('broken AND router')! });
    percolator.add('any', { readings: readingsOf('broken router')! });
    percolator.add('both', { readings: readingsOf('user AND (broken OR router)')! });
    percolator.add('pattern', { readings: readingsOf('run*')! });
    const of = async (contentMd: string) =>
      [...await percolator.candidates({ key: 'k', lang: 'en', meta: {}, contentMd })].sort();
    expect(await of('broken')).toEqual(['any', 'pattern']);
    expect(await of('routers that broke or are broken')).toEqual(['all', 'any', 'pattern']);
    expect(await of('users of routers')).toEqual(['any', 'both', 'pattern']);
    expect(await of('else')).toEqual(['pattern']);
  });

  it('finds words wherever a long text is cut', async () => {
    const percolator = new Percolator<string>();
    percolator.add('query', { readings: readingsOf('router')! });
    const places = [32_760, 32_764, 32_768, 65_020];
    for (const place of places) {
      const contentMd = `${'x '.repeat(place / 2)}router${' y'.repeat(100)}`;
      expect((await percolator.candidates({ key: 'k', lang: 'en', meta: {}, contentMd })).size, String(place)).toBe(1);
    }
  });
});
