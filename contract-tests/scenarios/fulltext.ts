import { expect } from 'vitest';
import { addStopWords, addSynonyms, aggregateDocuments, autocomplete, deleteStopWords, deleteSynonym,
  listFullTextLanguages, listStopWords, listSynonyms, reindexFullText, searchFullText,
  searchFullTextByQuery } from '../../generated/docs/sdk/sdk.gen.ts';
import { refused, succeeded } from '../support/expectations.ts';
import { type DocsContext, type DocsScenarios, store } from './scenario.ts';

async function synonymsOf({ client, collection }: DocsContext) {
  return succeeded(await listSynonyms({ client, query: { collection } }));
}

async function add({ client, collection }: DocsContext, term: string, synonyms: string[]): Promise<void> {
  expect(succeeded(await addSynonyms({ client, body: { collection, term, synonyms } }))).toEqual({ status: 'ok' });
}

async function stopWordsOf({ client, collection }: DocsContext) {
  return succeeded(await listStopWords({ client, query: { collection } }));
}

/** Searches, dictionaries, languages and counts (contract, section 4, "Full-text search"). */
export const fulltext: DocsScenarios = {
  async searchFullText(context) {
    const { client, direct, collection } = context;
    await store(context, {
      key: 'a',
      contentMd: '# Hello\n\nFirst post.',
      meta: { category: ['news'], tags: ['release', 'a <post>'] },
    });
    await store(context, { key: 'b', contentMd: 'Posts and more of them', meta: { category: ['blog'] } });
    await add(context, 'entry', ['post']);
    const body = {
      collection,
      query: 'entry',
      limit: 1,
      highlight: true,
      facetBy: ['category'],
      rangeMeta: [{ field: 'addedAt', gte: '2020-01-01' }],
      boost: { 'tags:release': 5 },
    };
    const answer = succeeded(await searchFullText({ client, body }));
    expect(answer).toMatchObject({
      total: 1,
      totalMatches: 2,
      algorithm: 'tfidf',
      mode: 'simple',
      lang: 'en',
      stemmingActive: true,
      synonymsActive: true,
      facets: { category: [{ value: 'blog', count: 1 }, { value: 'news', count: 1 }] },
    });
    expect(answer.results[0]).toMatchObject({
      document: { key: 'a', contentMd: '# Hello\n\nFirst post.' },
      matchedTerms: ['entry'],
    });
    const ofTag = {
      field: 'meta.tags',
      valueIndex: 1,
      matchedTerms: ['entry'],
      startOffset: 0,
      endOffset: 8,
      startLine: 1,
      endLine: 1,
    };
    expect(answer.results[0]!.highlights).toEqual([{
      field: 'content',
      fragment: '# Hello\n\nFirst <mark>post</mark>.',
      matchedTerms: ['entry'],
      startOffset: 0,
      endOffset: 20,
      startLine: 1,
      endLine: 3,
    }, { ...ofTag, fragment: 'a <post>' }]);
    const escaped = succeeded(await searchFullText({ client, body: { ...body, highlightEscape: 'html' } }));
    expect(escaped.results[0]!.highlights!.at(-1)).toEqual({ ...ofTag, fragment: 'a &lt;post&gt;' });
    expect(
      refused(await searchFullText({ client, body: { collection, query: 'a AND (b', mode: 'expression' } }), 400,
        'invalid_argument').error,
    ).toContain('byte 6');
    refused(await searchFullText({ client: direct, body: { collection } as never }), 400, 'missing_fields');
  },

  async searchFullTextByQuery(context) {
    const { client, direct, collection } = context;
    await store(context, { key: 'a', contentMd: 'First post', meta: { category: ['news'] } });
    await store(context, { key: 'b', contentMd: 'Second post', meta: { category: ['blog'] } });
    const { results, totalMatches } = succeeded(
      await searchFullTextByQuery({ client, query: { collection, query: '"second post"', includeContent: false } }),
    );
    expect({ keys: results.map(({ document }) => document.key), totalMatches }).toEqual({
      keys: ['b'],
      totalMatches: 1,
    });
    expect(results[0]!.document).not.toHaveProperty('contentMd');
    refused(await searchFullTextByQuery({ client: direct, query: { collection } }), 400, 'missing_fields');
  },

  async reindexFullText(context) {
    const { client, direct, collection } = context;
    await store(context, { key: 'a' });
    await store(context, { key: 'b' });
    expect(succeeded(await reindexFullText({ client, query: { collection } }))).toEqual({ reindexed: 2, collection });
    refused(await reindexFullText({ client: direct, query: {} as never }), 400, 'missing_fields');
  },

  async autocomplete(context) {
    const { client, collection } = context;
    await store(context, { key: 'a', contentMd: 'posts posting' });
    await store(context, { key: 'b', contentMd: 'posts' });
    expect(succeeded(await autocomplete({ client, query: { collection, q: 'Pos', field: 'content' } }))).toEqual({
      items: [{ term: 'posts', field: 'content', docCount: 2 }, { term: 'posting', field: 'content', docCount: 1 }],
      total: 2,
      query: 'Pos',
      field: 'content',
    });
  },

  async addSynonyms(context) {
    const { direct, collection } = context;
    await add(context, 'Post', ['article', 'entry']);
    await add(context, 'post', ['note', 'ARTICLE']);
    expect(await synonymsOf(context)).toEqual({ collection, synonyms: { post: ['article', 'entry', 'note'] } });
    refused(await addSynonyms({ client: direct, body: { collection, term: 'post' } as never }), 400, 'missing_fields');
  },

  async listSynonyms(context) {
    const { collection } = context;
    expect(await synonymsOf(context)).toEqual({ collection, synonyms: {} });
    await add(context, 'car', ['automobile']);
    expect(await synonymsOf(context)).toEqual({ collection, synonyms: { car: ['automobile'] } });
  },

  async deleteSynonym(context) {
    const { client, collection } = context;
    await add(context, 'car', ['automobile']);
    await add(context, 'ship', ['boat']);
    for (let i = 0; i < 2; i++)
      expect(succeeded(await deleteSynonym({ client, body: { collection, term: 'CAR' } }))).toEqual({ status: 'ok' });
    expect((await synonymsOf(context)).synonyms).toEqual({ ship: ['boat'] });
  },

  async listStopWords(context) {
    const { collection } = context;
    const { entries, total, defaults, custom, collection: named } = await stopWordsOf(context);
    expect({ named, custom }).toEqual({ named: collection, custom: 0 });
    expect([total, defaults]).toEqual([entries.length, entries.length]);
    expect(entries).toContainEqual({ word: 'the', isDefault: true });
    expect(entries.map(({ word }) => word)).toEqual(entries.map(({ word }) => word).sort());
  },

  async addStopWords(context) {
    const { client, direct, collection } = context;
    const { total } = await stopWordsOf(context);
    expect(succeeded(await addStopWords({ client, body: { collection, words: ['Lorem', 'the'] } }))).toEqual({
      status: 'ok',
      added: 1,
    });
    const after = await stopWordsOf(context);
    expect(after).toMatchObject({ total: total + 1, custom: 1 });
    expect(after.entries).toContainEqual({ word: 'lorem', isDefault: false });
    refused(await addStopWords({ client: direct, body: { collection, words: [] } }), 400, 'invalid_argument');
  },

  async deleteStopWords(context) {
    const { client, collection } = context;
    const { total } = await stopWordsOf(context);
    succeeded(await addStopWords({ client, body: { collection, words: ['lorem'] } }));
    expect(succeeded(await deleteStopWords({ client, body: { collection, words: ['lorem', 'The'] } }))).toEqual({
      status: 'ok',
      deleted: 2,
    });
    expect(await stopWordsOf(context)).toMatchObject({ total: total - 1, custom: 0 });
    expect(succeeded(await addStopWords({ client, body: { collection, words: ['the'] } }))).toEqual({
      status: 'ok',
      added: 1,
    });
    expect(await stopWordsOf(context)).toMatchObject({ total, custom: 0 });
  },

  async listFullTextLanguages({ client }) {
    const { languages, defaultLang } = succeeded(await listFullTextLanguages({ client }));
    expect(languages.map(({ code }) => code)).toEqual(['en', 'pl', 'cs', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'ru', 'sv',
      'no', 'da', 'fi', 'hu', 'ro', 'tr', 'ar', 'ta', 'bg', 'uk', 'sr', 'el', 'lt', 'ga', 'hy', 'hi', 'ne', 'id']);
    expect(languages).toContainEqual({ code: 'de', name: 'German' });
    expect(defaultLang).toBe('en');
  },

  async aggregateDocuments(context) {
    const { client, direct, collection } = context;
    const { addedAt } = await store(context, { key: 'a', meta: { category: ['news'], tags: ['release', 'api'] } });
    await store(context, { key: 'b', meta: { category: ['news'], tags: ['api'] } });
    await store(context, { key: 'c', lang: 'de', meta: { category: ['blog'], tags: ['release'] } });
    const body = {
      collection,
      filterMeta: { category: ['news'] },
      facets: [{ field: 'tags' }, { field: 'lang' }, { field: 'none' }],
      histograms: [{ field: 'addedAt' as const, interval: 'year' as const }],
    };
    const { histograms, ...rest } = succeeded(await aggregateDocuments({ client, body }));
    expect(rest).toMatchObject({
      collection,
      totalDocs: 2,
      facets: {
        tags: [{ value: 'api', count: 2 }, { value: 'release', count: 1 }],
        lang: [{ value: 'en', count: 2 }],
        none: [],
      },
    });
    const [bucket] = histograms['addedAt']!;
    expect(bucket).toMatchObject({ key: new Date(addedAt * 1000).toISOString().slice(0, 4) });
    expect(bucket!.from).toBeLessThanOrEqual(addedAt);
    expect(bucket!.to).toBeGreaterThan(addedAt);
    refused(await aggregateDocuments({ client: direct, body: { collection, maxFacetSize: 0 } }), 400,
      'invalid_argument');
    expect(
      refused(await aggregateDocuments({ client, body: { collection, facets: [{ field: 'a' }, { field: 'a' }] } }), 400,
        'invalid_argument').error,
    ).toContain('facets');
  },
};
