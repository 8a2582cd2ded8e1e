import { afterEach, describe, expect, it } from 'vitest';
import { meanTwin, similarityTwin } from '../../../kernels/similarity-twin.ts';
import { OperationsFixture } from '../classify/test-fixture.ts';
import { type FixtureOptions, Meaning } from '../test-fixture.ts';

const fixtures: OperationsFixture[] = [];
afterEach(async () => {
  for (const fixture of fixtures.splice(0)) await fixture.close();
});
async function open(options?: FixtureOptions): Promise<OperationsFixture> {
  const fixture = await OperationsFixture.open(options);
  fixtures.push(fixture);
  return fixture;
}

const DOCUMENTS = {
  'blog|cats|en': 'cats sleep',
  'blog|dogs|en': 'dogs bark',
  'docs|cats|en': 'cats sleep',
  'docs|cats|de': 'cats eat fish',
  'docs|trade|en': 'the stock market fell',
  'notes|mix|en': 'cats sleep, dogs bark',
};

type Answer = { results: { document: { id: string } }[] };
const ids = ({ results }: Answer): string[] => results.map(({ document }) => document.id);

describe('searching several collections (decisions section 4.3)', () => {
  it('ranks the documents of all together, by score, collection and id', async () => {
    const fixture = await open();
    await fixture.store(DOCUMENTS);
    const { vectorOf, dimensions } = fixture.base.meaning;
    const score = (text: string) =>
      similarityTwin(vectorOf.call({ dimensions }, 'cats sleep'), vectorOf.call({ dimensions }, text), 'cosine');
    const answer = await fixture.call('searchAcrossCollections', { query: 'cats sleep' });
    const expected = Object.entries(DOCUMENTS).map(([id, text]) => ({ id, score: score(text) })).filter((one) =>
      one.score >= 0
    ).sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
    expect(ids(answer)).toEqual(expected.map(({ id }) => id));
    expect(ids(answer).slice(0, 2)).toEqual(['blog|cats|en', 'docs|cats|en']);
    expect(answer.results.map(({ rank }) => rank)).toEqual(expected.map((_, i) => i + 1));
    expect(answer.results[0]).toMatchObject({ collection: 'blog', score: 1, document: { key: 'cats', lang: 'en' } });
    expect(answer.results[0]!.document).not.toHaveProperty('contentMd');
    expect(answer).toMatchObject({
      total: expected.length,
      targetCollections: ['blog', 'docs', 'notes'],
      algorithm: 'flat',
      distanceMetric: 'cosine',
      searchStats: { durationMs: expect.any(Number) as number, collectionsSearched: 3 },
    });
    expect(answer).not.toHaveProperty('sourceCollection');
  });

  it('compares a field that targets name, supplied or of a provider (decision D-216)', async () => {
    const other = new Meaning('other', 16);
    const fixture = await open({ models: { other } });
    const { base } = fixture;
    const { id } = await base.call('createEmbeddingConfig', {
      name: 'o',
      provider: 'openai',
      model: 'other',
      apiKey: 'k',
    });
    const provided = { source: 'provider', embedding: id };
    await base.call('setCollectionConfig', {
      collection: 'blog',
      vectors: { text: provided },
      defaultVectorField: 'text',
    });
    await base.call('setCollectionConfig', { collection: 'docs', vectors: { text: provided, own: { dimensions: 2 } } });
    await base.call('setCollectionConfig', { collection: 'notes', vectors: { own: { dimensions: 2 } } });
    await fixture.store(DOCUMENTS);
    for (const [collection, own] of [['docs', [1, 0]], ['notes', [1, 1]]] as const) {
      await base.call('addDocument', { collection, key: 'own', lang: 'en', contentMd: 'mine', vectors: { own } });
      await base.caughtUp();
    }
    const search = (more: object) => fixture.call('searchAcrossCollections', { threshold: 0.5, ...more });
    const byText = await search({ query: 'cats sleep', vectorField: 'text' });
    expect(ids(byText).slice(0, 2)).toEqual(['blog|cats|en', 'docs|cats|en']);
    expect(byText.searchStats.collectionsSearched).toBe(2);
    expect(ids(await search({ queryVector: [1, 0.1], vectorField: 'own' }))).toEqual(['docs|own|en', 'notes|own|en']);
    const source = { sourceCollection: 'notes', sourceDocID: 'own', vectorField: 'own' };
    expect(ids(await search(source))).toEqual(['docs|own|en']);
    // By default, each collection in its own space.
    expect(ids(await search({ query: 'cats sleep' })).slice(0, 2)).toEqual(['blog|cats|en', 'docs|cats|en']);
    await expect(search({ query: 'cats', vectorField: 'own' })).rejects.toMatchObject({ code: 'missing_fields' });
  });

  it('returns 10 results at most, or `topK` or `limit`, which are two names of one number (decision D-133)', async () => {
    const fixture = await open();
    await fixture.store(Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`blog|d${i}|en`, 'cats sleep'])));
    const count = async (more: object) =>
      (await fixture.call('searchAcrossCollections', { query: 'cats sleep', ...more })).results.length;
    expect([await count({}), await count({ topK: 3 }), await count({ limit: 3 }), await count({ limit: 11, topK: 11 })])
      .toEqual([10, 3, 3, 11]);
    await expect(count({ limit: 3, topK: 4 })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'limit and topK are two names of one number, got limit 3 and topK 4',
    });
  });

  it('keeps to the targets that are named, of which one that does not exist is empty', async () => {
    const fixture = await open();
    await fixture.store(DOCUMENTS);
    const answer = await fixture.call('searchAcrossCollections', {
      query: 'cats sleep',
      targetCollections: ['Docs', 'none', 'docs'],
      topK: 2,
    });
    expect(ids(answer)).toEqual(['docs|cats|en', 'docs|cats|de']);
    expect(answer).toMatchObject({ targetCollections: ['docs', 'none'], searchStats: { collectionsSearched: 1 } });
  });

  it('searches no collection of the system unless it is asked by name, which is refused', async () => {
    const fixture = await open();
    await fixture.store({ 'blog|cats|en': 'cats sleep' });
    await fixture.base.sql.transaction(async (tx) => void await tx.run("UPDATE collections SET name = '_memory'"));
    expect(await fixture.call('searchAcrossCollections', { query: 'cats' })).toMatchObject({
      results: [],
      targetCollections: [],
    });
    await expect(fixture.call('searchAcrossCollections', { query: 'cats', targetCollections: ['_memory'] })).rejects
      .toMatchObject({ status: 400 });
  });

  it('searches with a document, by id or else by key in the first language, and leaves it out', async () => {
    const fixture = await open();
    await fixture.store(DOCUMENTS);
    const find = (sourceDocID: string, more = {}) =>
      fixture.call('searchAcrossCollections', { sourceCollection: 'Docs', sourceDocID, ...more });
    const byId = await find('docs|cats|en', { threshold: 0.99 });
    expect(ids(byId)).toEqual(['blog|cats|en']);
    expect(byId).toMatchObject({ sourceCollection: 'Docs', sourceDocID: 'docs|cats|en' });
    const byKey = await find('cats');
    expect(ids(byKey)).not.toContain('docs|cats|de');
    expect(ids(byKey)).toContain('docs|cats|en');
    expect(ids(await find('DOCS|Cats|EN', { threshold: 0.99 }))).toEqual(['blog|cats|en']);
    for (const unknown of ['none', 'blog|cats|en', 'docs|cats|fr', 'docs|', '|', 'Cats'])
      await expect(find(unknown)).rejects.toMatchObject({ code: 'not_found' });
    await expect(fixture.call('searchAcrossCollections', { sourceCollection: 'none', sourceDocID: 'cats' })).rejects
      .toMatchObject({ code: 'not_found' });
  });

  it('takes the mean of the passages of a document', async () => {
    const fixture = await open();
    await fixture.store({
      'c|long|en': 'cats sleep all day long here.\n\ndogs bark at the moon all night.',
      'd|one|en': 'cats bark',
    });
    const stored = await fixture.base.embeddings.of('').vectorsOfDocuments([await fixture.base.ordOf('long')]);
    const mean = meanTwin(stored.map(({ vector }) => vector));
    for (const distanceMetric of ['cosine', 'dot_product', 'euclidean'] as const) {
      const { results } = await fixture.call('searchAcrossCollections', {
        sourceCollection: 'c',
        sourceDocID: 'long',
        distanceMetric,
      });
      expect(results).toHaveLength(1);
      expect(results[0]!.score).toBeCloseTo(
        similarityTwin(mean, fixture.base.meaning.vectorOf('cats bark'), distanceMetric),
        6,
      );
    }
  });

  it('prefers a vector to a document, and that to a text', async () => {
    const fixture = await open();
    await fixture.store(DOCUMENTS);
    const { meaning } = fixture.base;
    const all = {
      queryVector: meaning.vectorOf('the stock market fell'),
      sourceCollection: 'blog',
      sourceDocID: 'cats',
      query: 'dogs bark',
      threshold: 0.99,
    };
    const byVector = await fixture.call('searchAcrossCollections', all);
    expect(ids(byVector)).toEqual(['docs|trade|en']);
    expect(byVector).not.toHaveProperty('sourceDocID');
    const { queryVector: _, ...rest } = all;
    expect(ids(await fixture.call('searchAcrossCollections', rest))).toEqual(['docs|cats|en']);
  });

  it('respects filter, threshold and includeContent, and hides what has expired', async () => {
    const fixture = await open();
    await fixture.store({ 'a|x|en': 'cats sleep' }, { meta: { kind: ['pet'] }, ttl: 60 });
    await fixture.store({ 'a|y|en': 'cats sleep', 'b|z|en': 'cats eat' }, { meta: { kind: ['other'] } });
    const find = (more: object) => fixture.call('searchAcrossCollections', { query: 'cats sleep', ...more });
    expect(ids(await find({ filterMeta: { kind: ['pet'] } }))).toEqual(['a|x|en']);
    expect(ids(await find({ filterMeta: { kind: [] } }))).toEqual([]);
    expect(ids(await find({ threshold: 0.99 }))).toEqual(['a|x|en', 'a|y|en']);
    expect((await find({ topK: 1, includeContent: true })).results[0]!.document).toMatchObject({
      contentMd: 'cats sleep',
      meta: { kind: ['pet'] },
    });
    fixture.base.advance(61);
    expect(ids(await find({ threshold: 0.99 }))).toEqual(['a|y|en']);
    await expect(fixture.call('searchAcrossCollections', { sourceCollection: 'a', sourceDocID: 'x' })).rejects
      .toMatchObject({ code: 'not_found' });
  });

  it('respects ranges, boosts and fields', async () => {
    const fixture = await open();
    await fixture.store({ 'a|near|en': 'cats sleep' }, { meta: { kind: ['pet'], year: ['1999'] } });
    await fixture.store({ 'b|far|en': 'cats eat fish' }, { meta: { kind: ['food'], year: ['2020'] } });
    const find = (more: object) =>
      fixture.call('searchAcrossCollections', { query: 'cats sleep', threshold: 0.1, ...more });
    expect(ids(await find({}))).toEqual(['a|near|en', 'b|far|en']);
    expect(ids(await find({ rangeMeta: [{ field: 'year', gte: 2000 }] }))).toEqual(['b|far|en']);
    const boosted = await find({ boost: { 'kind:food': 100 }, topK: 1 });
    expect(ids(boosted)).toEqual(['b|far|en']);
    const plain = (await find({})).results.find(({ collection }) => collection === 'b')!;
    expect(boosted.results[0]!.score).toBeCloseTo(100 * plain.score, 3);
    expect((await find({ fields: ['year'], topK: 1 })).results[0]!.document).toEqual({
      id: 'a|near|en',
      key: 'near',
      lang: 'en',
      meta: { year: ['1999'] },
    });
    expect((await find({ fields: ['contentMd'], topK: 1 })).results[0]!.document).toEqual({
      id: 'a|near|en',
      key: 'near',
      lang: 'en',
      contentMd: 'cats sleep',
    });
    for (const bad of [{ boost: { food: 2 } }, { fields: [''] }, { rangeMeta: [{ field: 'addedAt', gt: 'soon' }] }])
      await expect(find(bad)).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('has pages by offset that neither repeat nor lose a result, also behind the candidates of the first page', async () => {
    const fixture = await open();
    const texts = Array.from({ length: 70 }, (_, i) => `cats ${i % 5 === 0 ? 'sleep' : `number ${i}`}`);
    for (const collection of ['a', 'b'])
      await fixture.store(Object.fromEntries(texts.map((text, i) => [`${collection}|${i}|en`, text])));
    const find = (more: object) => fixture.call('searchAcrossCollections', { query: 'cats sleep', ...more });
    const all: string[] = [];
    for (;;) {
      const page = ids(await find({ limit: 9, offset: all.length }));
      if (page.length === 0) break;
      all.push(...page);
    }
    expect(all).toHaveLength(140);
    expect(all.toSorted()).toEqual(ids(await find({ limit: 1000 })).toSorted());
  });

  it('passes over collections whose vectors cannot be compared', async () => {
    const fixture = await open();
    await fixture.store({ 'old|a|en': 'cats sleep' });
    const later = await fixture.crashed({ meaning: new Meaning('other', 16) });
    fixtures.push(later);
    await later.store({ 'new|a|en': 'cats sleep' });
    const byText = await later.call('searchAcrossCollections', { query: 'cats sleep' });
    expect(ids(byText)).toEqual(['new|a|en']);
    expect(byText).toMatchObject({ targetCollections: ['new', 'old'], searchStats: { collectionsSearched: 1 } });
    expect(ids(await later.call('searchAcrossCollections', { sourceCollection: 'old', sourceDocID: 'a' }))).toEqual([]);
    expect(
      ids(await later.call('searchAcrossCollections', { queryVector: fixture.base.meaning.vectorOf('cats sleep') })),
    ).toEqual(['old|a|en']);
    await expect(later.call('searchAcrossCollections', { queryVector: [1, 2] })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: "queryVector must have 16 or 32 numbers, as the collections' vectors, got 2",
    });
  });

  it('refuses a query that is incomplete, or that nothing can be compared with', async () => {
    const fixture = await open();
    const refused = (input: object) => expect(fixture.call('searchAcrossCollections', input)).rejects;
    await refused({}).toMatchObject({
      code: 'missing_fields',
      message: 'missing fields: query, queryVector, or sourceCollection and sourceDocID',
    });
    await refused({ query: '  ' }).toMatchObject({ code: 'missing_fields' });
    await refused({ sourceCollection: 'c' }).toMatchObject({
      code: 'missing_fields',
      message: 'missing fields: sourceDocID',
    });
    await refused({ sourceDocID: 'c' }).toMatchObject({
      code: 'missing_fields',
      message: 'missing fields: sourceCollection',
    });
    await refused({ queryVector: [0, 0] }).toMatchObject({ code: 'invalid_argument' });
    await refused({ queryVector: [1e300], distanceMetric: 'euclidean' }).toMatchObject({ code: 'invalid_argument' });
    await fixture.store({ 'c|blank|en': ' ' });
    await refused({ sourceCollection: 'c', sourceDocID: 'blank' }).toMatchObject({
      code: 'invalid_argument',
      message: 'sourceDocID names a document without vectors',
    });
    expect(await fixture.call('searchAcrossCollections', { queryVector: [1e300, 5] })).toMatchObject({
      results: [],
      total: 0,
    });
  });

  it('needs a provider for texts alone', async () => {
    const fixture = await open();
    await fixture.store(DOCUMENTS);
    const without = await fixture.crashed({ embedding: { provider: 'none' } });
    fixtures.push(without);
    await expect(without.call('searchAcrossCollections', { query: 'cats' })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'embedding provider not configured',
    });
    expect(ids(await without.call('searchAcrossCollections', {
      sourceCollection: 'docs',
      sourceDocID: 'docs|cats|en',
      threshold: 0.99,
    }))).toEqual(['blog|cats|en']);
  });

  it('waits for the provider without a place among the searches', async () => {
    const fixture = await open();
    await fixture.store(DOCUMENTS);
    const held = Promise.withResolvers<void>();
    fixture.base.meaning.held = held.promise;
    const answer = fixture.call('searchAcrossCollections', { query: 'cats sleep' });
    expect(await fixture.base.gate.run(async () => 'free', AbortSignal.timeout(1000))).toBe('free');
    held.resolve();
    expect(ids(await answer)[0]).toBe('blog|cats|en');
  });

  it('searches with what is stored of a document that cannot be embedded again', async () => {
    const fixture = await open();
    await fixture.store({ 'd|cats|en': 'cats sleep', 'c|a|en': 'cats sleep' });
    await fixture.base.addUnembedded('a', 'the stock market fell');
    const again = () =>
      fixture.call('searchAcrossCollections', { sourceCollection: 'c', sourceDocID: 'a', threshold: 0.99 });
    expect(ids(await again())).toEqual([]);
    const without = await fixture.crashed({ embedding: { provider: 'none' } });
    fixtures.push(without);
    expect(
      ids(await without.call('searchAcrossCollections', { sourceCollection: 'c', sourceDocID: 'a', threshold: 0.99 })),
    ).toEqual(['d|cats|en']);
  });
});
