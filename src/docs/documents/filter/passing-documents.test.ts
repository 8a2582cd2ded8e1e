import { expect, it } from 'vitest';
import { OrdSet } from '../../../lib/ord-set.ts';
import { parseFilter } from '../../../search/filter/index.ts';
import { parseSort } from '../../../search/order/index.ts';
import { readCollection, type CollectionRow } from '../collection-rows.ts';
import { readPlaces } from '../order/index.ts';
import { DRIVERS, Fixture } from '../test-fixture.ts';
import { passingDocuments } from './passing-documents.ts';

it.each(DRIVERS)('over %s, values that come in batches are compared and sorted as those that come at once', async (driver) => {
  const fixture = await Fixture.open(driver);
  const documents = Array.from({ length: 5000 }, (_, i) => ({ key: `k${i}`, lang: 'en', contentMd: '', meta: { n: [String(i % 7)], all: ['x'] } }));
  await fixture.call('addDocuments', { collection: 'c', documents });
  const small = (await readCollection(fixture.sql, 'c'))!;
  const large: CollectionRow = { ...small, docs: 1_000_000 };
  for (const text of ['n >= 3', 'n = 5', 'all = x', 'key >= k4', 'NOT n IN ["1", "2"]']) {
    const [once, batched] = await Promise.all([small, large].map((row) => passingDocuments(fixture.sql, row, parseFilter(text))));
    expect([...batched!], text).toEqual([...once!]);
    expect(once!.size, text).toBeGreaterThan(500);
  }
  const every = OrdSet.of(await passingDocuments(fixture.sql, small, parseFilter('all EXISTS')));
  const keys = parseSort('n:asc, key', { descending: true, scored: false });
  const [once, batched] = await Promise.all([small, large].map((row) => readPlaces(fixture.sql, row, every, keys)));
  expect(batched).toEqual(once);
  expect(once!.size).toBe(5000);
  await fixture.close();
});
