import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrdSet } from '../../lib/ord-set.ts';
import { Loopback } from '../../testkit/parts/loopback.ts';
import { gathered } from '../parts/index.ts';
import { answerPlaces, boxBetween, joinPlaces, PlaceIndex, type ReadablePlaces, RemotePlaces,
  shapeOf } from './index.ts';

/** Few places, so that many documents have the same one, and some close together. */
const places = fc.oneof(fc.record({
  lat: fc.integer({ min: 40, max: 44 }),
  lng: fc.integer({ min: 8, max: 12 }),
}), fc.record({
  lat: fc.double({ min: 41, max: 41.001, noNaN: true }),
  lng: fc.double({ min: 9, max: 9.001, noNaN: true }),
}), fc.record({ lat: fc.constantFrom(-90, 90, 0), lng: fc.constantFrom(-180, 180, 179.9999) }));
const changes = fc.array(fc.record({ ord: fc.integer({ min: 0, max: 300 }), place: fc.option(places) }), {
  maxLength: 500,
  size: 'max',
});
const documents = fc.option(fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200, size: 'max' }), {
  nil: undefined,
});
const question = fc.record({
  documents,
  algorithm: fc.constantFrom('rtree' as const, 'geohash' as const),
  distance: fc.constantFrom('haversine' as const, 'geodesic' as const),
  middle: places,
  radiusMeters: fc.constantFrom(10, 100_000, 500_000, 21e6),
  limit: fc.integer({ min: 1, max: 20 }),
  length: fc.integer({ min: 1, max: 12 }),
  most: fc.integer({ min: 1, max: 8 }),
});
type Question = typeof question extends fc.Arbitrary<infer T> ? T : never;

const BOX = boxBetween({ minLat: 41, maxLat: 43, minLng: 9, maxLng: 12 });
const SHAPE = shapeOf([[[[8, 40], [12, 40], [10, 44]]]]);

async function answers(index: ReadablePlaces, ask: Question): Promise<unknown> {
  const { algorithm, distance, middle, radiusMeters, limit, length, most } = ask;
  const set = ask.documents && OrdSet.of(ask.documents);
  const query = { documents: set, algorithm };
  const circle = { middle, radiusMeters };
  const inOrder = (ords: Uint32Array): number[] => [...ords].sort((a, b) => a - b);
  return {
    near: await index.near(circle, { ...query, distance, limit }),
    inCircle: inOrder(await index.inCircle(circle, query)),
    within: inOrder(await index.within(BOX, query)),
    inside: inOrder(await index.inside(SHAPE, query)),
    cells: await index.cells(length, most, set),
    points: await gathered(() => index.pointsOf([0, 1, 2, 3, 400])),
    known: await gathered(() => [index.documents, index.builtAt]),
  };
}

/** Which parts are in other processes. */
type IsRemote = (part: number) => boolean;

/** Some parts; part `i` has the ordinals with this remainder, so sets are sent whole. */
function placesIn(count: number, isRemote: IsRemote): {
  readonly parts: readonly PlaceIndex[];
  readonly joined: ReadablePlaces;
  readonly loopback: Loopback;
} {
  const loopback = new Loopback();
  const parts = Array.from({ length: count }, () => PlaceIndex.create());
  const joined = joinPlaces(
    parts.map((part, i) =>
      isRemote(i)
        ? new RemotePlaces(loopback.add((method, args) => answerPlaces(part, method, args)), () => true)
        : part
    ),
  );
  return { parts, joined, loopback };
}

describe('places of several parts', () => {
  it.each([
    { isRemote: () => false, numRuns: 100 },
    { isRemote: (part: number) => part % 2 === 1, numRuns: 40 },
    { isRemote: () => true, numRuns: 20 },
  ])('are found as those of one index, while they change, wherever they are', async ({ isRemote, numRuns }) => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 8 }), fc.array(changes, { minLength: 1, maxLength: 3 }),
        fc.array(question, { minLength: 1, maxLength: 4 }), async (count, rounds, questions) => {
        const one = PlaceIndex.create();
        const { parts, joined, loopback } = placesIn(count, isRemote);
        for (const round of rounds) {
          for (const { ord, place } of round) {
            for (const index of [one, parts[ord % count]!]) {
              if (place === null) index.remove(ord);
              else index.put(ord, place);
            }
          }
          for (const ask of questions)
            expect(await loopback.request(() => answers(joined, ask))).toEqual(await answers(one, ask));
        }
      }),
      { numRuns },
    );
  });

  it('were built when the first of them was, and are one part itself if there is one', () => {
    const parts = [7, 5, 9].map((builtAt) => new PlaceIndex({ builtAt }));
    expect(joinPlaces(parts).builtAt).toBe(5);
    expect(joinPlaces([parts[0]!])).toBe(parts[0]);
  });

  it('are those from when the search began, in all parts', async () => {
    const parts = [PlaceIndex.create(), PlaceIndex.create()];
    const joined = joinPlaces(parts);
    for (let ord = 0; ord < 100; ord++) parts[ord % 2]!.put(ord, { lat: 50, lng: ord / 100 });
    const searching = joined.inCircle({ middle: { lat: 50, lng: 0 }, radiusMeters: 1e6 });
    for (let ord = 0; ord < 50; ord++) parts[ord % 2]!.remove(ord);
    expect(await searching).toHaveLength(100);
    expect(joined.documents).toBe(50);
  });

  it('are no longer searched when the request is aborted', async () => {
    const joined = joinPlaces([PlaceIndex.create(), PlaceIndex.create()]);
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(joined.within(BOX, {}, signal)).rejects.toThrow('gone');
  });

  it('are asked once for each search, and once for the points of all documents of a part', async () => {
    const { parts, joined, loopback } = placesIn(3, (part) => part > 0);
    for (let ord = 0; ord < 30; ord++) parts[ord % 3]!.put(ord, { lat: 50, lng: ord / 100 });
    const circle = { middle: { lat: 50, lng: 0 }, radiusMeters: 1e6 };
    const near = await loopback.request(() =>
      joined.near(circle, { limit: 4, documents: OrdSet.of([1, 2, 3, 9, 29]) })
    );
    expect([near.map(({ ord }) => ord), loopback.asked]).toEqual([[1, 2, 3, 9], ['nearest', 'nearest']]);
    const points = await loopback.request(() => gathered(() => joined.pointsOf([1, 29, 77])));
    expect([points, loopback.rounds]).toEqual([[{ lat: 50, lng: 0.01 }, { lat: 50, lng: 0.29 }, undefined], 1]);
    expect(() => answerPlaces(parts[0]!, 'remove', [1])).toThrow(RangeError);
    await expect(loopback.request(() => joined.near(circle, { limit: 4 }, AbortSignal.abort(new Error('gone')))))
      .rejects.toThrow('gone');
  });
});
