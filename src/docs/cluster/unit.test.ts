import { expect, it } from 'vitest';
import { Announcement, decoded } from './holdings.ts';
import { numberOf, unitOf, unitsFrom } from './unit.ts';

it('numbers each partition of each division of a collection differently, and undivided ones as ever', () => {
  expect(numberOf({ collection: 7, partition: 0, partitions: 1 })).toBe(7 * 64);
  const seen = new Set<number>();
  for (const collection of [1, 2, 64, 4096, 2 ** 31]) {
    for (const partitions of [1, 2, 3, 8, 64]) {
      for (const [partition, unit] of unitsFrom(collection, partitions).entries()) {
        expect(unitOf(unit)).toEqual({ collection, partition, partitions });
        seen.add(unit);
      }
    }
  }
  expect(seen.size).toBe(5 * (1 + 2 + 3 + 8 + 64));
});

it('announces partitions with the number of them', () => {
  const units = [...unitsFrom(3, 1), ...unitsFrom(3, 2), ...unitsFrom(4, 64)];
  expect([...decoded(new Announcement().update(new Map(units.map((unit) => [unit, 1])))!).keys()]).toEqual(
    units.sort((one, other) => one - other),
  );
});
