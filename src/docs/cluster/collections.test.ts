import { expect, it } from 'vitest';
import type { Queries } from '../../storage/index.ts';
import type { Division, Partition } from '../view/index.ts';
import { Collections } from './collections.ts';
import { holdingOf } from './held-indexes.ts';
import { unitsFrom } from './unit.ts';

const ROWS = [{ id: 1, name: 'blog', docs: 1000 }, { id: 2, name: 'empty', docs: 0 }, { id: 3, name: 'new', docs: 10 }];
const queries = { all: async () => ROWS } as unknown as Queries;

const viewOf = (divisions: Readonly<Record<string, Division>>) => ({
  divisionOf: (name: string): Division | undefined => divisions[name],
});

it('lists the units of each division of a collection, with estimates of their sizes', async () => {
  const collections = new Collections({
    sql: queries,
    views: [viewOf({ blog: { serving: 2, next: 4 } }), viewOf({ blog: { serving: 4, former: 2 } })],
  });
  expect(await collections.units()).toEqual([
    { unit: 3 * 64, bytes: 8000 },
    ...unitsFrom(1, 2).map((unit) => ({ unit, bytes: 400_000 })),
    ...unitsFrom(1, 4).map((unit) => ({ unit, bytes: 200_000 })),
  ]);
  expect(collections.listed.find(({ unit }) => unit === unitsFrom(1, 4)[3])).toEqual({
    partition: { collection: 'blog', number: 3, of: 4 },
    unit: unitsFrom(1, 4)[3],
    documents: 250,
  });
  expect(collections.unitsOf('Blog')).toEqual([...unitsFrom(1, 2), ...unitsFrom(1, 4)]);
  expect(collections.servingUnitsOf('blog')).toEqual(unitsFrom(1, 2));
  expect([collections.servingUnitsOf('new'), collections.servingUnitsOf('unknown')]).toEqual([[3 * 64], []]);
  expect(collections.unitOf({ collection: 'blog', number: 1, of: 4 })).toBe(unitsFrom(1, 4)[1]);
  expect(collections.unitOf({ collection: 'unknown', number: 0, of: 1 })).toBeUndefined();
  expect([collections.nameOf(unitsFrom(1, 4)[1]!), collections.documentsOf('blog')]).toEqual(['blog', 1000]);
  expect(() => collections.unitsOf('unknown')).toThrow('there is no collection unknown');
});

it('has those units ready of which every view has the partition in memory, or holds it at rest', async () => {
  const [first, second] = unitsFrom(1, 2) as [number, number];
  const collections = new Collections({ sql: queries, views: [viewOf({ blog: { serving: 2 } })] });
  await collections.units();
  const memory = (names: readonly string[]) => names.map((name) => ({ name, documents: 1, bytes: 100, usedAt: 0 }));
  const states = [{ 0: 'memory', 1: 'memory' }, { 0: 'memory', 1: 'resting' }] as const;
  const views = states.map((own, i) => ({
    isReady: i === 0,
    position: 7 + i,
    inMemory: () => memory(['blog|1/2', ...i === 0 ? ['blog|2/2'] : []]),
    stateOf: ({ collection, number, of }: Partition) =>
      collection !== 'blog' ? undefined : of === 2 ? own[number as 0 | 1] : 'missing' as const,
  }));
  expect(holdingOf(views, collections, () => false)).toEqual({
    ready: new Map([[first, 200]]),
    used: 300,
    position: 7,
  });
  const held = holdingOf(views, collections, (unit) => unit === second);
  expect(held.ready).toEqual(new Map([[first, 200], [second, 100]]));
});
