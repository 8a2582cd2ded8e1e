import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrdSet } from '../../lib/ord-set.ts';
import { boxBetween, distanceMeters, encodeGeohash, geodesicMeters, PlaceIndex, type Point, type Position,
  shapeOf } from './index.ts';

/** Places, some of which are equal, some close together, and some at a pole or at the 180th meridian. */
const places = fc.oneof(fc.record({
  lat: fc.double({ min: -90, max: 90, noNaN: true }),
  lng: fc.double({ min: -180, max: 180, noNaN: true }),
}), fc.record({ lat: fc.integer({ min: 40, max: 44 }), lng: fc.integer({ min: 8, max: 12 }) }),
  fc.record({ lat: fc.constantFrom(-90, 90, 89.9999, 0), lng: fc.constantFrom(-180, 180, 179.9999, -179.9999, 0) }));
const changes = fc.array(fc.record({ ord: fc.integer({ min: 0, max: 300 }), place: fc.option(places) }), {
  minLength: 1,
  maxLength: 700,
  size: 'max',
});
/** More than there are documents. */
const EVERY = 10_000;
const algorithms = fc.constantFrom('rtree' as const, 'geohash' as const);
const documents = fc.option(
  fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200, size: 'max' }).map((ords) => OrdSet.of(ords)),
  { nil: undefined },
);

