import { describe, expect, it } from 'vitest';
import type { FeedReader, Queries, Row } from '../../../storage/index.ts';
import { DRIVERS } from '../../documents/test-fixture.ts';
import type { ResultRow } from '../../search/index.ts';
import { RecentRows } from './recent-rows.ts';
import { SearchFixture } from './test-fixture.ts';

/** Rows of a table without rows 0 and 13, which notes what is read. */
class Table implements Queries {
  readonly read: unknown[][] = [];
  during: () => void = () => undefined;

  async all<R extends Row>(_: string, params: readonly unknown[] = []): Promise<R[]> {
    this.read.push([...params]);
    this.during();
    return params.filter((ord) => ord !== 0 && ord !== 13).map((ord) =>
      ({ ord, meta: '{}', meta_bytes: 0 }) as unknown as R
    );
  }

  async get<R extends Row>(): Promise<R | undefined> {
    throw new Error('no row is read alone');
  }
}

describe('recent rows', () => {
  const open = () => {
    const readers: FeedReader[] = [];
    const rows = new RecentRows({
      join: (reader) => {
        readers.push(reader);
        return () => undefined;
      },
    });
    return { rows, table: new Table(), commit: () => readers.forEach(({ wake }) => wake()) };
  };

  it('are read once until a commit', async () => {
    const { rows, table, commit } = open();
    expect([...(await rows.read(table, [3, 13, 5])).keys()]).toEqual([3, 5]);
    expect([...(await rows.read(table, [5, 4, 3])).keys()].sort()).toEqual([3, 4, 5]);
    await rows.read(table, [4, 5]);
    expect(table.read).toEqual([[3, 13, 5], [4]]);
    commit();
    await rows.read(table, [4, 5]);
    expect(table.read).toEqual([[3, 13, 5], [4], [4, 5]]);
  });

  it('are not remembered if a commit happens while they are read', async () => {
    const { rows, table, commit } = open();
    table.during = commit;
    expect((await rows.read(table, [1])).size).toBe(1);
    await rows.read(table, [1]);
    expect(table.read).toEqual([[1], [1]]);
  });

  const whole = (ord: number) =>
    ({
      ord,
      id: `c|${ord}|en`,
      meta: '{"a":["b"]}',
      meta_bytes: 11,
      body: new Uint8Array(1),
      bytes: 1,
      crc: 7,
    }) as unknown as ResultRow;

  it('are those that were read with their contents, without these', async () => {
    const { rows, table, commit } = open();
    const [one, two] = [whole(1), { ...whole(2), meta: null }];
    rows.keep(rows.state, [one, two]);
    const bare = rows.known(1)!;
    expect(bare).toEqual({ ...one, meta: '{}', meta_bytes: 0, body: null });
    expect([(await rows.read(table, [1])).get(1), rows.bareOf(one), table.read]).toEqual([bare, bare, []]);
    expect([rows.known(2), rows.bareOf(two), rows.bareOf(bare)]).toEqual([undefined, undefined, undefined]);
    const again = whole(1);
    rows.keep(rows.state, [again]);
    expect([rows.known(1), rows.bareOf(again)].every((row) => row === bare)).toBe(true);
    commit();
    expect(rows.known(1)).toBeUndefined();
  });

  it('are not those that were read before a commit', () => {
    const { rows, commit } = open();
    const { state } = rows;
    const one = whole(1);
    commit();
    rows.keep(state, [one]);
    expect([rows.known(1), rows.bareOf(one)]).toEqual([undefined, undefined]);
  });
});

describe.each(DRIVERS)('a search for keys that comes again over %s', (driver) => {
  it('shows documents as they are, with the terms that they have', async () => {
    const fixture = await SearchFixture.open(driver);
    try {
      const find = async () =>
        (await fixture.find('apple pear', { fields: ['updatedAt'] })).results.map((
          { document: { key, updatedAt }, matchedTerms },
        ) => [key, updatedAt, matchedTerms]);
      await fixture.add('a', 'apple pear');
      await fixture.add('b', 'apple plum plum plum');
      const first = await find();
      expect(first.map(([key, , terms]) => [key, terms])).toEqual([['a', ['apple', 'pear']], ['b', ['apple']]]);
      expect(await find()).toEqual(first);
      fixture.base.advance(5);
      await fixture.add('b', 'pear plum plum plum');
      const second = await find();
      expect(second.find(([key]) => key === 'b')).toEqual(['b', (first[1]![1] as number) + 5, ['pear']]);
      await fixture.call('deleteDocument', { collection: 'c', key: 'a', lang: 'en' });
      expect((await find()).map(([key]) => key)).toEqual(['b']);
    } finally {
      await fixture.close();
    }
  });
});
