import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrdSet } from '../../lib/ord-set.ts';
import { ReferenceColumns } from '../../testkit/columns/reference.ts';
import { seededRandom } from '../../testkit/crash/random.ts';
import { Loopback } from '../../testkit/parts/loopback.ts';
import { parseFilter } from '../filter/index.ts';
import { readEach } from '../parts/index.ts';
import { answerColumns, type ColumnDocument, ColumnStore, joinColumns, type ReadableColumns,
  RemoteColumns } from './index.ts';
import { answers, question, step, withOwnName } from './test-fixture.ts';

/** Which parts are in other processes. */
type IsRemote = (part: number) => boolean;
const NONE: IsRemote = () => false;
const SOME: IsRemote = (part) => part % 2 === 1;
const ALL: IsRemote = () => true;

/** Columns in parts, by blocks of ordinals, and the same documents in one. */
class Both {
  readonly loopback = new Loopback();
  readonly reference = new ReferenceColumns();
  readonly one = ColumnStore.create();
  readonly parts: ColumnStore[];
  readonly joined: ReadableColumns;
  readonly #block: number;

  constructor(parts: number, block = 1, options: Parameters<typeof ColumnStore.create>[0] = {},
    isRemote: IsRemote = NONE)
  {
    this.parts = Array.from({ length: parts }, () => ColumnStore.create(options));
    this.joined = joinColumns(this.parts.map((part, i) => (isRemote(i) ? this.#standIn(i) : part)));
    this.#block = block;
  }

  /** As a request that may ask parts. */
  ask<T>(read: (columns: ReadableColumns) => T): Promise<T> {
    return this.loopback.request(() => read(this.joined));
  }

  #standIn(i: number): RemoteColumns {
    const part = this.parts[i]!;
    const holds = (ord: number): boolean => this.#block % 1024 !== 0 || this.partOf(ord) === part;
    return new RemoteColumns(this.loopback.add((method, args) => answerColumns(part, method, args)), holds);
  }

  partOf(ord: number): ColumnStore {
    return this.parts[Math.floor(ord / this.#block) % this.parts.length]!;
  }

  put(document: ColumnDocument): void {
    for (const columns of [this.reference, this.one, this.partOf(document.ord)]) columns.put(document);
  }

  remove(ord: number): void {
    for (const columns of [this.reference, this.one, this.partOf(ord)]) columns.remove(ord);
  }
}

const document = (ord: number, meta: ColumnDocument['meta'] = {},
  more: Partial<ColumnDocument> = {}): ColumnDocument => ({
    ord,
    key: `k${ord}`,
    lang: 'en',
    addedAt: 1,
    updatedAt: 1,
    meta,
    ...more,
  });

describe('columns of several parts', () => {
  it.each([
    { isRemote: NONE, numRuns: 100 },
    { isRemote: SOME, numRuns: 40 },
    { isRemote: ALL, numRuns: 20 },
  ])('return what the reference returns, after any steps, wherever the parts are', async ({ isRemote, numRuns }) => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 8 }), fc.constantFrom(1, 8, 64, 1024),
        fc.array(step, { maxLength: 60, size: 'max' }), fc.array(question, { minLength: 1, maxLength: 6 }),
        async (count, block, steps, questions) => {
          const both = new Both(count, block, { fewValues: 0, fewDocuments: 0 }, isRemote);
          const ords = new Set<number>();
          const compare = async (): Promise<void> => {
            const all = [...ords].sort((a, b) => a - b);
            for (const one of questions) {
              expect(await both.ask((joined) => answers(joined, all, one))).toEqual(answers(both.reference, all, one));
            }
            expect(await both.ask((joined) => joined.keys())).toEqual(both.reference.keys());
            const { bytes: _, ...stats } = await both.ask((joined) => joined.stats());
            const { bytes: __, ...expected } = both.reference.stats();
            expect(stats).toEqual(expected);
          };
          for (const one of steps) {
            if (one === 'tidy') { for (const part of both.parts) while (part.tidy()); }
            else if (one === 'prepare') { while (!both.joined.prepare({ keys: questions[0]!.sortings[0]!.keys })); }
            else if (typeof one === 'string') await compare();
            else if ('put' in one) {
              both.put(withOwnName(one.put));
              ords.add(one.put.ord);
            } else {
              both.remove(one.remove);
              ords.delete(one.remove);
            }
          }
          await compare();
        }),
      { numRuns },
    );
  });

