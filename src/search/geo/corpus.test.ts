import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { boxBetween, PlaceIndex, type PolygonRings, shapeOf } from './index.ts';

/**
 * Queries over the cities of GeoNames with their expected results, in a folder beside the checkout or at the path in
 * the variable.
 */
const ROOT = join(import.meta.dirname, '../../..');
const CORPUS = [process.env['QUIRE_GEO_CORPUS'], join(ROOT, '../shared/corpus/geo'),
  join(ROOT, '../../shared/corpus/geo')].find((folder) =>
    folder !== undefined && existsSync(join(folder, 'geo-queries.ndjson.gz'))
  );

interface Query {
  readonly type: 'radius' | 'nearest' | 'bbox' | 'polygon';
  readonly name: string;
  readonly ids: readonly string[];
  readonly ambiguous?: readonly string[];
  readonly lat: number;
  readonly lng: number;
  readonly km: number | readonly number[];
  readonly k: number;
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

interface Country {
  readonly properties: { readonly name: string };
  readonly geometry: { readonly type: 'Polygon'; readonly coordinates: PolygonRings } | { readonly type: 'MultiPolygon';
    readonly coordinates: readonly PolygonRings[] };
}

async function unpacked(name: string): Promise<string> {
  return (await promisify(gunzip)(await readFile(join(CORPUS!, name)))).toString();
}

/** Fields of a line of CSV; no field of the cities contains a line break. */
function fieldsOf(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,"]*))/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

describe.skipIf(CORPUS === undefined)('the queries of the corpus of cities (skipped without it)', () => {
  const index = PlaceIndex.create();
  const countries = new Map<string, Country>();
  let queries: Query[] = [];
  beforeAll(async () => {
    const [header, ...lines] = (await unpacked('cities.csv.gz')).trim().split('\n');
    const names = fieldsOf(header!);
    for (const line of lines) {
      const fields = fieldsOf(line);
      const valueOf = (name: string): number => Number(fields[names.indexOf(name)]);
      index.put(valueOf('id'), { lat: valueOf('lat'), lng: valueOf('lng') });
    }
    expect(index.documents).toBe(lines.length);
    const { features } = JSON.parse(await readFile(join(CORPUS!, 'countries.geo.json'), 'utf8')) as {
      features: Country[];
    };
    // Some territories share an id.
    for (const feature of features) countries.set(feature.properties.name, feature);
    queries = (await unpacked('geo-queries.ndjson.gz')).trim().split('\n').map((line) => JSON.parse(line) as Query);
  });

  const check = (query: Query, found: readonly string[]): void => {
    const ambiguous = new Set(query.ambiguous);
    const certain = (ids: readonly string[]): string[] => ids.filter((id) => !ambiguous.has(id));
    expect([query.name, certain(found)]).toEqual([query.name, certain(query.ids)]);
  };
  const near = ({ lat, lng, k }: Query, km: number, algorithm: 'rtree' | 'geohash') =>
    index.near({ middle: { lat, lng }, radiusMeters: km * 1000 }, { algorithm, limit: k || index.documents });
  const sorted = (ids: Iterable<string | number>): string[] =>
    [...ids].map(String).sort((a, b) => Number(a) - Number(b));

  describe.each(['rtree', 'geohash'] as const)('by %s', (algorithm) => {
    it('radius', async () => {
      const those = queries.filter(({ type }) => type === 'radius');
      for (const query of those)
        check(query, (await near(query, query.km as number, algorithm)).map(({ ord }) => String(ord)));
      expect(those).toHaveLength(10);
    });

    it('nearest', async () => {
      for (const query of queries.filter(({ type }) => type === 'nearest')) {
        const found = await near(query, 20_100, algorithm);
        check(query, found.map(({ ord }) => String(ord)));
        for (const [i, { distanceMeters }] of found.entries())
          expect(Math.abs(distanceMeters / 1000 - (query.km as readonly number[])[i]!)).toBeLessThan(0.001);
      }
    });

    it('box', async () => {
      for (const query of queries.filter(({ type }) => type === 'bbox')) {
        const found = await index.within(
          boxBetween({ minLat: query.south, maxLat: query.north, minLng: query.west, maxLng: query.east }),
          { algorithm },
        );
        check({ ...query, ids: sorted(query.ids) }, sorted(found));
      }
    });

    it('polygon', async () => {
      for (const query of queries.filter(({ type }) => type === 'polygon')) {
        const { geometry } = countries.get(query.name)!;
        const found = await index.inside(
          shapeOf(geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates),
          { algorithm },
        );
        check({ ...query, ids: sorted(query.ids) }, sorted(found));
      }
    });
  });
});
