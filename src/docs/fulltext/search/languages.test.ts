import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { languageSets } from '../../../../bench/languages/sets.ts';
import { SearchFixture } from './test-fixture.ts';

/** Words that no rule of their language finds: irregular ones, and endings that stemmers take for others. */
const NOT_FOUND: Readonly<Record<string, readonly string[]>> = {
  ar: ['امرأة', 'ديانة'],
  cs: ['byty'],
  fr: ['circulent'],
  pl: ['oskarżeni'],
  tr: ['kardeşler', 'kültür'],
};

describe('searches in the words of twenty languages (decisions D-80, D-180 to D-184, D-198, D-199)', () => {
  const sets = languageSets();
  let fixture: SearchFixture;

  beforeAll(async () => {
    fixture = await SearchFixture.open('node:sqlite');
    for (const { lang, documents } of sets) {
      await fixture.call('addDocuments', {
        collection: lang,
        documents: documents.map(({ key, text }) => ({ key, lang, contentMd: text })),
      });
    }
  });
  afterAll(() => fixture.close());

  it.each(sets.map(({ lang, queries }) => ({ lang, queries })))('finds documents in $lang',
    async ({ lang, queries }) => {
      const missed: string[] = [];
      for (const { query, finds } of queries) {
        const found = await fixture.keys(query, { collection: lang, limit: 10 });
        if (!finds.some((key) => found.includes(key))) missed.push(query);
      }
      expect(missed).toEqual(NOT_FOUND[lang] ?? []);
    });
});