  it.each([NONE, SOME])('count facets of few, many and unique values as one index does', async (isRemote) => {
    const both = new Both(5, 64, {}, isRemote);
    const { next: random } = seededRandom(11);
    const count = 12_000;
    const fields = ['few', 'flat', 'skewed', 'unique', 'twice', 'names'];
    const metaOf = (i: number): ColumnDocument['meta'] => ({
      few: [String(i % 7), String(i % 3)],
      flat: [`f${Math.floor(random() * 3000)}`],
      skewed: [`s${Math.floor(9000 ** random())}`],
      unique: [`u${i}`],
      twice: [`t${i % (count / 2)}`],
    });
    for (let i = 0; i < count; i++) both.put(document(i, metaOf(i), { lang: i % 3 === 0 ? 'EN_gb' : 'en_GB' }));
    const compare = async (): Promise<void> => {
      for (const set of [undefined, OrdSet.of(Array.from({ length: 4000 }, (_, i) => i * 3))]) {
        for (const field of [...fields, 'lang']) {
          for (const orderBy of ['count', 'value'] as const) {
            for (const limit of [1, 10, 100, 0]) {
              const facet = { field, orderBy, limit };
              const counted = await both.ask((joined) => joined.facet(set, facet));
              expect(counted, JSON.stringify(facet)).toEqual(both.one.facet(set, facet));
            }
          }
        }
      }
    };
    await compare();
    for (let i = 0; i < count; i += 2) both.remove(i);
    for (const part of both.parts) while (part.tidy());
    for (let i = 0; i < 3000; i++) both.put(document(2 * i, { few: [`new${i % 9}`, '5'], flat: [`n${i % 40}`] }));
    await compare();
  });

  it.each([NONE, SOME])('sort the documents of every page as one index does, wherever they are', async (isRemote) => {
    const { next: random } = seededRandom(3);
    const count = 6000;
    for (const block of [1, 64, 2000]) {
      const both = new Both(4, block, {}, isRemote);
      for (let i = 0; i < count; i++) {
        both.put(document(i, {
          few: [String(i % 5)],
          skewed: i % 9 === 0 ? [] : [String(Math.floor(random() * 800)), 'text'],
          block: [String(Math.floor(i / 500))],
        }, { addedAt: i * 60, updatedAt: Math.floor(random() * count) * 60 }));
      }
      const ords = Uint32Array.from({ length: count / 2 }, (_, i) => i * 2);
      const scores = { ords, scores: ords.map((ord) => (ord * 7) % 1000) };
      const byTime = (['addedAt', 'updatedAt'] as const).map((name) => ({ kind: 'time' as const, name }));
      const byMeta = ['few', 'skewed', 'block', 'missing'].map((key) => ({ kind: 'meta' as const, key }));
      for (const column of [...byTime, ...byMeta, { kind: 'score' as const }]) {
        for (const [offset, size] of [[0, 10], [600, 10], [1500, 700], [2990, 20], [5995, 10], [7000, 5]] as const) {
          for (const set of [undefined, OrdSet.of(ords)]) {
            const sorting = { keys: [{ column, descending: offset % 2 === 0 }], offset, count: size, scores };
            expect(await both.ask((joined) => joined.sort(set, sorting))).toEqual(both.one.sort(set, sorting));
          }
        }
      }
    }
  });

  it('return the same set and the same factors until a document changes or expires', () => {
    const both = new Both(3);
    for (let ord = 0; ord < 30; ord++) both.put(document(ord, { a: [String(ord % 2)] }));
    const filter = parseFilter('a = 1');
    const selected = (now = 0): OrdSet | undefined => both.joined.select({ filter, now });
    const factors = (): Float32Array | undefined =>
      both.joined.factors([{ key: 'a', value: '1', factor: 2 }], { least: 0.1, most: 10 });
    const [set, boosts] = [selected(), factors()];
    expect(selected()).toBe(set);
    expect(factors()).toBe(boosts);
    expect(both.joined.select({ filter, now: 0, hidden: [1] })?.has(1)).toBe(false);
    expect(set?.has(1)).toBe(true);
    both.put(document(31, { a: ['1'] }, { expiresAt: 50 }));
    const later = selected();
    expect(later).not.toBe(set);
    expect(later?.has(31)).toBe(true);
    expect(factors()).not.toBe(boosts);
    expect(selected(60)?.has(31)).toBe(false);
    expect(both.joined.select({ now: 0 })).toBeUndefined();
    expect(both.joined.select({ now: 60 })?.size).toBe(30);
    expect(
      both.joined.facet(both.joined.select({ now: 0, hidden: [2, 31] }), { field: 'a', orderBy: 'count', limit: 0 }),
    ).toEqual([{ value: '1', count: 15 }, { value: '0', count: 14 }]);
  });

