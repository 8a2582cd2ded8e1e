import { describe, expect, it } from 'vitest';
import { OrdSet } from '../../lib/ord-set.ts';
import { PlaceIndex } from '../../search/geo/index.ts';
import { GeoIndex } from './geo-index.ts';

const here = { middle: { lat: 50, lng: 10 }, radiusMeters: 100_000 };

describe('the documents in a circle', () => {
  it('are the same set until a place changes, or other documents are looked at', async () => {
    const index = new GeoIndex(PlaceIndex.create());
    for (const ord of [1, 5, 9]) index.put(ord, { lat: 50, lng: 10 + ord / 10 });
    index.put(7, { lat: 0, lng: 0 });
    const all = await index.inCircle(here, undefined);
    expect([...all]).toEqual([1, 5, 9]);
    expect(await index.inCircle({ ...here }, undefined)).toBe(all);
    expect([...await index.inCircle({ ...here, radiusMeters: 20_000 }, undefined)]).toEqual([1]);
    const some = OrdSet.of([5, 7]);
    expect([...await index.inCircle(here, some)]).toEqual([5]);
    expect(await index.inCircle(here, some)).toBe(await index.inCircle(here, some));
    expect([...await index.inCircle(here, OrdSet.of([9]))]).toEqual([9]);
    index.put(7, { lat: 50, lng: 10 });
    expect([...await index.inCircle(here, undefined)]).toEqual([1, 5, 7, 9]);
    index.remove(5);
    expect([...await index.inCircle(here, undefined)]).toEqual([1, 7, 9]);
    index.put(9, undefined);
    expect([...await index.inCircle(here, undefined)]).toEqual([1, 7]);
  });

  it('report the memory that they take, which is limited', async () => {
    const index = new GeoIndex(PlaceIndex.create());
    index.put(4_000_000, { lat: 50, lng: 10 });
    const before = index.bytes;
    for (let i = 0; i < 40; i++) await index.inCircle({ ...here, radiusMeters: 1000 + i }, undefined);
    expect(index.bytes - before).toBeGreaterThan(2 ** 20);
    expect(index.bytes - before).toBeLessThanOrEqual(4 * 2 ** 20);
    index.put(3, { lat: 50, lng: 10 });
    expect(index.bytes).toBeLessThanOrEqual(before + 2 ** 16);
  });
});
