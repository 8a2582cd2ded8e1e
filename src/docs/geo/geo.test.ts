import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeyRing } from '../../storage/index.ts';
import { DRIVERS, Fixture } from '../documents/test-fixture.ts';
import { createGeo } from './index.ts';

/** Places in and outside of Berlin, by key. */
const PLACES = {
  gate: [52.5163, 13.3777],
  museum: [52.5211, 13.3969],
  potsdam: [52.3906, 13.0645],
  paris: [48.8566, 2.3522],
  fiji: [-17.7134, 178.065],
  taveuni: [-16.85, -179.97],
} as const;

describe.each(DRIVERS)('where documents are, over %s (contract section 4, "Geo search"; decisions section 4.6)',
  (driver) => {
    let fixture: Fixture;
    let folder: string;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'quire-geo-'));
      fixture = await Fixture.open(driver, { geoDataDir: folder });
      fixture.use(fixture.geo.handlers);
    });
    afterEach(async () => {
      await fixture.close();
      await rm(folder, { recursive: true });
    });

    const add = (key: string, meta: Record<string, string[]> = {}, more: object = {}) =>
      fixture.call('addDocument', { collection: 'Blog', key, lang: 'en', meta, contentMd: `body of ${key}`, ...more });
    const at = (lat: number | string, lng: number | string): Record<string, string[]> => ({
      geo_lat: [String(lat)],
      geo_lng: [String(lng)],
    });
    const addAll = async (): Promise<void> => {
      for (const [key, [lat, lng]] of Object.entries(PLACES))
        await add(key, { ...at(lat, lng), kind: [key.length > 5 ? 'long' : 'short'] });
    };
    const near = (more: object = {}) =>
      fixture.call('searchGeo', { collection: 'blog', lat: 52.5163, lng: 13.3777, radiusMeters: 50_000, ...more });
    const nearKeys = async (more?: object) => (await near(more)).results.map(({ document }) => document.key);
    const within = (minLat: number, maxLat: number, minLng: number, maxLng: number, more: object = {}) =>
      fixture.call('searchGeoWithin', { collection: 'blog', minLat, maxLat, minLng, maxLng, ...more });
    const keysOf = ({ results }: { results: readonly { document: { key: string } }[] }) =>
      results.map(({ document }) => document.key);

    it('finds what is near, the nearest first, in the shape of the decisions', async () => {
      await addAll();
      expect(await near()).toEqual({
        results: [{
          document: expect.objectContaining({ key: 'gate', id: 'blog|gate|en' }) as object,
          distanceMeters: 0,
          rank: 1,
        }, {
          document: expect.objectContaining({ key: 'museum' }) as object,
          distanceMeters: expect.closeTo(1405, -1) as number,
          rank: 2,
        }, {
          document: expect.objectContaining({ key: 'potsdam' }) as object,
          distanceMeters: expect.closeTo(25_435, -3) as number,
          rank: 3,
        }],
        total: 3,
        radiusMeters: 50_000,
        algorithm: 'rtree',
      });
      expect((await near()).results[0]!.document).not.toHaveProperty('contentMd');
      expect((await near({ includeContent: true, topK: 1 })).results).toMatchObject([{
        document: { contentMd: 'body of gate' },
      }]);
      expect((await near({ limit: 1 })).results).toHaveLength(1);
      expect(await near({ algorithm: 'geohash', topK: 2, offset: 1 })).toMatchObject({
        results: [{ document: { key: 'museum' }, rank: 2 }, { document: { key: 'potsdam' }, rank: 3 }],
        total: 2,
        algorithm: 'geohash',
      });
      expect(await near({ collection: 'nowhere' })).toEqual({
        results: [],
        total: 0,
        radiusMeters: 50_000,
        algorithm: 'rtree',
      });
    });

    it('measures along the ellipsoid where asked', async () => {
      await addAll();
      const meters = async (distance: string) =>
        (await near({ radiusMeters: 2e6, distance })).results.find(({ document }) => document.key === 'paris')!
          .distanceMeters;
      const [sphere, ellipsoid] = [await meters('haversine'), await meters('geodesic')];
      expect(ellipsoid).not.toBe(sphere);
      expect(Math.abs(ellipsoid / sphere - 1)).toBeLessThan(0.0057);
    });

    it('narrows by metadata, expressions and languages', async () => {
      await addAll();
      await add('gate', at(52.5163, 13.3777), { lang: 'de' });
      expect(await nearKeys({ filterMeta: { kind: ['long'] } })).toEqual(['museum', 'potsdam']);
      expect(await nearKeys({ filter: 'kind = short OR key = museum', langs: ['en'] })).toEqual(['gate', 'museum']);
      expect(await nearKeys({ langs: ['de'] })).toEqual(['gate']);
      expect(keysOf(await within(-90, 90, -180, 180, { filterMeta: { kind: ['short'] } }))).toEqual(['fiji', 'gate',
        'paris']);
    });

    it('narrows by ranges and shows the fields that are asked for, in every area', async () => {
      await addAll();
      const ring = [[13, 52], [14, 52], [14, 53], [13, 53], [13, 52]];
      const asked = {
        rangeMeta: [{ field: 'geo_lat', gte: 52.4 }, { field: 'addedAt', gte: 0 }, { field: 'kind', lt: 'm' }],
        fields: ['kind', 'contentMd'],
      };
      const polygon = { type: 'Polygon', coordinates: [ring] };
      const inPolygon = (more: object) => fixture.call('searchGeoPolygon', { collection: 'blog', polygon, ...more });
      for (const found of [await near(asked), await within(52, 53, 13, 14, asked), await inPolygon(asked)]) {
        expect(found.results.map(({ document }) => document)).toEqual([{
          id: 'blog|museum|en',
          key: 'museum',
          lang: 'en',
          meta: { kind: ['long'] },
          contentMd: 'body of museum',
        }]);
      }
      expect((await inPolygon({ fields: ['key'] })).results[0]!.document).toEqual({
        id: 'blog|gate|en',
        key: 'gate',
        lang: 'en',
      });
      for (const bad of [{ rangeMeta: [{ field: 'addedAt', gte: 'soon' }] }, { fields: [''] }])
        await expect(inPolygon(bad)).rejects.toMatchObject({ code: 'invalid_argument' });
    });

    it('orders equally near documents by when they were added', async () => {
      for (const key of ['c', 'a', 'b']) await add(key, at(52.5, 13.4));
      expect(await nearKeys()).toEqual(['c', 'a', 'b']);
    });

    it('finds what is in a box by id, across the 180th meridian too', async () => {
      await addAll();
      expect(await within(52, 53, 13, 14)).toMatchObject({
        results: [{ document: { key: 'gate' }, rank: 1 }, { document: { key: 'museum' }, rank: 2 }, {
          document: { key: 'potsdam' },
          rank: 3,
        }],
        total: 3,
        algorithm: 'rtree',
      });
      expect(keysOf(await within(-20, -10, 178, -179))).toEqual(['fiji', 'taveuni']);
      expect(keysOf(await within(52.5163, 52.5163, 13.3777, 13.3777))).toEqual(['gate']);
      expect(await within(52, 53, 13, 14, { offset: 1, limit: 1 })).toMatchObject({
        results: [{ document: { key: 'museum' }, rank: 2 }],
        total: 1,
      });
      await expect(within(53, 52, 13, 14)).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining('minLat') as string,
      });
    });

    it('finds what is in a shape by id, without its holes', async () => {
      await addAll();
      const square = (west: number, south: number, east: number,
        north: number) => [[west, south], [east, south], [east, north], [west, north], [west, south]];
      const polygon = (more: object) => fixture.call('searchGeoPolygon', { collection: 'blog', ...more });
      expect(await polygon({ polygon: { type: 'Polygon', coordinates: [square(13, 52, 14, 53)] } })).toMatchObject({
        total: 3,
        shape: 'polygon',
        algorithm: 'rtree',
      });
      expect(
        keysOf(await polygon({ polygon: { coordinates: [square(13, 52, 14, 53), square(13.3, 52.5, 13.39, 52.6)] } })),
      ).toEqual(['museum', 'potsdam']);
      expect(await polygon({ multiPolygon: { coordinates: [[square(2, 48, 3, 49)], [square(177, -20, 182, -10)]] } }))
        .toMatchObject({
          results: [{ document: { key: 'fiji' } }, { document: { key: 'paris' } }, { document: { key: 'taveuni' } }],
          shape: 'multiPolygon',
        });
      expect(await polygon({ polygon: { coordinates: [square(0, 0, 1, 1)] } })).toEqual({
        results: [],
        total: 0,
        shape: 'polygon',
        algorithm: 'rtree',
      });
      for (const bad of [{}, { polygon: { coordinates: [square(0, 0, 1, 1)] }, multiPolygon: { coordinates: [] } }, {
        polygon: { coordinates: [[[0, 0], [1, 1]]] },
      }, { polygon: { coordinates: [[[0, 91], [1, 1], [2, 2]]] } }]) {
        await expect(polygon(bad)).rejects.toMatchObject({ status: 400 });
      }
    });

    it('follows documents that move, lose their place, expire and go', async () => {
      await add('a', at(52.5, 13.4));
      await add('b', { geo_hash: ['u33db2m3'] }, { ttl: 10 });
      expect(await nearKeys()).toEqual(['b', 'a']);
      await add('a', at(48.8, 2.3));
      expect(await nearKeys()).toEqual(['b']);
      await add('a', at('north', 2.3));
      expect(await nearKeys({ radiusMeters: 3e7 })).toEqual(['b']);
      await add('a', at(52.5, 13.4));
      fixture.advance(10);
      expect(await nearKeys()).toEqual(['a']);
      await fixture.call('deleteDocument', { collection: 'blog', key: 'a', lang: 'en' });
      expect(await nearKeys()).toEqual([]);
      await fixture.call('deleteCollection', { collection: 'blog' });
      expect(await near()).toMatchObject({ results: [] });
    });

    it('ends a response where it is full, and says where to go on', async () => {
      await addAll();
      fixture.answerBytes = 200;
      const first = await within(-90, 90, -180, 180);
      expect(first).toMatchObject({ truncated: true, nextOffset: first.total });
      expect(first.total).toBeLessThan(6);
      const keys = keysOf(first);
      for (let page: Awaited<ReturnType<typeof within>> = first; page.truncated;) {
        page = await within(-90, 90, -180, 180, { offset: page.nextOffset });
        keys.push(...keysOf(page));
      }
      expect(keys).toEqual(Object.keys(PLACES).sort());
    });

    it('turns points into geohashes and back', async () => {
      expect(await fixture.call('encodeGeohash', { lat: 52.5163, lng: 13.3777, precision: 8 })).toEqual({
        geohash: 'u33db2m3',
        precision: 8,
      });
      expect(await fixture.call('encodeGeohash', { lat: 90, lng: 180 })).toEqual({
        geohash: 'zzzzzzzzzzzz',
        precision: 12,
      });
      expect(await fixture.call('decodeGeohash', { geohash: 'U33DB2M3' })).toEqual({
        geohash: 'u33db2m3',
        lat: 52.516279220581055,
        lng: 13.377742767333984,
        minLat: 52.51619338989258,
        maxLat: 52.51636505126953,
        minLng: 13.377571105957031,
        maxLng: 13.377914428710938,
      });
    });

    it('takes places from what was written, and asks the tables for postcodes alone', async () => {
      const asked: string[] = [];
      const all = fixture.sql.all.bind(fixture.sql);
      fixture.sql.all = (sql, params) => (asked.push(sql), all(sql, params)) as never;
      await add('a', at(52.517, 13.388));
      await add('b', {});
      expect(await nearKeys()).toEqual(['a']);
      const reads = () => asked.filter((sql) => sql.startsWith('SELECT ord, key, lang, meta,'));
      expect(reads()).toEqual([]);
      await add('c', { geo_postcode: ['1'], geo_country: ['DE'] });
      expect(await nearKeys()).toEqual(['a']);
      expect(reads()).toHaveLength(1);
    });

    describe('postcodes', () => {
      const load = (csvPath: string, more: object = {}) =>
        fixture.call('reindexGeo', { collection: 'blog', loadPostcodes: [{ country: 'de', csvPath }], ...more });

      it('come from files, and are looked up where there is neither a point nor a geohash', async () => {
        await add('a', { geo_postcode: ['10117'], geo_country: ['de'] });
        await add('b', { geo_postcode: [' 1 0117 '], geo_country: ['DE'], geo_hash: ['none!'] });
        await add('c', { geo_postcode: ['10117'], geo_country: ['AT'] });
        expect(await nearKeys()).toEqual([]);
        await mkdir(join(folder, 'codes'));
        await writeFile(join(folder, 'codes/de.csv'), '\uFEFF10117,52.517,13.388\n"14467",52.4,13.06\n\n10117,0,0\n');
        expect(await load('codes/de.csv')).toEqual({
          status: 'ok',
          points: 2,
          collection: 'blog',
          postcodesLoaded: { DE: 2 },
          durationMs: expect.any(Number) as number,
        });
        expect(await nearKeys()).toEqual(['a', 'b']);
        await add('d', { geo_postcode: ['14467'], geo_country: ['DE'] });
        expect(await nearKeys()).toEqual(['a', 'b', 'd']);
        await writeFile(join(folder, 'de.csv'), '14467,52.4,13.06\n');
        expect(await load('de.csv', { collection: '' })).toMatchObject({ points: 1, collection: '' });
        expect(await nearKeys()).toEqual(['d']);
        expect(await fixture.call('getGeoStats', {})).toEqual({
          collections: { blog: { points: 1, lastRebuildUnix: fixture.now } },
          postcodeDatasets: { DE: 1 },
          ready: true,
        });
      });

      it('are loaded again at a start when their file has changed, and stay where it is gone or wrong', async () => {
        await add('a', { geo_postcode: ['10117'], geo_country: ['de'] });
        const restarted = async (): Promise<string[]> => {
          const geo = createGeo({
            ...fixture.environment,
            settings: { ...fixture.environment.settings, geoDataDir: folder },
          }, { collections: fixture.collections, columns: fixture.columns });
          await geo.view.start();
          geo.work();
          await geo.settled();
          await geo.stop();
          await geo.view.stop();
          await fixture.call('reindexGeo', { collection: 'blog' });
          return nearKeys();
        };
        await writeFile(join(folder, 'de.csv'), '10117,52.517,13.388\n');
        await load('de.csv');
        expect(await restarted()).toEqual(['a']);
        await writeFile(join(folder, 'de.csv'), '10117,52.517,\n');
        expect(await restarted()).toEqual(['a']);
        await rm(join(folder, 'de.csv'));
        expect(await restarted()).toEqual(['a']);
        await writeFile(join(folder, 'de.csv'), '10117,1,1\n');
        expect(await restarted()).toEqual([]);
      });

      it.each(['missing.csv', '../outside.csv', '/etc/passwd', 'link.csv', 'codes', '.', 'a\0b'])(
        'do not come from "%s"',
        async (path) => {
          const outside = `${folder}-outside.csv`;
          await writeFile(outside, '10117,52.517,13.388\n');
          await mkdir(join(folder, 'codes'));
          await symlink(outside, join(folder, 'link.csv'));
          await expect(load(path)).rejects.toMatchObject({ status: 400 });
          expect((await fixture.call('getGeoStats', {})).postcodeDatasets).toEqual({});
          await rm(outside);
        },
      );

      it.each(['postcode,lat,lng\n', '10117,52.517\n', '10117,95,13\n', ',1,2\n', '10117,1e5,1\n'])(
        'are all or nothing: %j is refused by its line',
        async (text) => {
          await writeFile(join(folder, 'de.csv'), `1,1,1\n${text}`);
          await expect(load('de.csv')).rejects.toMatchObject({
            code: 'invalid_argument',
            message: 'loadPostcodes[0].csvPath: line 2 must be postcode,lat,lng',
          });
          expect((await fixture.call('getGeoStats', {})).postcodeDatasets).toEqual({});
        },
      );
    });

    it('refuses searches while it loads, and says so', async () => {
      await addAll();
      await fixture.geo.view.stop();
      await expect(near()).rejects.toMatchObject({ code: 'index_loading', status: 503 });
      expect(await fixture.call('getGeoStats', {})).toMatchObject({ collections: {}, ready: false });
      await fixture.geo.view.start();
      await fixture.geo.view.settled();
      expect(await nearKeys()).toEqual(['gate', 'museum', 'potsdam']);
    });

    if (driver === 'sql.js') return;

    it('has the places of new postcodes after a crash, and in every other process', async () => {
      await writeFile(join(folder, 'de.csv'), '10117,52.517,13.388\n');
      await add('a', { geo_postcode: ['10117'], geo_country: ['de'] });
      await fixture.geo.view.stop(); // writes a checkpoint without its place
      await fixture.geo.view.start();
      await fixture.geo.view.settled();
      const started = async () => {
        const { view } = createGeo(fixture.environment, { collections: fixture.collections, columns: fixture.columns });
        await view.start();
        await view.settled();
        return view;
      };
      const other = await started();
      expect(
        await fixture.call('reindexGeo', { collection: 'blog', loadPostcodes: [{ country: 'de', csvPath: 'de.csv' }] }),
      ).toMatchObject({ points: 1 });
      const later = await started();
      await other.caughtUp();
      await other.settled();
      expect([other, later].map((view) => view.indexOf('blog')!.documents)).toEqual([1, 1]);
      for (const view of [other, later]) await view.stop();
    });

    it('continues from a checkpoint, encrypted where the collection is encrypted', async () => {
      await addAll();
      await fixture.geo.view.stop();
      const path = join(`${fixture.sql.info.path}.geo`, 'blog.idx');
      expect((await readFile(path)).includes('QUIREGEO')).toBe(true);
      await add('late', at(52.52, 13.38));
      const keys = new KeyRing({ id: 1, bytes: Buffer.alloc(32, 1) });
      for (let round = 0; round < 2; round++) {
        const geo = createGeo({ ...fixture.environment, keys }, {
          collections: { configOf: () => ({ encrypted: true }) },
          columns: fixture.columns,
        });
        await geo.view.start();
        await geo.view.settled();
        expect(geo.view.indexOf('blog')!.documents).toBe(7);
        await geo.view.stop();
      }
      expect((await readFile(path)).includes('QUIREGEO')).toBe(false);
      const geo = createGeo(fixture.environment, {
        collections: { configOf: () => ({ encrypted: true }) },
        columns: fixture.columns,
      });
      await geo.view.start();
      await geo.view.settled();
      await geo.view.stop();
      expect(await readdir(`${fixture.sql.info.path}.geo`)).toEqual([]);
    });
  });
