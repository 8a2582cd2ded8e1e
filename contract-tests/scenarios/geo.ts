import { expect } from 'vitest';
import { decodeGeohash, encodeGeohash, getGeoStats, reindexGeo, searchGeo, searchGeoPolygon,
  searchGeoWithin } from '../../generated/docs/sdk/sdk.gen.ts';
import { refused, succeeded } from '../support/expectations.ts';
import { type DocsContext, type DocsScenarios, store } from './scenario.ts';

async function stored(context: DocsContext): Promise<void> {
  await store(context, {
    key: 'gate',
    contentMd: 'A gate.',
    meta: { kind: ['sight'], geo_lat: ['52.5163'], geo_lng: ['13.3777'] },
  });
  await store(context, { key: 'tower', contentMd: 'A tower.', meta: { kind: ['sight'], geo_hash: ['u09tunqg'] } });
  await store(context, { key: 'island', contentMd: 'An island.', meta: { geo_lat: ['-16.85'], geo_lng: ['-179.97'] } });
}

/** Positions of documents (contract, section 4, "Geo search"). */
export const geo: DocsScenarios = {
  async searchGeo(context) {
    const { client, direct, collection } = context;
    await stored(context);
    const place = { collection, lat: 52.52, lng: 13.405, radiusMeters: 5000 };
    expect(succeeded(await searchGeo({ client, body: place }))).toMatchObject({
      results: [{ document: { key: 'gate' }, distanceMeters: 1892.47, rank: 1 }],
      total: 1,
      radiusMeters: 5000,
      algorithm: 'rtree',
    });
    expect(succeeded(await searchGeo({
      client,
      body: {
        ...place,
        radiusMeters: 2e6,
        algorithm: 'geohash',
        distance: 'geodesic',
        filterMeta: { kind: ['sight'] },
        includeContent: true,
      },
    })).results.map(({ document }) => document.contentMd)).toEqual(['A gate.', 'A tower.']);
    refused(await searchGeo({ client: direct, body: { collection } as never }), 400, 'missing_fields');
    refused(await searchGeo({ client: direct, body: { ...place, lat: 91 } }), 400, 'invalid_argument');
    refused(await searchGeo({ client: direct, body: { ...place, radiusMeters: 0 } }), 400, 'invalid_argument');
  },

  async searchGeoWithin(context) {
    const { client, collection } = context;
    await stored(context);
    expect(
      succeeded(await searchGeoWithin({ client, body: { collection, minLat: 40, maxLat: 60, minLng: 0, maxLng: 20 } })),
    ).toMatchObject({
      results: [{ document: { key: 'gate' }, rank: 1 }, { document: { key: 'tower' }, rank: 2 }],
      total: 2,
      algorithm: 'rtree',
    });
    expect(
      succeeded(
        await searchGeoWithin({ client, body: { collection, minLat: -20, maxLat: 0, minLng: 170, maxLng: -170 } }),
      ).results,
    ).toMatchObject([{ document: { key: 'island' } }]);
    refused(await searchGeoWithin({ client, body: { collection, minLat: 60, maxLat: 40, minLng: 0, maxLng: 20 } }), 400,
      'invalid_argument');
  },

  async searchGeoPolygon(context) {
    const { client, direct, collection } = context;
    await stored(context);
    const square = (west: number, south: number, east: number, north: number) =>
      [[west, south], [east, south], [east, north], [west, north]] as [number, number][];
    expect(succeeded(await searchGeoPolygon({
      client,
      body: {
        collection,
        polygon: { type: 'Polygon', coordinates: [square(0, 40, 20, 60), square(10, 50, 20, 60)] },
      },
    }))).toMatchObject({ results: [{ document: { key: 'tower' } }], total: 1, shape: 'polygon', algorithm: 'rtree' });
    expect(succeeded(await searchGeoPolygon({
      client,
      body: { collection, multiPolygon: { coordinates: [[square(13, 52, 14, 53)], [square(179, -20, 181, 0)]] } },
    }))).toMatchObject({
      results: [{ document: { key: 'gate' } }, { document: { key: 'island' } }],
      shape: 'multiPolygon',
    });
    refused(await searchGeoPolygon({ client: direct, body: { collection } as never }), 400, 'invalid_argument');
  },

  async reindexGeo(context) {
    const { client, collection } = context;
    await stored(context);
    expect(succeeded(await reindexGeo({ client, body: { collection } }))).toMatchObject({
      status: 'ok',
      points: 3,
      collection,
      postcodesLoaded: {},
    });
    refused(
      await reindexGeo({ client, body: { collection, loadPostcodes: [{ country: 'DE', csvPath: 'missing.csv' }] } }),
      400,
      'invalid_argument',
    );
  },

  async getGeoStats(context) {
    const { client, collection } = context;
    await stored(context);
    expect(succeeded(await getGeoStats({ client }))).toMatchObject({
      collections: { [collection]: { points: 3, lastRebuildUnix: expect.any(Number) as number } },
      postcodeDatasets: {},
      ready: true,
    });
  },

  async encodeGeohash({ client, direct }) {
    expect(succeeded(await encodeGeohash({ client, body: { lat: 52.5163, lng: 13.3777, precision: 8 } }))).toEqual({
      geohash: 'u33db2m3',
      precision: 8,
    });
    expect(succeeded(await encodeGeohash({ client, body: { lat: 52.5163, lng: 13.3777 } })).precision).toBe(12);
    refused(await encodeGeohash({ client: direct, body: { lat: 0, lng: 0, precision: 13 } }), 400, 'invalid_argument');
  },

  async decodeGeohash({ client, direct }) {
    expect(succeeded(await decodeGeohash({ client, body: { geohash: 'u33db2m3' } }))).toMatchObject({
      geohash: 'u33db2m3',
      lat: 52.516279220581055,
      maxLng: 13.377914428710938,
    });
    refused(await decodeGeohash({ client: direct, body: { geohash: 'ail' } }), 400, 'invalid_argument');
  },
};
