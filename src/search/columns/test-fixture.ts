// Random documents, changes and requests for columns, and what is asked of them.
import fc from 'fast-check';
import type { OrdSet } from '../../lib/ord-set.ts';
import { filtersOver } from '../filter/test-fixture.ts';
import type { ColumnDocument, Facet, ReadableColumns, Sorting } from './index.ts';

/** A few values of each type of comparison, and some that are unique. */
const VALUES = ['a', 'b', 'B', 'ab', '', '1', '1.0', '2', '10', '-3', '1e999', '-1e999', '2025-12-24',
  '2025-12-24T00:00:00Z', '2025-12-25T12:00', '1766534400', '10 km', ' 7 ', 'ä', '\uffff', '\u{1f600}', 'x'.repeat(300),
  `${'x'.repeat(300)}y`, `${'x'.repeat(255)}\u{1f600}`];
const value = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...VALUES) }, {
  weight: 1,
  arbitrary: fc.string({ unit: 'grapheme', maxLength: 4 }),
});
const KEYS = ['n', 'tags', 'lang', 'rare', '__proto__'];
const meta = fc.dictionary(fc.constantFrom(...KEYS), fc.array(value, { maxLength: 4 }), {
  maxKeys: 4,
  noNullPrototype: true,
});
const time = fc.oneof(fc.integer({ min: -200_000, max: 400_000 }), fc.constantFrom(1_766_534_400, 0));
/** Consecutive ordinals, and some scattered ones. */
const ordinal = fc.oneof({ weight: 5, arbitrary: fc.nat(40) }, {
  weight: 2,
  arbitrary: fc.integer({ min: 1000, max: 1100 }),
}, { weight: 1, arbitrary: fc.constantFrom(70_000, 70_001, 300_000) });
const NOWS = [0, 10, 20, 30] as const;

const document: fc.Arbitrary<ColumnDocument> = fc.record({
  ord: ordinal,
  key: fc.constantFrom('a', 'A', 'ab', 'Ab', 'b/c', '10', 'B/c', '2025-12-24', 'İ', 'ä', 'zz'),
  lang: fc.constantFrom('en', 'EN', 'de', 'en_GB', 'en_gb'),
  addedAt: time,
  updatedAt: time,
  expiresAt: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 40 }),
  }),
  meta,
});

export type Step = { readonly put: ColumnDocument } | { readonly remove: number } | 'save' | 'tidy' | 'prepare' | 'ask';
export const step: fc.Arbitrary<Step> = fc.oneof({ weight: 8, arbitrary: document.map((put) => ({ put })) }, {
  weight: 2,
  arbitrary: ordinal.map((remove) => ({ remove })),
}, { weight: 1, arbitrary: fc.constantFrom('save' as const, 'tidy' as const, 'prepare' as const, 'ask' as const) });

const field = fc.constantFrom('n', 'tags', 'meta.lang', 'lang', 'key', 'rare', 'missing', 'meta.__proto__');
const anyFilter = filtersOver(field,
  fc.oneof(value, fc.constantFrom('en', 'EN_gb', 'A', 'ab', 'b/'), fc.integer({ min: -5, max: 12 }),
    fc.constantFrom(1_766_534_400, 1.5, Infinity)), true);
const moment = fc.oneof(fc.integer({ min: -1000, max: 300_000 }),
  fc.constantFrom('1970-01-02', '2025-12-24', '20', '1e999'));
const timeFilter = filtersOver(fc.constantFrom('addedAt', 'updatedAt', 'expiresAt', 'n'), moment, true).filter((
  filter,
) => !JSON.stringify(filter).includes('"prefix"'));
const filter = fc.oneof({ weight: 3, arbitrary: anyFilter }, { weight: 1, arbitrary: timeFilter });

const facet: fc.Arbitrary<Facet> = fc.record({
  isMeta: fc.boolean(),
  field: fc.constantFrom(...KEYS, 'missing'),
  orderBy: fc.constantFrom('count' as const, 'value' as const),
  limit: fc.constantFrom(0, 1, 2, 3, 10),
});
const sortKey = fc.record({
  column: fc.oneof(fc.constantFrom(...KEYS, 'missing').map((key) => ({ kind: 'meta' as const, key })),
    fc.constantFrom('key' as const, 'lang' as const).map((name) => ({ kind: 'name' as const, name })),
    fc.constantFrom('addedAt' as const, 'updatedAt' as const, 'expiresAt' as const).map((name) => ({
      kind: 'time' as const,
      name,
    })), fc.constant({ kind: 'score' as const })),
  descending: fc.boolean(),
});
const sorting: fc.Arbitrary<Sorting> = fc.record({
  keys: fc.array(sortKey, { maxLength: 3 }),
  offset: fc.nat(5),
  count: fc.nat(8),
});

export interface Question {
  readonly filter: Parameters<ReadableColumns['select']>[0]['filter'];
  readonly now: number;
  readonly hidden: readonly number[];
  readonly facets: readonly Facet[];
  readonly sortings: readonly Sorting[];
  readonly scored: boolean;
  /** Whether `prepare` is called first. */
  readonly prepared: boolean;
}
export const question: fc.Arbitrary<Question> = fc.record({
  filter: fc.option(filter, { nil: undefined, freq: 4 }),
  now: fc.constantFrom(...NOWS),
  hidden: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(ordinal, { maxLength: 3 })),
  facets: fc.array(facet, { minLength: 1, maxLength: 3 }),
  sortings: fc.array(sorting, { minLength: 1, maxLength: 3 }),
  scored: fc.boolean(),
  prepared: fc.boolean(),
});

const FACTORS = [{ key: 'n', value: '1', factor: 2 }, { key: 'tags', value: 'a', factor: 0.5 }, {
  key: 'n',
  value: 'a',
  factor: 3,
}, { key: 'none', value: 'a', factor: 3 }];

/**
 * All results for a question. Documents with equal names, which do not occur in a collection, may come in any order.
 */
export function answers(columns: ReadableColumns, all: readonly number[],
  { filter: wanted, now, hidden, facets, sortings, scored, prepared }: Question): unknown
{
  if (prepared) { while (!columns.prepare({ filter: wanted, keys: sortings[0]!.keys })); }
  const set = columns.select({ filter: wanted, now, hidden });
  const scores = { ords: all, scores: all.map((ord) => (scored ? (ord * 7) % 5 : 0)) };
  return {
    selected: set === undefined ? all : all.filter((ord) => set.has(ord)),
    present: columns.hasEach(Array.from({ length: 50 }, (_, ord) => ord)),
    total: columns.count(set),
    facets: facets.map((one) => [columns.facet(set, one), columns.facet(undefined, one)]),
    days: [columns.days(set, 'addedAt'), columns.days(undefined, 'updatedAt')],
    factors: factorsOf(columns, all),
    sorted: sortings.map((one) => pages(columns, set, { ...one, scores })),
  };
}

function factorsOf(columns: ReadableColumns, all: readonly number[]): unknown {
  const factors = columns.factors(FACTORS, { least: 0.75, most: 4 });
  return factors && [factors.length, all.map((ord) => factors[ord])];
}

/** A page, and the page after it. */
function pages(columns: ReadableColumns, set: OrdSet | undefined, one: Sorting): unknown {
  const page = columns.sort(set, one);
  const last = page.at(-1);
  const { offset: _, ...rest } = one;
  return [page, last === undefined ? [] : columns.sort(set, { ...rest, offset: 0, after: last })];
}

/** Makes names unique, as they are in a collection. */
export function withOwnName(one: ColumnDocument): ColumnDocument {
  return { ...one, key: `${one.key}${one.ord}` };
}
