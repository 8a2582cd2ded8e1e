import { beforeAll, describe, expect, it } from 'vitest';
import { OrdSet } from '../../lib/ord-set.ts';
import { mostWork } from '../../testkit/work-counter.ts';
import { boxBetween, PlaceIndex, type Position, shapeOf } from './index.ts';

const POINTS = 150_000;
const EVERYWHERE = boxBetween({ minLat: -90, maxLat: 90, minLng: -180, maxLng: 180 });
const GLOBE = { middle: { lat: 10, lng: 20 }, radiusMeters: 2.1e7 };
/** Units of work that may be done without a pause: some milliseconds. */
const BOUND = 400_000;
/** The same where only points are looked at. */
const POINTS_AT_ONCE = 40_000;

/** A ring whose sides cross nearly all latitudes, so that each place has to be compared with half of them. */
function zigzag(positions: number): Position[] {
  return Array.from({ length: positions }, (_, i) => [((i * 37) % 359) - 179, ((i * 91) % 170) - 85]);
}

function filled(points: number): PlaceIndex {
  const index = PlaceIndex.create();
  for (let ord = 0; ord < points; ord++)
    index.put(ord, { lat: ((ord * 7919) % 179_999) / 1000 - 90, lng: ((ord * 104_729) % 359_999) / 1000 - 180 });
  return index;
}

describe('a search of many places', () => {
  let index: PlaceIndex;
  beforeAll(() => {
    index = filled(POINTS);
  });

  it.each([['a box', () => index.within(EVERYWHERE)], ['a box, by geohashes',
    () => index.within(EVERYWHERE, { algorithm: 'geohash' })], ['a circle', () => index.inCircle(GLOBE)], [
    'the nearest, of which no other is asked for',
    () => index.near(GLOBE, { limit: 10, documents: OrdSet.of([POINTS - 1, POINTS - 2]) }),
  ], ['the nearest, by geohashes', () => index.near(GLOBE, { limit: 11_000, algorithm: 'geohash' })], ['cells',
    () => index.cells(12, 10_000)], ['the nearest along the ellipsoid, nearly opposite on the globe',
    () =>
      index.near({ ...GLOBE, middle: { lat: -10, lng: -160 } }, {
        limit: 10,
        distance: 'geodesic',
        documents: OrdSet.upTo(5000),
      })]])('works in small steps: %s', async (_, search) => {
      expect(await mostWork(search)).toBeLessThan(POINTS_AT_ONCE);
    });

  it.each([['a shape with many sides around all of them', [[[-180, -90], [180, -90], [180, 90],
    ...zigzag(50_000).map(([x]) => [x!, 90])]], POINTS], ['a zigzag of 100,000 positions', [zigzag(100_000)], 200], [
    'a hundred zigzags',
    Array.from({ length: 100 }, () => zigzag(1000)),
    200,
  ]])('works in small steps: %s', async (_, rings, points) => {
    const one = points === POINTS ? index : filled(points);
    const shape = shapeOf([rings]);
    expect(await mostWork(() => one.inside(shape))).toBeLessThan(BOUND);
  });

  it('finds what was there when it began, whatever changes meanwhile', async () => {
    const [changing, before] = [filled(100_000), 100_000];
    const searches = [changing.within(EVERYWHERE), changing.inCircle(GLOBE),
      changing.inside(shapeOf([[[[-180, -90], [180, -90], [180, 90], [-180, 90]]]]))];
    const cells = changing.cells(1, 32);
    const nearest = changing.near({ middle: { lat: 0, lng: 0 }, radiusMeters: 2.1e7 }, { limit: before });
    for (let ord = 0; ord < before; ord += 7) changing.remove(ord);
    changing.put(before, { lat: 0, lng: 0 });
    for (const found of await Promise.all(searches)) expect(found).toHaveLength(before);
    expect((await cells).reduce((sum, { count }) => sum + count, 0)).toBe(before);
    expect(new Set((await nearest).map(({ ord }) => ord)).size).toBe(before);
    expect(await changing.within(EVERYWHERE)).toHaveLength(changing.documents);
  });

  it('lets a change wait until the searches that have begun are done, but not for ever', async () => {
    const one = filled(100_000);
    const found = one.within(EVERYWHERE);
    let steps = 0;
    while (one.settle()) steps += 1;
    expect(steps).toBeGreaterThan(1);
    one.remove(3);
    expect(await found).toHaveLength(100_000);
    const searches: Promise<Uint32Array>[] = [];
    // Another search begins in each step.
    for (steps = 0; steps < 1000; steps++) {
      searches.push(one.within(EVERYWHERE));
      if (!one.settle()) break;
    }
    expect(steps).toBeLessThan(1000);
    one.put(3, { lat: 0, lng: 0 });
    for (const each of await Promise.all(searches)) expect(each).toHaveLength(99_999);
    expect(one.settle()).toBe(false);
  });

  it('frees what it used when it is given up', async () => {
    const one = filled(100_000);
    await one.within(EVERYWHERE);
    const { bytes } = one;
    for (let i = 0; i < 200; i++) {
      const controller = new AbortController();
      const found = i % 2 === 0
        ? one.inside(shapeOf([[zigzag(100)]]), {}, controller.signal)
        : one.within(EVERYWHERE, {}, controller.signal);
      if (i % 3 === 0) one.put(5, { lat: i / 10, lng: 3 });
      controller.abort(new Error('gone'));
      await expect(found).rejects.toThrow('gone');
    }
    expect(one.bytes).toBeLessThan(bytes * 2);
    expect(one.settle()).toBe(false);
  });
});
