import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Announcement, decoded } from './holdings.ts';

const anyHoldings = fc.dictionary(fc.integer({ min: 64, max: 1e9 }).map(String), fc.integer({ min: 0, max: 1e12 })).map(
  (units) => new Map(Object.entries(units).map(([unit, bytes]) => [Number(unit), bytes]))
);

it('announces units with sizes that are at most a tenth too large', () => {
  fc.assert(fc.property(anyHoldings, (holdings) => {
    const units = decoded(new Announcement().update(holdings)!);
    expect([...units.keys()].sort()).toEqual([...holdings.keys()].sort());
    for (const [unit, bytes] of holdings) {
      expect(units.get(unit)).toBeGreaterThanOrEqual(bytes - 1);
      expect(units.get(unit)).toBeLessThanOrEqual(bytes * 1.11 + 2);
    }
  }));
});

it('announces each set of units once, also when a unit becomes a little smaller', () => {
  const announcement = new Announcement();
  expect(announcement.update(new Map())).toBe('[]');
  expect(announcement.update(new Map())).toBeUndefined();
  expect(announcement.update(new Map([[64, 1000]]))).toBeDefined();
  for (let bytes = 1000; bytes > 850; bytes -= 10)
    expect(announcement.update(new Map([[64, bytes]]))).toBeUndefined();
  expect(announcement.update(new Map([[64, 700]]))).toBeDefined();
  expect(announcement.update(new Map([[64, 1200]]))).toBeDefined();
  expect(announcement.number).toBe(4);
  announcement.forget();
  expect(announcement.update(new Map())).toBe('[]');
});
