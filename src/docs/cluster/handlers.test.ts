import { expect, it } from 'vitest';
import type { Queries } from '../../storage/index.ts';
import { Collections } from './collections.ts';
import { aloneHandlers } from './handlers.ts';
import { unitsFrom } from './unit.ts';

it('lists partitions with their number and how many there are', async () => {
  const sql = { all: async () => [{ id: 1, name: 'blog', docs: 10 }] } as unknown as Queries;
  const collections = new Collections({ sql, views: [{ divisionOf: () => ({ serving: 1, next: 2 }) }] });
  const [first, second] = unitsFrom(1, 2) as [number, number];
  const { listNodes } = aloneHandlers({
    facts: { name: 'a', address: '', version: '1', weight: 100, limit: 0 },
    collections,
  }, () => ({ used: 5, position: 7, ready: new Map([[unitsFrom(1, 1)[0]!, 3], [second, 2]]) }));
  const found = await listNodes({ collection: 'Blog' }, {} as never);
  const blog = { collection: 'blog', wanted: ['a'] };
  expect(found).toMatchObject({
    nodes: [{ name: 'a', readyPartitions: 2, wantedPartitions: 3 }],
    shortTotal: 1,
    shortPartitions: [{ ...blog, partition: 0, partitions: 2, ready: [] }],
    partitions: [
      { ...blog, partition: 0, partitions: 1, ready: ['a'] },
      { ...blog, partition: 0, partitions: 2, ready: [] },
      { ...blog, partition: 1, partitions: 2, ready: ['a'] },
    ],
  });
  expect(collections.listed.map(({ unit }) => unit)).toEqual([64, first, second]);
});
