import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { highlightsOf, WordMatchers } from './highlights.ts';
import { resolveRequest } from './request.ts';
import { SearchFixture } from './test-fixture.ts';

const WORDS = ['fox', 'foxes', 'Fox', 'quick', 'quickly', 'brown', 'the', 'of', 'running', 'runs', 'café', 'cafe',
  'getUserName', 'user', 'motor', 'vehicle', 'car', '検索エンジン', 'e\u0301tude', 'Größe', 'größen'];
const JOINTS = [' ', ' ', ' ', '. ', '\n', '\n\n', ' `', '` ', ' [', '](/fox) ', ' <b>', '\n```fox\n', ' *', '-'];
const KEYS = ['prose', 'deutsch', 'code.ts'];

const body = fc.array(fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(...JOINTS)), { maxLength: 60, size: 'max' })
  .map((parts) => parts.flat().join(''));
const word = fc.constantFrom(...WORDS);
const query = fc.oneof(
  fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => ({ mode: 'simple', fuzzy: 0, query: words.join(' ') })),
  fc.tuple(word, fc.constantFrom(1, 2)).map(([one, fuzzy]) => ({ mode: 'simple', fuzzy, query: one })),
  fc.tuple(word, word).map(([a, b]) => ({ mode: 'phrase', fuzzy: 0, query: `"${a} ${b}"` })),
  fc.tuple(word, word).map(([a, b]) => ({ mode: 'proximity', fuzzy: 0, query: `"${a} ${b}"` })),
  fc.tuple(word, word).map(([a, b]) => ({ mode: 'boolean', fuzzy: 0, query: `${a} AND NOT ${b}` })),
  fc.constantFrom('f*', 'qu*k*', '*x*', 'fo?', 'caf?', 'foxes?', 'run*').map((pattern) => ({
    mode: 'wildcard',
    fuzzy: 0,
    query: pattern,
  })),
);

describe('highlights by the forms of the index', () => {
  let fixture: SearchFixture;

  beforeAll(async () => {
    fixture = await SearchFixture.open('node:sqlite');
    await fixture.call('addSynonyms', { collection: 'c', term: 'car', synonyms: ['motor vehicle'] });
  });
  afterAll(() => fixture.close());

  it('are those that comparing each word with the query makes', async () => {
    let shown = 0;
    await fc.assert(
      fc.asyncProperty(body, fc.array(word, { maxLength: 3 }), query, fc.constantFrom(20, 60, 150),
        async (contentMd, tags, asked, fragmentSize) => {
          const langs = { 'prose': 'en', 'deutsch': 'de', 'code.ts': 'en' };
          for (const key of KEYS)
            await fixture.add(key, contentMd === '' ? '-' : contentMd, { tags }, {
              lang: langs[key as keyof typeof langs],
            });
          const options = { highlightTag: '<mark>', maxHighlights: 3, fragmentSize };
          const find = () => fixture.find(asked.query, { ...asked, ...options, highlight: true });
          const { results } = await find();
          // Further searches use remembered passages, from the second occurrence of a body on.
          for (let turn = 0; turn < 2; turn++) expect((await find()).results).toEqual(results);
          const request = resolveRequest(fixture.search.deps,
            { collection: 'c', algorithm: 'tfidf', distance: 5, ...asked } as Parameters<typeof resolveRequest>[1]);
          const matchers = new WordMatchers(request.plan);
          for (const { document, highlights } of results) {
            const { key, lang, meta, contentMd: content } = document as { key: string; lang: string;
              meta: Record<string, string[]>; contentMd: string };
            const matcher = matchers.of({ key, lang, meta })!;
            expect(highlights).toEqual(
              await highlightsOf(request, { ...options, escape: 'none' }, matcher, { key, meta, contentMd: content }),
            );
            shown += highlights!.length;
          }
        }),
      { numRuns: 60 },
    );
    expect(shown).toBeGreaterThan(40);
  });
});