describe.each(['release', 'debug'] as const)('an index of places, %s build', (build) => {
  const filled = (steps: readonly { ord: number; place: Point | null }[]): [PlaceIndex, Map<number, Point>] => {
    const [index, known] = [PlaceIndex.create(build), new Map<number, Point>()];
    for (const { ord, place } of steps) {
      if (place === null) {
        index.remove(ord);
        known.delete(ord);
      } else {
        index.put(ord, place);
        known.set(ord, place);
      }
    }
    expect(index.documents).toBe(known.size);
    return [index, known];
  };
  const passing = (known: Map<number, Point>, set: OrdSet | undefined): [number, Point][] =>
    [...known].filter(([ord]) => set?.has(ord) !== false);
  const sorted = (ords: Iterable<number>): number[] => [...ords].sort((a, b) => a - b);

  it('finds what is near, the nearest first, as a look at every place does', async () => {
    await fc.assert(
      fc.asyncProperty(changes, places, fc.double({ min: 0.1, max: 21e6, noNaN: true }),
        fc.integer({ min: 0, max: 20 }), algorithms, documents,
        async (steps, middle, radiusMeters, limit, algorithm, set) => {
          const [index, known] = filled(steps);
          const all = passing(known, set).map(([ord, place]) => ({
            ord,
            distanceMeters: distanceMeters(middle, place),
          })).filter((one) => one.distanceMeters <= radiusMeters);
          const expected = all.sort((a, b) => a.distanceMeters - b.distanceMeters);
          const found = await index.near({ middle, radiusMeters }, {
            algorithm,
            documents: set,
            limit: limit || EVERY,
          });
          expect(found).toHaveLength(limit > 0 ? Math.min(limit, all.length) : all.length);
          for (const [i, { ord, distanceMeters: distance }] of found.entries()) {
            // Two formulas, whose error near the opposite side of the globe is less than a metre.
            expect(Math.abs(distance - expected[i]!.distanceMeters)).toBeLessThan(1);
            expect(Math.abs(distance - distanceMeters(middle, known.get(ord)!))).toBeLessThan(1);
            const before = found[i - 1];
            if (before !== undefined)
              expect(before.distanceMeters < distance || (before.distanceMeters === distance && before.ord < ord)).toBe(
                true,
              );
          }
          if (limit === 0)
            expect(sorted(await index.inCircle({ middle, radiusMeters }, { algorithm, documents: set }))).toEqual(
              sorted(all.map(({ ord }) => ord)),
            );
        }),
      { numRuns: build === 'debug' ? 60 : 150 },
    );
  });

  it('finds what is in a box, across the 180th meridian and over the poles', async () => {
    const degrees = (limit: number) =>
      fc.oneof(fc.integer({ min: -limit, max: limit }), fc.double({ min: -limit, max: limit, noNaN: true }));
    await fc.assert(
      fc.asyncProperty(changes, degrees(90), degrees(90), degrees(180), degrees(180), algorithms, documents,
        async (steps, a, b, minLng, maxLng, algorithm, set) => {
          const [index, known] = filled(steps);
          const box = { minLat: Math.min(a, b), maxLat: Math.max(a, b), minLng, maxLng };
          const isIn = ({ lat, lng }: Point): boolean => {
            if (lat < box.minLat || lat > box.maxLat) return false;
            if (Math.abs(lat) === 90) return true;
            const meridians = Math.abs(lng) === 180 ? [-180, 180] : [lng];
            return meridians.some((
              one,
            ) => (minLng <= maxLng ? one >= minLng && one <= maxLng : one >= minLng || one <= maxLng));
          };
          expect(sorted(await index.within(boxBetween(box), { algorithm, documents: set }))).toEqual(
            sorted(passing(known, set).filter(([, place]) => isIn(place)).map(([ord]) => ord)),
          );
        }),
      { numRuns: build === 'debug' ? 60 : 150 },
    );
  });

  it('finds what is in polygons with holes, their sides included', async () => {
    const ring = fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 36, max: 46 }),
      fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 6 })).map((
        [x, y, width, height],
      ): Position[] => [[x, y], [x + width, y], [x + width, y + height], [x, y + height]]);
    await fc.assert(
      fc.asyncProperty(changes,
        fc.array(fc.array(ring, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }), algorithms, documents,
        async (steps, polygons, algorithm, set) => {
          const [index, known] = filled(steps);
          const touches = (positions: Position[], { lat, lng }: Point, margin: 0 | 1): boolean => {
            const [[x, y], , [right, top]] = positions as [[number, number], Position, [number, number]];
            return margin === 0
              ? lng > x && lng < right && lat > y && lat < top
              : lng >= x && lng <= right && lat >= y && lat <= top;
          };
          const isOnSide = (positions: Position[], place: Point): boolean =>
            touches(positions, place, 1) && !touches(positions, place, 0);
          // A point on the side of a hole that extends beyond the border still counts as on a side.
          const isIn = (place: Point): boolean =>
            polygons.some((rings) =>
              rings.some((one) => isOnSide(one, place)) ||
              (touches(rings[0]!, place, 0) && !rings.slice(1).some((hole) => touches(hole, place, 0)))
            );
          const found = await index.inside(shapeOf(polygons), { algorithm, documents: set });
          expect(sorted(found)).toEqual(
            sorted(passing(known, set).filter(([, place]) => isIn(place)).map(([ord]) => ord)),
          );
        }),
      { numRuns: build === 'debug' ? 60 : 150 },
    );
  });

  it('finds what is in triangles of any direction and order of corners', async () => {
    const corner = fc.tuple(fc.integer({ min: -30, max: 30 }), fc.integer({ min: -30, max: 30 }));
    const grid = Array.from({ length: 61 * 61 },
      (_, i) => ({ ord: i, place: { lat: Math.floor(i / 61) - 30, lng: (i % 61) - 30 } }));
    const [index] = filled(grid);
    await fc.assert(fc.asyncProperty(corner, corner, corner, fc.boolean(), async (a, b, c, closed) => {
      const side = ([x0, y0]: number[], [x1, y1]: number[], { lat, lng }: Point): number =>
        Math.sign((x1! - x0!) * (lat - y0!) - (y1! - y0!) * (lng - x0!));
      fc.pre(side(a, b, { lat: c[1], lng: c[0] }) !== 0);
      const isIn = (place: Point): boolean =>
        new Set([side(a, b, place), side(b, c, place), side(c, a, place)].filter((sign) => sign !== 0)).size <= 1;
      const found = await index.inside(shapeOf([[closed ? [a, b, c, a] : [a, b, c]]]));
      expect(sorted(found)).toEqual(grid.filter(({ place }) => isIn(place)).map(({ ord }) => ord));
    }), { numRuns: build === 'debug' ? 24 : 60 });
  });

  it('counts documents by geohash', async () => {
    await fc.assert(
      fc.asyncProperty(changes, fc.integer({ min: 1, max: 12 }), fc.constantFrom(0, 1, 2, 7, 1000), documents,
        async (steps, length, most, set) => {
          const [index, known] = filled(steps);
          const counts = new Map<string, number>();
          for (const [, place] of passing(known, set)) {
            const geohash = encodeGeohash(place, length);
            counts.set(geohash, (counts.get(geohash) ?? 0) + 1);
          }
          const expected = [...counts].sort().map(([geohash, count]) => ({ geohash, count })).sort((a, b) =>
            b.count - a.count
          );
          expect(await index.cells(length, most, set)).toEqual(expected.slice(0, most));
        }),
      { numRuns: build === 'debug' ? 40 : 100 },
    );
  });

  it('loads what it has saved, as it was then, whatever changes meanwhile', async () => {
    await fc.assert(fc.asyncProperty(changes, changes, async (steps, later) => {
      const [index, known] = filled(steps);
      const pieces: Uint8Array[] = [];
      let isFirst = true;
      for await (const piece of index.save()) {
        pieces.push(Buffer.from(piece));
        for (const { ord, place } of isFirst ? later : []) {
          if (place === null) index.remove(ord);
          else index.put(ord, place);
        }
        isFirst = false;
      }
      const loaded = await PlaceIndex.load((async function*() {
        yield* pieces;
      })());
      expect(new Map([...known.keys()].map((ord) => [ord, loaded.pointsOf([ord])[0]]))).toEqual(known);
      expect(loaded.documents).toBe(known.size);
    }), { numRuns: build === 'debug' ? 16 : 40 });
  });

  it('returns its memory when documents move about and go', async () => {
    const index = PlaceIndex.create(build);
    const move = (round: number): void => {
      for (let ord = 0; ord < 3000; ord++)
        index.put(ord, { lat: ((ord * 7 + round * 13) % 179) - 89, lng: ((ord * 11 + round * 17) % 359) - 179 });
    };
    for (let round = 0; round < 5; round++) move(round);
    const { bytes } = index;
    for (let round = 5; round < 20; round++) move(round);
    expect(index.bytes).toBeLessThan(bytes * 1.5);
    for (let ord = 0; ord < 3000; ord++) index.remove(ord);
    expect([index.documents, await index.near({ middle: { lat: 0, lng: 0 }, radiusMeters: 3e7 }, { limit: EVERY })])
      .toEqual([0, []]);
  });
});

