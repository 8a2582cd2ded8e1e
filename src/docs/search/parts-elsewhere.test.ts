import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Operations } from '../../../generated/docs/operations.ts';
import { answerColumns, type Columns } from '../../search/columns/index.ts';
import { answerPlaces, type PlaceIndex } from '../../search/geo/index.ts';
import { Loopback } from '../../testkit/parts/loopback.ts';
import { joinColumnIndexes, standInColumns } from '../columns/columns-view.ts';
import { createFullText } from '../fulltext/index.ts';
import { SearchFixture } from '../fulltext/search/test-fixture.ts';
import { joinGeoIndexes, standInPlaces } from '../geo/geo-view.ts';

/** One part, which has all documents, as if it were on another node. */
describe('requests whose columns and places are on another node', () => {
  let fixture: SearchFixture;
  beforeEach(async () => {
    fixture = await SearchFixture.open('sql.js');
    const { base: { environment, documents, geo }, columns, search } = fixture;
    const fullText = createFullText(environment, { columns, geo: geo.view });
    fixture.base.use({ ...documents.handlers, ...geo.handlers, ...search.handlers, ...fullText.handlers });
    for (let i = 0; i < 30; i++) {
      await fixture.add(`k${i}`, `fox ${i}`, {
        kind: [i % 3 === 0 ? 'a' : 'b'],
        size: [String(i)],
        tags: [`t${i % 5}`],
        geo_lat: ['50'],
        geo_lng: [String(i / 100)],
      });
    }
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await fixture.close();
  });

  /** Compares the answer with that of a request here; returns the rounds. */
  async function rounds<K extends keyof Operations & string>(id: K, input: object): Promise<number> {
    const asked = { collection: 'c', ...input };
    const here = await fixture.call(id, asked);
    const { columns, base: { geo } } = fixture;
    const [{ columns: own }, { places }] = [columns.indexOf('c')!, geo.view.indexOf('c')!];
    const loopback = new Loopback();
    const elsewhere = joinColumnIndexes([
      standInColumns(loopback.add((method, args) => answerColumns(own as Columns, method, args))),
    ]);
    // Of all parts of the loopback, only the first has the ordinals up to 1,023.
    const far = joinGeoIndexes([
      standInPlaces({
        ...loopback.add((method, args) => answerPlaces(places as PlaceIndex, method, args)),
        part: { view: 'places', collection: 'c', number: 0, of: 64 },
      }),
    ]);
    vi.spyOn(columns, 'indexOf').mockReturnValue(elsewhere);
    vi.spyOn(geo.view, 'indexOf').mockReturnValue(far);
    const there = await loopback.request(() => fixture.call(id, asked));
    vi.restoreAllMocks();
    const timeless = (answer: unknown): unknown =>
      JSON.parse(JSON.stringify(answer, (key, value: unknown) => (/^(duration|took)/.test(key) ? 0 : value)));
    expect(timeless(there)).toEqual(timeless(here));
    return loopback.rounds;
  }
  const filterMeta = { kind: ['b'] };
  const circle = { lat: 50, lng: 0, radiusMeters: 10_000 };

  it('list documents by metadata in three rounds', async () => {
    expect(await rounds('searchDocuments', { filterMeta, sort: 'size:desc', limit: 5, offset: 2 })).toBe(3);
    expect(await rounds('searchDocuments', { limit: 0 })).toBeLessThan(3);
    expect(await rounds('listMetaKeys', {})).toBeGreaterThan(1);
  });

  it('count facets in one round', async () => {
    const facetBy = ['kind', 'tags', 'size'];
    expect(await rounds('searchFullText', { query: 'fox', filterMeta, facetBy })).toBe(3);
    const facets = facetBy.map((field) => ({ field }));
    const histograms = [{ field: 'addedAt', interval: 'day' }];
    expect(await rounds('aggregateDocuments', { facets, histograms, filterMeta })).toBe(3);
  });

  it('find documents near a place', async () => {
    expect(await rounds('searchGeo', { ...circle, filterMeta })).toBe(3);
    expect(await rounds('searchGeoWithin', { minLat: 49, maxLat: 51, minLng: 0, maxLng: 0.2 })).toBe(3);
    expect(await rounds('searchFullText', { query: 'fox', geo: circle, boost: { 'kind:a': 3 } })).toBeLessThan(7);
  });
});