  it('are prepared part by part, and need no preparation for a filter whose documents are known', () => {
    const both = new Both(4);
    for (let ord = 0; ord < 4000; ord++) both.put(document(ord, { a: [`v${ord}`] }));
    const filter = parseFilter(Array.from({ length: 600 }, (_, i) => `a = v${i}`).join(' OR '));
    const asked = { filter, now: 0, keys: [{ column: { kind: 'meta', key: 'a' }, descending: false }] } as const;
    let calls = 1;
    while (!both.joined.prepare(asked)) calls += 1;
    expect(calls).toBeGreaterThan(4);
    expect(both.joined.select({ filter, now: 0 })?.size).toBe(600);
    expect(both.joined.prepare(asked)).toBe(true);
  });

  describe('some of which are in other processes', () => {
    const meta = (ord: number): ColumnDocument['meta'] => ({
      a: [String(ord % 2)],
      few: [`f${ord % 40}`],
      skewed: [ord % 4 === 1 ? `s${ord % 60}` : `t${ord}`],
      unique: [`u${ord}`],
    });
    const filter = parseFilter('a = 1');
    const keys = [{ column: { kind: 'meta', key: 'unique' }, descending: false }] as const;
    const facets = (columns: ReadableColumns, set: OrdSet | undefined, fields: readonly string[]): unknown =>
      readEach(fields, (field) => columns.facet(set, { field, orderBy: 'count', limit: 10 }));
    const filled = (isRemote: IsRemote): Both => {
      const both = new Both(4, 1024, {}, isRemote);
      for (let ord = 0; ord < 8192; ord++) both.put(document(ord, meta(ord)));
      return both;
    };

    it.each([SOME, ALL])('are asked in few rounds', async (isRemote) => {
      const both = filled(isRemote);
      const rounds = async (read: (columns: ReadableColumns) => unknown): Promise<number> => {
        expect(await both.ask(read)).toEqual(read(both.one));
        return both.loopback.rounds;
      };
      const selected = (columns: ReadableColumns): OrdSet | undefined => columns.select({ filter, now: 0 });
      const search = (columns: ReadableColumns): unknown => {
        const set = selected(columns);
        return [facets(columns, set, ['few', 'a', 'lang']), columns.sort(set, { keys, offset: 0, count: 10 })];
      };
      // What is known of all parts, the documents, facets, a page.
      expect(await rounds(search)).toBe(4);
      expect(await rounds(search)).toBe(3);
      both.put(document(8192, { a: ['1'] }));
      expect(await rounds(search)).toBe(4);
      // Also the counts of the candidates; or, because all counts are equal, hashes and the best by them.
      expect(await rounds((columns) => facets(columns, selected(columns), ['few', 'skewed', 'lang']))).toBe(3);
      expect(await rounds((columns) => facets(columns, selected(columns), ['few', 'unique', 'lang']))).toBe(5);
      // The sizes of the parts, and the windows of the page.
      expect(await rounds((columns) => columns.sort(selected(columns), { keys, offset: 2000, count: 10 }))).toBe(3);
      expect(await rounds((columns) => columns.count(selected(columns)))).toBe(2);
      expect(await rounds((columns) => columns.select({ now: 0 }))).toBe(1);
      const boosted = (columns: ReadableColumns): unknown =>
        columns.factors([{ key: 'few', value: 'f1', factor: 2 }, { key: 'a', value: '1', factor: 3 }], {
          least: 0.1,
          most: 10,
        });
      expect(await rounds(boosted)).toBe(2);
      expect(await rounds(boosted)).toBe(1);
    });

    it('are told only of their own documents', async () => {
      const both = filled(ALL);
      const count = (ords: number[]): Promise<number> => both.ask((columns) => columns.count(OrdSet.of(ords)));
      expect([await count([5, 6, 5000]), await count([9000])]).toEqual([3, 0]);
      expect(both.loopback.asked).toEqual(['count', 'count']);
      expect(await both.ask((columns) => columns.hasEach([1, 1500, 9999]))).toEqual([true, true, false]);
    });

    it('have another revision when another instance takes the place of one', async () => {
      const replicas = [filled(NONE), filled(NONE)].map(({ parts: [part] }) => part!);
      replicas[1]!.remove(1);
      for (const replica of replicas) replica.put(document(7));
      const loopback = new Loopback();
      let present = 0;
      const remote = new RemoteColumns(loopback.add((method, args) => answerColumns(replicas[present]!, method, args)),
        () => true);
      const joined = joinColumns([remote, ColumnStore.create()]);
      const selected = () => loopback.request(() => joined.select({ filter, now: 0 }));
      expect((await selected())?.has(1)).toBe(true);
      present = 1;
      expect((await selected())?.has(1)).toBe(false);
    });

    it('answer no other questions', () => {
      expect(() => answerColumns(ColumnStore.create(), 'put', [])).toThrow(RangeError);
    });
  });
});
