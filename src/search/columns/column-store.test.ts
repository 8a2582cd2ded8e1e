import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrdSet } from '../../lib/ord-set.ts';
import { ReferenceColumns } from '../../testkit/columns/reference.ts';
import { seededRandom } from '../../testkit/crash/random.ts';
import { parseFilter } from '../filter/index.ts';
import { type ColumnDocument, type Columns, ColumnStore, type ReadableColumns } from './index.ts';
import { answers, question, step, withOwnName } from './test-fixture.ts';

async function reloaded(store: ColumnStore, build: 'release' | 'debug'): Promise<ColumnStore> {
  return ColumnStore.load(store.save(), { build, fewValues: 0, fewDocuments: 0 });
}

describe.each(['release', 'debug'] as const)('columns, %s build', (build) => {
  it('return what the reference returns, after any steps', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }),
        fc.array(question, { minLength: 1, maxLength: 6 }), async (steps, questions) => {
        let store = ColumnStore.create({ build, fewValues: 0, fewDocuments: 0 });
        const reference = new ReferenceColumns();
        const ords = new Set<number>();
        const compare = (): void => {
          const all = [...ords].sort((a, b) => a - b);
          for (const one of questions) expect(answers(store, all, one)).toEqual(answers(reference, all, one));
          expect(store.keys()).toEqual(reference.keys());
          const { bytes: _, ...stats } = store.stats();
          const { bytes: __, ...expected } = reference.stats();
          expect(stats).toEqual(expected);
        };
        for (const one of steps) {
          if (one === 'save') store = await reloaded(store, build);
          else if (one === 'tidy') { while (store.tidy()); }
          else if (one === 'prepare') { while (!store.prepare({ keys: questions[0]!.sortings[0]!.keys })); }
          else if (one === 'ask') compare();
          else if ('put' in one) {
            for (const columns of [store, reference]) columns.put(withOwnName(one.put));
            ords.add(one.put.ord);
          } else {
            for (const columns of [store, reference]) columns.remove(one.remove);
            ords.delete(one.remove);
          }
        }
        compare();
      }),
      { numRuns: build === 'debug' ? 60 : 150 },
    );
  });

  it('go on behind a text of a key that no document has any more with the documents without it', () => {
    const columns = [ColumnStore.create({ build }), new ReferenceColumns()];
    for (const one of columns)
      for (const ord of [3, 5]) one.put({ ord, key: `k${ord}`, lang: 'en', addedAt: 1, updatedAt: 1, meta: {} });
    const keys = [{ column: { kind: 'meta', key: 'gone' }, descending: false }] as const;
    const after = { place: ['a'], tie: 'k4|en' };
    const [found, expected] = columns.map((one) => one.sort(undefined, { keys, offset: 0, count: 5, after }));
    expect(found).toEqual(expected);
    expect(found!.map(({ ord }) => ord)).toEqual([3, 5]);
  });

  it('count a set as it is, though it or the documents change between two calls', () => {
    const store = ColumnStore.create({ build });
    const put = (ord: number): void =>
      store.put({ ord, key: `k${ord}`, lang: 'en', addedAt: 1, updatedAt: 1, meta: { a: ['x'] } });
    for (const ord of [1, 2, 3]) put(ord);
    const set = OrdSet.of([1, 2]);
    const counted =
      (): unknown => [store.count(set), store.facet(set, { field: 'a', orderBy: 'count', limit: 0 })[0]?.count];
    expect(counted()).toEqual([2, 2]);
    set.add(3);
    expect(counted()).toEqual([3, 3]);
    set.delete(1);
    expect(counted()).toEqual([2, 2]);
    set.unite(OrdSet.of([1, 4]));
    expect(counted()).toEqual([3, 3]);
    store.remove(2);
    expect(counted()).toEqual([2, 2]);
    put(4);
    expect(counted()).toEqual([3, 3]);
    set.intersect(OrdSet.of([4]));
    expect(counted()).toEqual([1, 1]);
  });

  it('count facets of few values again by the bits of their numbers, until a document changes', async () => {
    let store = ColumnStore.create({ build });
    const reference = new ReferenceColumns();
    const { next: random } = seededRandom(7);
    const both = (act: (columns: Pick<Columns, 'put' | 'remove'>) => void): void => [store, reference].forEach(act);
    const put = (ord: number, meta: ColumnDocument['meta']): void =>
      both((columns) => columns.put({ ord, key: `k${ord}`, lang: 'en', addedAt: 1, updatedAt: 1, meta }));
    const count = 20_000;
    const fields = ['twenty', 'all but some', 'nine', 'sixty', 'sixty-three', 'sparse page', 'several', 'two'];
    for (let i = 0; i < count; i++) {
      put(i + 3, {
        twenty: [String(i % 20)],
        'all but some': random() < 0.7 ? [String(i % 16)] : [],
        nine: [String((i * 7) % 9)],
        sixty: [String(i % 60)],
        'sixty-three': [String((i * 11) % 63)],
        'sparse page': i > 9000 || i % 50 === 0 ? [String(i % 12)] : [],
        several: i === 77 ? ['0', '1'] : [String(i % 20)],
        two: [String(i % 2)],
      });
    }
    const some = (share: number): OrdSet =>
      OrdSet.of(Array.from({ length: count }, (_, i) => i + 3).filter(() => random() < share));
    const compare = (): void => {
      for (const set of [some(0.95), some(0.3), some(0.002), OrdSet.of([4, 17_000])]) {
        for (const field of [...fields, ...fields, ...fields]) {
          const facet = { field, orderBy: 'value', limit: 0 } as const;
          expect(store.facet(set, facet), field).toEqual(reference.facet(set, facet));
        }
      }
    };
    compare();
    put(5000, { twenty: ['5'], sixty: ['new'] });
    put(5001, { twenty: ['new'], nine: ['new'], sixty: ['newer'] });
    compare();
    for (let ord = 3; ord < count; ord += 20) both((columns) => columns.remove(ord));
    compare();
    store = await ColumnStore.load(store.save(), { build });
    compare();
  });

  it('count days, sort and filter by time, whatever times the documents of a page of slots have, while these change', () => {
    const DAY = 86_400;
    const PAGE = 512;
    const pageOfTimes = fc.record({
      first: fc.constantFrom(0, -3, 20_000, 90_000),
      days: fc.constantFrom(1, 2, 400, 65_536, 65_537, 200_000, 2_000_000),
    });
    const change = fc.record({ ord: fc.nat(4 * PAGE), day: fc.constantFrom(undefined, 0, 3, 70_000, 3_000_000) });
    const aSet = fc.record({ from: fc.nat(2 * PAGE), apart: fc.constantFrom(1, 2, 100) });
    const anOrder = fc.record({
      name: fc.constantFrom('addedAt' as const, 'updatedAt' as const),
      descending: fc.boolean(),
      offset: fc.constantFrom(0, 3, 700),
    });
    const bounds = fc.record({
      gte: fc.constantFrom(-DAY, 0, 2 * DAY, 20_010 * DAY),
      lte: fc.constantFrom(DAY, 20_100 * DAY, 80_000 * DAY, 1e12),
    });
    fc.assert(
      fc.property(fc.array(pageOfTimes, { maxLength: 4 }), fc.nat(PAGE), fc.array(change, { maxLength: 3 }), aSet,
        anOrder, bounds, (pages, missing, changes, { from, apart }, { name, descending, offset }, within) => {
        const [store, reference] = [ColumnStore.create({ build, fewDocuments: 0 }), new ReferenceColumns()];
        const asked = (columns: ReadableColumns, counted: OrdSet | undefined) => {
          const keys = [{ column: { kind: 'time', name }, descending }] as const;
          const page = columns.sort(counted, { keys, offset, count: 5 });
          const next = page.length === 0
            ? []
            : columns.sort(counted, { keys, offset: 0, count: 5, after: page.at(-1)! });
          const passing = columns.select({ filter: { kind: 'range', field: name, bounds: within }, now: 0 });
          return {
            days: [columns.days(counted, 'addedAt'), columns.days(counted, 'updatedAt')],
            page,
            next,
            passing: passing && [...passing],
          };
        };
        const put = (ord: number, day: number): void => {
          for (const columns of [store, reference])
            columns.put({
              ord,
              key: `k${ord}`,
              lang: 'en',
              addedAt: day * DAY,
              updatedAt: day * DAY + ((ord * 7919) % (2 * DAY)),
              meta: {},
            });
        };
        const set = OrdSet.of(
          Array.from({ length: pages.length * PAGE }, (_, ord) => ord).filter((ord) =>
            ord >= from && ord % apart === 0
          ),
        );
        const compare = (): void => {
          for (const counted of [undefined, set]) expect(asked(store, counted)).toEqual(asked(reference, counted));
        };
        for (const [page, { first, days }] of pages.entries()) {
          for (let i = 0; i < PAGE - (page === pages.length - 1 ? missing : 0); i++) put(page * PAGE + i,
              first + ((i * 7907) % days));
          compare();
        }
        for (const { ord, day } of changes) {
          if (day === undefined) { for (const columns of [store, reference]) columns.remove(ord); }
          else put(ord, day);
          compare();
        }
      }),
      { numRuns: build === 'debug' ? 10 : 30 },
    );
  });

  it('keep sets of every size, in order and at random, while they grow and shrink', () => {
    const store = ColumnStore.create({ build, fewValues: 50 });
    const reference = new ReferenceColumns();
    const { next: random } = seededRandom(5);
    const made = (i: number): ColumnDocument => ({
      ord: i + 5,
      key: `k${i}`,
      lang: 'en',
      addedAt: i,
      updatedAt: (i * 7919) % 3001,
      expiresAt: i % 50 === 0 ? 10 + i : undefined,
      meta: {
        all: ['x'],
        half: [random() < 0.5 ? 'y' : 'n'],
        some: random() < 0.02 ? ['s'] : [],
        few: random() < 0.003 ? ['f', 'g'] : [],
        blocks: [String(i >> 9)],
        own: [String((i * 7919) % 20_011)],
        many: [String(i % 4500)],
        equal: i % 7 === 0 ? [] : [['1', '1.0', '2', '1e0', 'b', '2.0'][i % 6]!],
      },
    });
    const both = (act: (columns: Pick<Columns, 'put' | 'remove'>) => void): void => [store, reference].forEach(act);
    const texts = ['all = x', 'half = y', 'NOT half = y AND some = s', 'few = g', 'blocks = 3 OR blocks IN ["4", "7"]',
      'blocks >= 5', 'own < 9000', 'own < 100', 'own STARTS WITH 7', 'addedAt > 3000', 'few EXISTS'];
    const compare = (): void => {
      for (const text of texts) {
        while (!store.prepare({ filter: parseFilter(text) }));
        const [set, expected] = [store, reference].map((columns) =>
          columns.select({ filter: parseFilter(text), now: 3000 })
        );
        expect([...set!], text).toEqual([...expected!]);
        for (const field of ['blocks', 'half', 'few', 'own', 'many', 'lang']) {
          const facet = { field, orderBy: 'count', limit: 5 } as const;
          expect(store.facet(set, facet), `${field} of ${text}`).toEqual(reference.facet(set, facet));
        }
        for (const [key, descending] of [['half', true], ['own', false], ['few', true], ['blocks', true], ['blocks',
          false], ['equal', true], ['equal', false]] as const)
        {
          for (const offset of [900, 4800]) {
            const sorting = { keys: [{ column: { kind: 'meta', key }, descending }], offset, count: 5 } as const;
            expect(store.sort(set, sorting), `${key} of ${text} from ${offset}`).toEqual(reference.sort(set, sorting));
          }
        }
        const byTime = {
          keys: [{ column: { kind: 'time', name: 'updatedAt' }, descending: true }],
          offset: 3,
          count: 5,
        } as const;
        expect(store.sort(set, byTime), text).toEqual(reference.sort(set, byTime));
      }
    };
    const count = 6000;
    for (let i = 0; i < count; i++) {
      const one = made(i);
      both((columns) => columns.put(one));
    }
    compare();
    for (let i = 0; i < count; i++) if (i % 100 !== 3 && random() < 0.95) both((columns) => columns.remove(i + 5));
    compare();
    while (store.tidy());
    for (let i = count - 1; i >= 0; i -= 2) {
      const one = made(i);
      both((columns) => columns.put(one));
    }
    compare();
    for (let i = 0; i < count; i++) both((columns) => columns.remove(i + 5));
    while (store.tidy());
    expect(store.stats()).toMatchObject({ documents: 0, pairs: 0, keys: 0, bytes: { bitmaps: 0 } });
  });
});
