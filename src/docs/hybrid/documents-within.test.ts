import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { distanceMeters, pointOf } from '../../search/geo/index.ts';
import { Fixture } from '../documents/test-fixture.ts';
import { boxAround, documentsWithin } from './documents-within.ts';

const lats = fc.oneof(fc.double({ min: -90, max: 90, noNaN: true }), fc.constantFrom(-90, 90, 0));
const lngs = fc.oneof(fc.double({ min: -180, max: 180, noNaN: true }), fc.constantFrom(-180, 180, 179.99));
const points = fc.record({ lat: lats, lng: lngs });
const radii = fc.oneof(fc.double({ min: 0.001, max: 25_000_000, noNaN: true }), fc.double({ min: 0.001, max: 50_000, noNaN: true }), fc.constant(1e300));

describe('the box around a circle', () => {
  it('holds everything that the circle holds, across the anti-meridian and the poles', () => {
    fc.assert(fc.property(points, points, radii, fc.boolean(), (middle, other, radius, touches) => {
      // Half of the cases have the other place at the very edge.
      const radiusMeters = touches ? distanceMeters(middle, other) : radius;
      if (distanceMeters(middle, other) > radiusMeters) return;
      const { near } = boxAround({ middle, radiusMeters });
      expect([near.lat(other.lat), near.lng(other.lng)]).toEqual([true, true]);
    }), { numRuns: 2000 });
  });
});

describe('documentsWithin', () => {
  const metas = fc.sample(fc.record({
    geo_lat: fc.array(fc.oneof(fc.double({ min: 40, max: 60, noNaN: true }).map(String), fc.constantFrom('north', '91', ' 50 ')), { maxLength: 2 }),
    geo_lng: fc.array(fc.oneof(fc.double({ min: 0, max: 20, noNaN: true }).map(String), fc.constantFrom('', '181', '1e1')), { maxLength: 2 }),
    geo_hash: fc.array(fc.constantFrom('u33db2m', 'U0', 'ezs42', 'none!'), { maxLength: 2 }),
  }), { numRuns: 80, seed: 7 });
  let fixture: Fixture;
  let cid: number;
  beforeAll(async () => {
    fixture = await Fixture.open('node:sqlite');
    const documents = metas.map((meta, i) => ({ key: `d${i}`, lang: 'en', contentMd: '', meta: Object.fromEntries(Object.entries(meta).filter(([, values]) => values.length > 0)) }));
    await fixture.call('addDocuments', { collection: 'c', documents });
    await fixture.call('addDocument', { collection: 'other', key: 'x', lang: 'en', contentMd: '', meta: { geo_lat: ['50'], geo_lng: ['10'] } });
    cid = (await fixture.sql.get<{ id: number }>("SELECT id FROM collections WHERE name = 'c'"))!.id;
  });
  afterAll(() => fixture.close());

  it('finds what looking at every document finds, with the same distances', async () => {
    const rows = await fixture.sql.all<{ ord: number; meta: string }>('SELECT ord, meta FROM documents WHERE cid = ?', [cid]);
    const circles = fc.record({ middle: fc.record({ lat: fc.double({ min: 35, max: 65, noNaN: true }), lng: fc.double({ min: -5, max: 25, noNaN: true }) }), radiusMeters: fc.double({ min: 1, max: 2_000_000, noNaN: true }) });
    await fc.assert(fc.asyncProperty(circles, fc.boolean(), async (circle, half) => {
      const only = half ? new Set(rows.filter((_, i) => i % 2 === 0).map(({ ord }) => ord)) : undefined;
      const expected = rows.flatMap(({ ord, meta }): [number, number][] => {
        const point = pointOf(JSON.parse(meta) as Record<string, string[]>);
        const distance = point === undefined ? Infinity : distanceMeters(circle.middle, point);
        return distance <= circle.radiusMeters && only?.has(ord) !== false ? [[ord, distance]] : [];
      });
      const found = await documentsWithin({ sql: fixture.sql, columns: fixture.columns, clock: fixture.environment.clock }, 'c', circle, only);
      expect([...found].sort(([a], [b]) => a - b)).toEqual(expected.sort(([a], [b]) => a - b));
    }), { numRuns: 60 });
  });
});
