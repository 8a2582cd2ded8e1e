import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrdSet } from '../../lib/ord-set.ts';
import { ReferenceColumns } from '../../testkit/columns/reference.ts';
import { seededRandom } from '../../testkit/crash/random.ts';
import { parseFilter } from '../filter/index.ts';
import { type ColumnDocument, ColumnStore, joinColumns, type ReadableColumns } from './index.ts';
import { answers, question, step, withOwnName } from './test-fixture.ts';

/** Columns in parts, by blocks of ordinals, and the same documents in one. */
class Both {
  readonly reference = new ReferenceColumns();
  readonly one = ColumnStore.create();
  readonly parts: ColumnStore[];
  readonly joined: ReadableColumns;
  readonly #block: number;

  constructor(parts: number, block = 1, options: Parameters<typeof ColumnStore.create>[0] = {}) {
    this.parts = Array.from({ length: parts }, () => ColumnStore.create(options));
    this.joined = joinColumns(this.parts);
    this.#block = block;
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
  it('return what the reference returns, after any steps', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 8 }), fc.constantFrom(1, 8, 64),
        fc.array(step, { maxLength: 60, size: 'max' }), fc.array(question, { minLength: 1, maxLength: 6 }),
        (count, block, steps, questions) => {
          const both = new Both(count, block, { fewValues: 0, fewDocuments: 0 });
          const ords = new Set<number>();
          const compare = (): void => {
            const all = [...ords].sort((a, b) => a - b);
            for (const one of questions)
              expect(answers(both.joined, all, one)).toEqual(answers(both.reference, all, one));
            expect(both.joined.keys()).toEqual(both.reference.keys());
            const { bytes: _, ...stats } = both.joined.stats();
            const { bytes: __, ...expected } = both.reference.stats();
            expect(stats).toEqual(expected);
          };
          for (const one of steps) {
            if (one === 'tidy') { for (const part of both.parts) while (part.tidy()); }
            else if (one === 'prepare') { while (!both.joined.prepare({ keys: questions[0]!.sortings[0]!.keys })); }
            else if (typeof one === 'string') compare();
            else if ('put' in one) {
              both.put(withOwnName(one.put));
              ords.add(one.put.ord);
            } else {
              both.remove(one.remove);
              ords.delete(one.remove);
            }
          }
          compare();
        }),
      { numRuns: 100 },
    );
  });

  it('count facets of few, of many and of unique values as one index does, while values come and go', () => {
    const both = new Both(5, 64);
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
    const compare = (): void => {
      for (const set of [undefined, OrdSet.of(Array.from({ length: 4000 }, (_, i) => i * 3))]) {
        for (const field of [...fields, 'lang']) {
          for (const orderBy of ['count', 'value'] as const) {
            for (const limit of [1, 10, 100, 0]) {
              const facet = { field, orderBy, limit };
              expect(both.joined.facet(set, facet), JSON.stringify(facet)).toEqual(both.one.facet(set, facet));
            }
          }
        }
      }
    };
    compare();
    for (let i = 0; i < count; i += 2) both.remove(i);
    for (const part of both.parts) while (part.tidy());
    for (let i = 0; i < 3000; i++) both.put(document(2 * i, { few: [`new${i % 9}`, '5'], flat: [`n${i % 40}`] }));
    compare();
  });

  it('sort the documents of every page as one index does, wherever those of a part are', () => {
    const { next: random } = seededRandom(3);
    const count = 6000;
    for (const block of [1, 64, 2000]) {
      const both = new Both(4, block);
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
            expect(both.joined.sort(set, sorting)).toEqual(both.one.sort(set, sorting));
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
});
