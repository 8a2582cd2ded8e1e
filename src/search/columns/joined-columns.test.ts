import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReferenceColumns } from '../../testkit/columns/reference.ts';
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

const document = (ord: number, meta: ColumnDocument['meta'] = {}, more: Partial<ColumnDocument> = {}): ColumnDocument => ({
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
      fc.property(fc.integer({ min: 2, max: 8 }), fc.constantFrom(1, 8, 64), fc.array(step, { maxLength: 60,
        size: 'max' }), fc.array(question, { minLength: 1, maxLength: 6 }), (count, block, steps, questions) => {
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
});