describe('an index of places', () => {
  it('finds a polygon that reaches beyond 180 degrees, and one that a pole is in', async () => {
    const index = PlaceIndex.create();
    for (const [ord, [lat, lng]] of [[0, 179], [0, -179], [0, 180], [0, -180], [0, 170], [90, 12], [85, -100], [-90, 0]]
      .entries()) index.put(ord, { lat: lat!, lng: lng! });
    const found = async (...rings: Position[][]) => [...await index.inside(shapeOf([rings]))].sort();
    expect(await found([[178, -1], [182, -1], [182, 1], [178, 1]])).toEqual([0, 1, 2, 3]);
    expect(await found([[-182, -1], [-178, -1], [-178, 1], [-182, 1]])).toEqual([0, 1, 2, 3]);
    expect(await found([[178, -1], [180, -1], [180, 1], [178, 1]])).toEqual([0, 2, 3]);
    expect(await found([[-180, 80], [180, 80], [180, 90], [-180, 90]])).toEqual([5, 6]);
    expect(await found([[0, 0], [1, 1], [2, 2]])).toEqual([]);
  });

  it('is asked no further when the signal aborts', async () => {
    const index = PlaceIndex.create();
    index.put(1, { lat: 0, lng: 0 });
    await expect(index.inside(shapeOf([[[[-1, -1], [1, -1], [0, 1]]]]), {}, AbortSignal.abort(new Error('gone'))))
      .rejects.toThrow('gone');
  });

  it('orders by the ellipsoid where asked, with the nearest of all', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(places, { minLength: 1, maxLength: 60 }), places, fc.integer({ min: 1, max: 9 }),
        fc.double({ min: 1, max: 19e6, noNaN: true }), async (all, middle, limit, radiusMeters) => {
        const index = PlaceIndex.create();
        for (const [ord, place] of all.entries()) index.put(ord, place);
        const expected = all.map((place, ord) => ({ ord, distanceMeters: geodesicMeters(middle, place) })).filter((
          one,
        ) => one.distanceMeters <= radiusMeters).sort((a, b) => a.distanceMeters - b.distanceMeters || a.ord - b.ord)
          .slice(0, limit);
        expect(await index.near({ middle, radiusMeters }, { distance: 'geodesic', limit })).toEqual(expected);
      }),
    );
  });

  it('remembers when it was built, and refuses checkpoints that are damaged', async () => {
    const index = new PlaceIndex({ builtAt: 1_766_400_000 });
    for (let ord = 0; ord < 500; ord++) index.put(ord, { lat: ord / 10, lng: -ord / 10 });
    const pieces: Uint8Array[] = [];
    for await (const piece of index.save()) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    const load = (damaged: Buffer) =>
      PlaceIndex.load((async function*() {
        yield damaged;
      })());
    const flipped = Buffer.from(bytes);
    flipped[100]! ^= 1;
    for (const damaged of [bytes.subarray(0, -3), bytes.subarray(0, 10), Buffer.from('QUIREGE0'), flipped])
      await expect(load(damaged)).rejects.toThrow();
    expect(await load(bytes)).toMatchObject({ documents: 500, builtAt: 1_766_400_000 });
  });
});

describe('geodesicMeters', () => {
  it.each([
    // Published test lines of the ellipsoid: Flinders Peak to Buninyong, a degree along the equator, a quarter of a
    // meridian.
    [{ lat: -37.95103341666667, lng: 144.42486788888888 }, { lat: -37.65282113888889, lng: 143.92649552777777 },
      54_972.271],
    [{ lat: 0, lng: 0 }, { lat: 0, lng: 1 }, 111_319.491],
    [{ lat: 0, lng: 20 }, { lat: 90, lng: 20 }, 10_001_965.729],
  ])('is the length of the line from %o to %o', (from, to, meters) => {
    expect(geodesicMeters(from, to)).toBeCloseTo(meters, 2);
  });

  it('is within 0.57 % of the great circle, and nothing from a place to itself', () => {
    fc.assert(fc.property(places, places, (a, b) => {
      const [sphere, ellipsoid] = [distanceMeters(a, b), geodesicMeters(a, b)];
      expect(ellipsoid).toBeGreaterThanOrEqual(sphere / 1.0057 - 0.01);
      expect(ellipsoid).toBeLessThanOrEqual(sphere / 0.9955 + 0.01);
      expect(geodesicMeters(a, a)).toBe(0);
    }));
  });
});
