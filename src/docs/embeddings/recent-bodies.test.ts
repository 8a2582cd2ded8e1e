import { expect, it } from 'vitest';
import type { FeedReader, Queries, Row } from '../../storage/index.ts';
import { RecentBodies } from './recent-bodies.ts';

/** Documents 1 to 9, of which the even ones have vectors and 4 was changed since. */
class Tables implements Queries {
  readonly read: unknown[][] = [];
  during: () => void = () => undefined;

  async all<R extends Row>(_: string, params: readonly unknown[] = []): Promise<R[]> {
    this.read.push([...new Set(params)]);
    this.during();
    return ([...new Set(params)] as number[]).filter((ord) => ord > 0 && ord < 10).map((ord) =>
      ({
        ord,
        expires_at: ord === 6 ? 100 : null,
        crc: ord,
        bytes: 10,
        ...(ord % 2 === 0
          ? { e_crc: ord === 4 ? 0 : ord, e_bytes: 10, chunking: 'c' }
          : { e_crc: null, e_bytes: null, chunking: null }),
      }) as unknown as R
    );
  }

  async get<R extends Row>(): Promise<R | undefined> {
    throw new Error('no row is read alone');
  }
}

function open() {
  const readers: FeedReader[] = [];
  const tables = new Tables();
  const bodies = new RecentBodies(tables, {
    join: (reader) => {
      readers.push(reader);
      return () => undefined;
    },
  });
  return { bodies, tables, commit: () => readers.forEach(({ wake }) => wake()) };
}

it('are read once until a commit', async () => {
  const { bodies, tables, commit } = open();
  const found = await bodies.read([1, 4, 6, 99]);
  expect([...found]).toEqual([[1, { expiresAt: null, embedded: undefined, isFresh: false }], [4, {
    expiresAt: null,
    embedded: { ord: 4, crc: 0, bytes: 10, chunking: 'c' },
    isFresh: false,
  }], [6, { expiresAt: 100, embedded: { ord: 6, crc: 6, bytes: 10, chunking: 'c' }, isFresh: true }]]);
  expect([...(await bodies.read([6, 4, 2])).keys()].sort()).toEqual([2, 4, 6]);
  expect(tables.read).toEqual([[1, 4, 6, 99], [2]]);
  commit();
  await bodies.read([6, 2]);
  expect(tables.read.at(-1)).toEqual([6, 2]);
});

it('are passed one after the other, whether or not all are remembered', async () => {
  const { bodies, tables } = open();
  const all = async (ords: readonly number[]): Promise<[number, boolean | undefined][]> => {
    const passed: [number, boolean | undefined][] = [];
    await bodies.each(ords, (ord, state) => passed.push([ord, state?.isFresh]));
    return passed;
  };
  expect(await all([6, 99, 4])).toEqual([[6, true], [99, undefined], [4, false]]);
  expect(await all([4, 6, 4])).toEqual([[4, false], [6, true], [4, false]]);
  expect(tables.read).toEqual([[6, 99, 4]]);
});

it('are not remembered if a commit happens while they are read', async () => {
  const { bodies, tables, commit } = open();
  tables.during = commit;
  expect((await bodies.read([1])).size).toBe(1);
  await bodies.read([1]);
  expect(tables.read).toEqual([[1], [1]]);
});
