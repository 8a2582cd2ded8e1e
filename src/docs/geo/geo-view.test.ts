import { describe, expect, it } from 'vitest';
import { OrdSet } from '../../lib/ord-set.ts';
import { PlaceIndex } from '../../search/geo/index.ts';
import { GeoIndex, joinGeoIndexes } from './geo-view.ts';

const here = { middle: { lat: 50, lng: 10 }, radiusMeters: 100_000 };

describe('the documents in a circle', () => {
  it('are those whose places are in it, among all documents or some', async () => {
    const index = new GeoIndex(PlaceIndex.create());
    for (const ord of [1, 5, 9]) index.put(ord, { lat: 50, lng: 10 + ord / 10 });
    index.put(7, { lat: 0, lng: 0 });
    const all = await index.inCircle(here, undefined);
    expect([...all]).toEqual([1, 5, 9]);
    expect([...await index.inCircle({ ...here, radiusMeters: 20_000 }, undefined)]).toEqual([1]);
    const some = OrdSet.of([5, 7]);
    expect([...await index.inCircle(here, some)]).toEqual([5]);
    expect([...await index.inCircle(here, OrdSet.of([9]))]).toEqual([9]);
    index.put(7, { lat: 50, lng: 10 });
    expect([...await index.inCircle(here, undefined)]).toEqual([1, 5, 7, 9]);
    index.remove(5);
    expect([...await index.inCircle(here, undefined)]).toEqual([1, 7, 9]);
    index.put(9, undefined);
    expect([...await index.inCircle(here, undefined)]).toEqual([1, 7]);
  });

  it('are those of all partitions', async () => {
    const parts = [new GeoIndex(PlaceIndex.create()), new GeoIndex(PlaceIndex.create())];
    const joined = joinGeoIndexes(parts);
    for (const ord of [1, 5, 9, 20]) parts[ord % 2]!.put(ord, { lat: 50, lng: 10 + ord / 10 });
    expect([...await joined.inCircle(here, undefined)]).toEqual([1, 5, 9]);
    parts[0]!.put(2, { lat: 50, lng: 10 });
    parts[1]!.remove(5);
    expect([...await joined.inCircle(here, OrdSet.of([2, 5, 9]))]).toEqual([2, 9]);
    expect(joined.documents).toBe(4);
    expect(joined.bytes).toBe(parts[0]!.bytes + parts[1]!.bytes);
  });
});
