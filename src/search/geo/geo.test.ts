import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boxAround, decodeGeohash, distanceMeters, EARTH_RADIUS_METERS, encodeGeohash, geohashCell, type Point,
  pointOf } from './index.ts';

const points = fc.record({
  lat: fc.double({ min: -90, max: 90, noNaN: true }),
  lng: fc.double({ min: -180, max: 180, noNaN: true }),
});

/** The angle between two places, by the tangent between their vectors from the centre of the globe. */
function bySpace(a: Point, b: Point): number {
  const [[x1, y1, z1], [x2, y2, z2]] = [a, b].map(({ lat, lng }) => {
    const [phi, lambda] = [(lat * Math.PI) / 180, (lng * Math.PI) / 180];
    return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)] as const;
  }) as [readonly [number, number, number], readonly [number, number, number]];
  const cross = Math.hypot(y1 * z2 - z1 * y2, z1 * x2 - x1 * z2, x1 * y2 - y1 * x2);
  return EARTH_RADIUS_METERS * Math.atan2(cross, x1 * x2 + y1 * y2 + z1 * z2);
}

describe('distanceMeters', () => {
  it('is that of the great circle, between any two places', () => {
    fc.assert(fc.property(points, points, (a, b) => {
      // Near the antipode, half of a double's digits are lost; the error is less than a metre.
      expect(Math.abs(distanceMeters(a, b) - bySpace(a, b))).toBeLessThan(1);
      expect(distanceMeters(a, b)).toBeCloseTo(distanceMeters(b, a), 6);
    }));
  });

  it('takes no notice of the anti-meridian, and a degree along the equator is 111195 m', () => {
    expect(distanceMeters({ lat: 0, lng: 179.5 }, { lat: 0, lng: -179.5 })).toBeCloseTo(111_195.08, 1);
    expect(distanceMeters({ lat: 0, lng: 0 }, { lat: 0, lng: 180 })).toBeCloseTo(Math.PI * EARTH_RADIUS_METERS, 3);
  });
});

describe('the box around a circle', () => {
  it('holds everything that the circle holds, across the 180th meridian and the poles', () => {
    const radii = fc.oneof(fc.double({ min: 0.001, max: 25_000_000, noNaN: true }),
      fc.double({ min: 0.001, max: 50_000, noNaN: true }), fc.constant(1e300));
    const places = fc.oneof(points,
      fc.record({ lat: fc.constantFrom(-90, 90, 0), lng: fc.constantFrom(-180, 180, 179.99) }));
    fc.assert(fc.property(places, places, radii, fc.boolean(), (middle, other, radius, touches) => {
      // In half of the cases, the other place is exactly on the edge.
      const radiusMeters = touches ? distanceMeters(middle, other) : radius;
      if (distanceMeters(middle, other) > radiusMeters) return;
      const { lat, lng } = boxAround({ middle, radiusMeters });
      expect(other.lat >= lat.from && other.lat <= lat.to).toBe(true);
      expect(lng.some(({ from, to }) => other.lng >= from && other.lng <= to)).toBe(true);
    }), { numRuns: 2000 });
  });
});

describe('encodeGeohash', () => {
  it('names the cell that a place is in, which the first characters of a longer one do, too', () => {
    fc.assert(fc.property(points, fc.integer({ min: 1, max: 12 }), (point, length) => {
      const hash = encodeGeohash(point, length);
      const { minLat, maxLat, minLng, maxLng } = geohashCell(hash)!;
      expect(point.lat >= minLat && point.lat <= maxLat && point.lng >= minLng && point.lng <= maxLng).toBe(true);
      expect([hash.length, encodeGeohash(point, 12).startsWith(hash)]).toEqual([length, true]);
    }));
  });
});

describe('decodeGeohash', () => {
  it('returns the middle of the cell, in either case', () => {
    expect(decodeGeohash('ezs42')).toEqual({
      lat: expect.closeTo(42.605, 3) as number,
      lng: expect.closeTo(-5.603, 3) as number,
    });
    expect(decodeGeohash('EZS42')).toEqual(decodeGeohash('ezs42'));
  });

  it.each(['', 'abc', 'u33 ', '0123456789bcd'])('knows that "%s" is none', (hash) => {
    expect(decodeGeohash(hash)).toBeUndefined();
  });
});

describe('pointOf', () => {
  const postcodes = (country: string, postcode: string): Point
    | undefined => (country === 'DE' && postcode === '10117' ? { lat: 52.517, lng: 13.388 } : undefined);
  const all = { geo_lat: ['1.5'], geo_lng: ['-2'], geo_hash: ['ezs42'], geo_country: ['DE'], geo_postcode: ['10117'] };

  it('takes latitude and longitude, then the geohash, then the postcode', () => {
    expect(pointOf(all, postcodes)).toEqual({ lat: 1.5, lng: -2 });
    expect(pointOf({ ...all, geo_lat: [] }, postcodes)).toEqual(decodeGeohash('ezs42'));
    expect(pointOf({ ...all, geo_lng: ['east'], geo_hash: ['?'] }, postcodes)).toEqual({ lat: 52.517, lng: 13.388 });
    expect(pointOf({ geo_country: ['DE'], geo_postcode: ['10117'] })).toBeUndefined();
  });

  it('takes the first value of a key, with spaces around it', () => {
    expect(pointOf({ geo_lat: [' 10 ', '20'], geo_lng: ['1e1'] })).toEqual({ lat: 10, lng: 10 });
  });

  it.each([['91', '0'], ['0', '180.5'], ['0x10', '0'], ['', '0'], ['NaN', '0'], ['Infinity', '0'], ['1,5', '0']])(
    'finds no place in %s, %s',
    (lat, lng) => {
      expect(pointOf({ geo_lat: [lat], geo_lng: [lng] })).toBeUndefined();
    },
  );

  it('is not misled by keys that every object has', () => {
    expect(pointOf({})).toBeUndefined();
  });
});
