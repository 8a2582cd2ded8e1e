import { afterEach, describe, expect, it } from 'vitest';
import type { GetStatsResponses } from '../../../generated/docs/sdk/types.gen.ts';
import { type FixtureOptions, GraphqlFixture } from '../../testkit/graphql/graphql-fixture.ts';
import { MAX_BODY_CHARACTERS } from './reads.ts';

let fixture: GraphqlFixture;
const open = async (
  handlers: FixtureOptions['handlers'],
): Promise<GraphqlFixture> => (fixture = await GraphqlFixture.open({ handlers: handlers! }));
afterEach(() => fixture.close());

const document = (key: string, contentMd = '') => ({
  id: `c|${key}|en`,
  key,
  lang: 'en',
  meta: {},
  contentMd,
  addedAt: 1,
  updatedAt: 1,
});
const STATS: GetStatsResponses[200] = {
  databasePath: '',
  databaseSize: 0,
  mode: 'wr',
  collections: [],
  totalDocuments: 0,
  totalRevisions: 0,
  totalMetaIndices: 0,
  uptime: '',
  memory: { resident: 1, heap: 0, buffers: 0, mapped: 0, other: 1 },
};

describe('the reads of one request', () => {
  it('of the same field with the same arguments are one', async () => {
    await open({ getDocument: async ({ key }) => document(key), getStats: async () => STATS });
    const answer = await fixture.ask(`query($key: String!) {
      a: document(collection: "c", key: "a", lang: "en") { key } again: document(lang: "en", collection: "c", key: "a") { id }
      b: document(collection: "c", key: $key, lang: "en") { key } more: document(collection: "c", key: $key, lang: "en") { key }
      s: stats { mode } t: stats { uptime }
    }`, { key: 'b' });
    expect(answer.data).toEqual({
      a: { key: 'a' },
      again: { id: 'c|a|en' },
      b: { key: 'b' },
      more: { key: 'b' },
      s: { mode: 'wr' },
      t: { uptime: '' },
    });
    expect(fixture.invoked.sort()).toEqual(['getDocument', 'getDocument', 'getStats']);
  });

  it('share a failure, too, reported at each field', async () => {
    await open({
      getStats: async () => {
        throw new Error('broken');
      },
    });
    const { errors } = await fixture.ask('{ a: stats { mode } b: stats { mode } }');
    expect(errors!.map(({ path }) => path)).toEqual([['a'], ['b']]);
    expect(fixture.invoked).toEqual(['getStats']);
  });

  it('are not remembered for the next request', async () => {
    await open({ getStats: async () => STATS });
    await fixture.ask('{ stats { mode } }');
    await fixture.ask('{ stats { mode } }');
    expect(fixture.invoked).toHaveLength(2);
  });

  it('run a few at a time', async () => {
    let running = 0;
    let most = 0;
    await open({
      getDocument: async ({ key }) => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return document(key);
      },
    });
    const fields = Array.from({ length: 100 },
      (_, i) => `a${i}: document(collection: "c", key: "k${i}", lang: "en") { key }`);
    const { data } = await fixture.ask(`{ ${fields.join(' ')} }`);
    expect(Object.keys(data!)).toHaveLength(100);
    expect([most, fixture.invoked.length]).toEqual([4, 100]);
  });

  it('do not go on once the bodies of the response are very many', async () => {
    const body = 'x'.repeat(MAX_BODY_CHARACTERS / 4 + 1);
    await open({ getDocument: async ({ key }) => document(key, body) });
    const fields = Array.from({ length: 12 },
      (_, i) => `a${i}: document(collection: "c", key: "k${i}", lang: "en") { key }`);
    const { data, errors } = await fixture.ask(`{ ${fields.join(' ')} }`);
    expect(errors![0]).toMatchObject({
      message: expect.stringContaining('ask for fewer documents'),
      extensions: { code: 'payload_too_large', status: 413 },
    });
    expect(Object.values(data!).filter(Boolean)).toHaveLength(12 - errors!.length);
    expect(fixture.invoked.length).toBeLessThan(10);
  });
});

describe('documents in the results of a search', () => {
  const SEARCHES: readonly (readonly [query: string, path: string[]])[] = [[
    'search(input: {collection: "c"}) { edges { node { FIELDS } } }',
    ['search', 'edges'],
  ], ['fts(input: {collection: "c", query: "q"}) { results { document { FIELDS } } }', ['fts', 'results']], [
    'vectorSearch(input: {collection: "c", query: "q"}) { results { document { FIELDS } } }',
    ['vectorSearch', 'results'],
  ]];
  const openSearches = async (asked: unknown[]) => {
    const found = Array.from({ length: 60 }, (_, i) => document(`k${i}`, `body ${i}`));
    const note = (input: { includeContent?: boolean }): void => void asked.push(input.includeContent);
    await open({
      searchDocuments: async (input) => (note(input), found),
      searchFullText: async (input) =>
        (note(input),
          { results: found.map((each) => ({ document: each, score: 1, matchedTerms: [] })), total: 60 }) as never,
      searchVectors: async (input) =>
        (note(input), {
          results: found.map((each, i) => ({ document: each, score: 1, rank: i + 1 })),
          total: 60,
          model: 'm',
          dimensions: 3,
        }) as never,
    });
  };

  it.each(SEARCHES)('come with the search, and no operation is invoked for each of them: %s', async (query) => {
    const asked: unknown[] = [];
    await openSearches(asked);
    const { data, errors } = await fixture.ask(
      `{ ${query.replace('FIELDS', 'id key lang meta contentMd addedAt updatedAt expiresAt')} }`,
    );
    expect(errors).toBeUndefined();
    expect(JSON.stringify(data)).toContain('body 59');
    expect(fixture.invoked).toHaveLength(1);
    expect(asked).toEqual([true]);
  });

  it.each(SEARCHES)('come without bodies where none is asked for, in fragments neither: %s', async (query) => {
    const asked: unknown[] = [];
    await openSearches(asked);
    await fixture.ask(
      `{ ${query.replace('FIELDS', 'key ... on Document { meta ...D }')} } fragment D on Document { lang }`,
    );
    await fixture.ask(
      `{ ${query.replace('FIELDS', 'key ... on Document { meta ...D }')} } fragment D on Document { body: contentMd }`,
    );
    await fixture.ask(`{ ${query.replace('FIELDS', 'key')} more: ${query.replace('FIELDS', 'contentMd')} }`);
    expect(asked).toEqual([false, true, false, true]);
  });
});

describe('a long list', () => {
  it('is answered whole, though its items are completed in steps', async () => {
    const found = Array.from({ length: 1001 }, (_, i) => document(`k${i}`));
    await open({ searchDocuments: async () => found });
    const { data } = await fixture.ask(
      '{ search(input: {collection: "c", limit: 10000}) { edges { cursor node { key } } } }',
    ) as { data: { search: { edges: { node: { key: string } }[] } } };
    expect(data.search.edges.map(({ node }) => node.key)).toEqual(found.map(({ key }) => key));
  });
});
