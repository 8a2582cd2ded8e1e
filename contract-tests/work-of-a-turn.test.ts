import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fixture } from '../src/docs/documents/test-fixture.ts';
import { aggregateDocuments } from '../src/docs/fulltext/aggregate-documents.ts';
import { mostWork } from '../src/testkit/work-counter.ts';

const DOCUMENTS = 6000;
const BATCH = 500;
/** Units of work (see `spend`) that may be done without a pause: some milliseconds. */
const BOUND = 1_500_000;
const EVERYWHERE = { minLat: -90, maxLat: 90, minLng: -180, maxLng: 180 };
const CIRCLE = { lat: 0, lng: 0, radiusMeters: 2.1e7 };

/** A ring whose sides cross nearly all latitudes. */
function zigzag(positions: number): [number, number][] {
  return Array.from({ length: positions }, (_, i) => [((i * 37) % 359) - 179, ((i * 91) % 170) - 85]);
}

/** An expression with as many conditions as one may have; `n` makes it another one. */
function conditions(n: number): string {
  return Array.from({ length: 200 }, (_, i) => `number ${i % 2 === 0 ? '>' : '='} ${i * 17 + n}`).join(' OR ');
}

describe('the work that an operation does without a pause, at its limits (decision D-169)', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await Fixture.open('sql.js');
    fixture.use({
      ...fixture.geo.handlers,
      aggregateDocuments: aggregateDocuments({
        ...fixture.environment,
        columns: fixture.columns,
        geo: fixture.geo.view,
      }),
    });
    for (let from = 0; from < DOCUMENTS; from += BATCH) {
      const documents = Array.from({ length: BATCH }, (_, i) => from + i).map((n) => ({
        key: `k${n}`,
        lang: 'en',
        contentMd: '',
        meta: {
          number: [String((n * 7919) % DOCUMENTS)],
          few: [`v${n % 3}`],
          geo_lat: [String(((n * 7919) % 16_000) / 100 - 80)],
          geo_lng: [String(((n * 104_729) % 34_000) / 100 - 170)],
        },
      }));
      await fixture.call('addDocuments', { collection: 'big', documents });
    }
  }, 120_000);
  afterAll(() => fixture.close());

  const bounded = async <T>(run: () => Promise<T>): Promise<T> => {
    let answer!: T;
    expect(await mostWork(async () => (answer = await run()))).toBeLessThan(BOUND);
    return answer;
  };

  it('is bounded for a shape of 100,000 positions', async () => {
    const polygon = { type: 'Polygon' as const, coordinates: [zigzag(100_000)] };
    const { total } = await bounded(() =>
      fixture.call('searchGeoPolygon', { collection: 'big', polygon, filter: 'number < 200', limit: 1 })
    );
    expect(total).toBe(1);
  });

  it('cannot be asked for with more positions, however they are divided', async () => {
    const many = Array.from({ length: 1000 }, () => [zigzag(100), zigzag(3)]);
    for (const shape of [{ multiPolygon: { coordinates: many } }, {
      polygon: { coordinates: [zigzag(60_000), zigzag(40_001)] },
    }]) {
      await expect(fixture.call('searchGeoPolygon', { collection: 'big', ...shape })).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining('up to 100000 positions in all its rings') as string,
      });
    }
  });

  it('is bounded for everything in a box, in order', async () => {
    const { results } = await bounded(() => fixture.call('searchGeoWithin', { collection: 'big', ...EVERYWHERE }));
    expect(results).toHaveLength(DOCUMENTS);
    const ids = results.map(({ document }) => document.id);
    expect(ids).toEqual([...ids].sort());
    const page = await fixture.call('searchGeoWithin', { collection: 'big', ...EVERYWHERE, offset: 1500, limit: 2500 });
    expect(page.results.map(({ document }) => document.id)).toEqual(ids.slice(1500, 4000));
  });

  it('is bounded for the nearest along the ellipsoid', async () => {
    const { total } = await bounded(() =>
      fixture.call('searchGeo', { collection: 'big', ...CIRCLE, topK: 1000, offset: 4500, distance: 'geodesic' })
    );
    expect(total).toBe(1000);
  });

  it('is bounded for cells and counts', async () => {
    const { geohashes } = await bounded(() =>
      fixture.call('aggregateDocuments', {
        collection: 'big',
        geo: CIRCLE,
        geohash: { precision: 12, size: 10_000 },
        facets: [{ field: 'number' }],
      })
    );
    expect(geohashes).toHaveLength(DOCUMENTS);
  });

  it('is bounded for a filter of 200 conditions', async () => {
    const { totalDocs } = await bounded(() =>
      fixture.call('aggregateDocuments', { collection: 'big', filter: conditions(1) })
    );
    expect(totalDocs).toBeGreaterThan(DOCUMENTS / 2);
    expect(
      (await bounded(() =>
        fixture.call('searchGeoWithin', { collection: 'big', ...EVERYWHERE, filter: conditions(2), limit: 10 })
      )).total,
    ).toBe(10);
  });
});
