import { afterEach, describe, expect, it } from 'vitest';
import { EmbeddingError } from '../../../embedding/index.ts';
import { type FixtureOptions, VectorFixture } from '../test-fixture.ts';

const fixtures: VectorFixture[] = [];
afterEach(async () => {
  for (const fixture of fixtures.splice(0)) await fixture.close();
});
async function open(options?: FixtureOptions): Promise<VectorFixture> {
  const fixture = await VectorFixture.open(options);
  fixtures.push(fixture);
  return fixture;
}

/** Keys of the documents that are similar to one, best first. */
async function like(fixture: VectorFixture, key: string, more: object = {}): Promise<string[]> {
  const { results } = await fixture.call('findSimilar', { collection: 'c', key, topK: 10, ...more });
  return results.map(({ document }) => document.key);
}

describe('documents like one that is stored (decision D-151)', () => {
  it('come best first, without it, with the filters and the paging of vector search', async () => {
    const fixture = await open();
    await fixture.add('cats', 'cats sleep');
    await fixture.add('more', 'cats sleep long', { meta: { kind: ['pet'] } });
    await fixture.add('fish', 'cats eat fish', { meta: { kind: ['pet', 'food'] } });
    await fixture.add('Trade', 'the stock market fell', { lang: 'de' });
    expect(await like(fixture, 'cats', { threshold: 0.1 })).toEqual(['more', 'fish']);
    expect(await like(fixture, 'cats', { filterMeta: { kind: ['food'] } })).toEqual(['fish']);
    expect(await like(fixture, 'cats', { langs: ['de'], distanceMetric: 'euclidean' })).toEqual(['Trade']);
    expect(await like(fixture, 'cats', { threshold: 0.1, offset: 1 })).toEqual(['fish']);
    expect(await like(fixture, 'cats', { topK: 1 })).toEqual(['more']);
    expect(await like(fixture, 'cats', { topK: 1, lang: 'EN' })).toEqual(['more']);
    const answer = await fixture.call('findSimilar', { collection: 'C', key: 'cats', includeContent: true, topK: 1 });
    expect(answer).toMatchObject({
      total: 1,
      model: 'words',
      dimensions: 32,
      algorithm: 'flat',
      distanceMetric: 'cosine',
      results: [{ rank: 1, document: { contentMd: 'cats sleep long' } }],
    });
    expect(fixture.meaning.queries).toEqual([]);
  });

  it('are narrowed by ranges, boosted and counted as in vector search', async () => {
    const fixture = await open();
    await fixture.add('cats', 'cats sleep', { meta: { kind: ['pet'], year: ['2020'] } });
    await fixture.add('more', 'cats sleep long', { meta: { kind: ['pet'], year: ['2019'] } });
    await fixture.add('fish', 'cats eat fish', { meta: { kind: ['food'], year: ['2021'] } });
    expect(await like(fixture, 'cats', { rangeMeta: [{ field: 'year', gt: 2019 }] })).toEqual(['fish']);
    expect(await like(fixture, 'cats', { threshold: 0.1 })).toEqual(['more', 'fish']);
    expect(await like(fixture, 'cats', { threshold: 0.1, boost: { 'kind:food': 100 } })).toEqual(['fish', 'more']);
    const count = async (more: object) =>
      (await fixture.call('findSimilar', { collection: 'c', key: 'cats', topK: 1, threshold: 0.1, ...more })).facets;
    expect(await count({ facetBy: ['kind', 'none'] })).toEqual({
      kind: [{ value: 'food', count: 1 }, { value: 'pet', count: 1 }],
      none: [],
    });
    expect(await count({ facetBy: ['kind'], facetMaxValues: 1 })).toEqual({ kind: [{ value: 'food', count: 1 }] });
    expect(await count({})).toBeUndefined();
    for (const bad of [{ boost: { pet: 2 } }, { facetBy: [''] }, { rangeMeta: [{ field: 'updatedAt', lt: 'late' }] }])
      await expect(like(fixture, 'cats', bad)).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('are those of one language of a key, by default of the first by the alphabet', async () => {
    const fixture = await open();
    await fixture.add('k', 'cats sleep', { lang: 'en' });
    await fixture.add('k', 'dogs bark', { lang: 'de' });
    await fixture.add('cats', 'cats sleep');
    await fixture.add('dogs', 'dogs bark');
    const first = async (more: object) => (await like(fixture, 'k', { topK: 1, ...more }))[0];
    expect([await first({}), await first({ lang: 'en' }), await first({ lang: 'DE' })]).toEqual(['dogs', 'cats',
      'dogs']);
    for (const unknown of [{ key: 'k', lang: 'fr' }, { key: 'none' }, { key: 'k', collection: 'other' }]) {
      await expect(fixture.call('findSimilar', { collection: 'c', ...unknown })).rejects.toMatchObject({
        code: 'not_found',
      });
    }
  });

  it('are those of its present body, or of what is stored where that cannot be embedded', async () => {
    const fixture = await open();
    await fixture.add('a', 'cats sleep');
    await fixture.add('cats', 'cats sleep');
    await fixture.add('dogs', 'dogs bark');
    await fixture.addUnembedded('a', 'dogs bark');
    expect((await like(fixture, 'a'))[0]).toBe('dogs');
    fixture.meaning.failure = () => new EmbeddingError('refused', { retryable: false });
    expect((await like(fixture, 'a'))[0]).toBe('cats');
  });

  it('are not returned for a document without vectors', async () => {
    const fixture = await open();
    await fixture.add('blank', ' ');
    await expect(fixture.call('findSimilar', { collection: 'c', key: 'blank' })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'key names a document without vectors',
    });
  });
});
