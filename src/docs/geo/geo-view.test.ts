import { describe, expect, it } from 'vitest';
import { OrdSet } from '../../lib/ord-set.ts';
import { PlaceIndex } from '../../search/geo/index.ts';
import { GeoIndex } from './geo-view.ts';

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
});
