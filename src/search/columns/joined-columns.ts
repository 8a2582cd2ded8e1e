import { Lru } from '../../lib/caches.ts';
import { OrdSet } from '../../lib/ord-set.ts';
import { compareTexts, type Filter, roomForFilters } from '../filter/index.ts';
import { readEach } from '../parts/index.ts';
import type { ColumnsPart, ColumnStats, DayCount, Facet, FactorBounds, Needs, NumberedTally, ReadableColumns, Selecting,
  SortedDocument, Sorting, Tally, ValueCount, ValueFactor } from './contract.ts';
import { joinTallies } from './joined-facets.ts';
import { sortParts } from './joined-sorting.ts';
import { bounded, FactorCache, SetCache } from './set-cache.ts';
import { ValueNumbers } from './value-numbers.ts';

/** Milliseconds after which `prepare` leaves further parts to its next call. */
const STEP_MILLISECONDS = 4;
/** Fields whose values are numbered: those that were counted last. */
const MOST_FIELDS = 16;
const ALL: Filter = { kind: 'and', parts: [] };

/**
 * Several columns with different documents, read as one. They may change between two calls; the one that is returned
 * has only the sets and factors that were requested last. One part is returned as it is.
 */
export function joinColumns(parts: readonly (ColumnsPart | (ColumnsPart & ReadableColumns))[]): ReadableColumns {
  for (const part of parts) part.share(parts.length);
  const [first] = parts;
  return parts.length === 1 && 'facet' in first! ? first : new JoinedColumns(parts);
}

class JoinedColumns implements ReadableColumns {
  readonly #parts: readonly ColumnsPart[];
  readonly #sets = new SetCache();
  readonly #factors = new FactorCache();
  /** By field. */
  readonly #numbers = new Lru<string, ValueNumbers>(MOST_FIELDS);
  /** The parts' revisions to which the sets belong, and those to which the factors belong. */
  #revisions = '';
  #revisionsOfFactors = '';

  constructor(parts: readonly ColumnsPart[]) {
    this.#parts = parts;
  }

  stats(): ColumnStats {
    const all = readEach(this.#parts, (part) => part.stats());
    const sum = (of: (stats: ColumnStats) => number): number => all.reduce((total, stats) => total + of(stats), 0);
    return {
      documents: sum(({ documents }) => documents),
      pairs: sum(({ pairs }) => pairs),
      keys: this.keys().length,
      bytes: {
        dictionaries: sum(({ bytes }) => bytes.dictionaries),
        bitmaps: sum(({ bytes }) => bytes.bitmaps),
        columns: sum(({ bytes }) => bytes.columns),
        total: sum(({ bytes }) => bytes.total) + this.#sets.bytes + this.#factors.bytes,
      },
    };
  }

  prepare(needs: Needs): boolean {
    const { filter, now } = needs;
    if (filter !== undefined && now !== undefined) {
      this.#moveTo(now);
      if (this.#sets.has(filter)) return this.prepare({ ...needs, now: undefined });
    }
    const end = performance.now() + STEP_MILLISECONDS;
    for (const [i, part] of this.#parts.entries())
      if (!part.prepare(needs) || (i + 1 < this.#parts.length && performance.now() > end)) return false;
    return true;
  }

  select({ filter, now, hidden = [] }: Selecting): OrdSet | undefined {
    this.#moveTo(now);
    const set = this.#sets.find(filter, roomForFilters(this.count(undefined)), () => this.#select(filter, now));
    if (hidden.length === 0) return set;
    const rest = set === undefined ? this.#all(now) : OrdSet.fromWords(set.words.slice());
    for (const ord of hidden) rest.delete(ord);
    return rest;
  }

  hasEach(ords: readonly number[]): boolean[] {
    const found = readEach(this.#parts, (part) => part.hasEach(ords));
    return ords.map((_, i) => found.some((own) => own[i]!));
  }

  count(set: OrdSet | undefined): number {
    return readEach(this.#parts, (part) => part.count(set)).reduce((sum, count) => sum + count, 0);
  }

  facet(set: OrdSet | undefined, facet: Facet): ValueCount[] {
    const name = JSON.stringify([facet.field, facet.isMeta === true]);
    const tallies = this.#parts.map((part) => part.tally(set, facet));
    if (!tallies.every(isNumbered) || (facet.orderBy === 'value' && facet.limit > 0))
      return joinTallies(tallies, facet);
    let numbers = this.#numbers.get(name);
    if (numbers === undefined) this.#numbers.set(name, numbers = new ValueNumbers());
    return numbers.best(tallies, facet) ?? joinTallies(tallies, facet);
  }

  days(set: OrdSet | undefined, field: 'addedAt' | 'updatedAt'): DayCount[] {
    const counts = new Map<number, number>();
    for (const days of readEach(this.#parts, (part) => part.days(set, field)))
      for (const { day, count } of days) counts.set(day, (counts.get(day) ?? 0) + count);
    return [...counts].map(([day, count]) => ({ day, count })).sort((a, b) => a.day - b.day);
  }

  /** Throws a RangeError on positions that are not integers of at least 0. */
  sort(set: OrdSet | undefined, sorting: Sorting): SortedDocument[] {
    return sortParts(this.#parts, set, sorting);
  }

  factors(factors: readonly ValueFactor[], bounds: FactorBounds): Float32Array | undefined {
    const revisions = this.#revisionsAt();
    if (revisions !== this.#revisionsOfFactors) this.#factors.clear();
    this.#revisionsOfFactors = revisions;
    return this.#factors.find(JSON.stringify([factors, bounds]), () => multiplied(this.#parts, factors, bounds));
  }

  keys(): string[] {
    return [...new Set(readEach(this.#parts, (part) => part.keys()).flat())].sort(compareTexts);
  }

  /** Forgets sets after a change. */
  #moveTo(now: number): void {
    const revisions = this.#revisionsAt(now);
    if (revisions !== this.#revisions) this.#sets.clear();
    this.#revisions = revisions;
  }

  #revisionsAt(now?: number): string {
    return readEach(this.#parts, (part) => part.revision(now)).join();
  }

  #select(filter: Filter | undefined, now: number): OrdSet | undefined {
    const sets = readEach(this.#parts, (part) => part.select({ filter, now }));
    return filter === undefined && sets.every((set) => set === undefined) ? undefined : this.#united(sets, now);
  }

  #all(now: number): OrdSet {
    return this.#united(this.#parts.map(() => undefined), now);
  }

  /** A new set with the documents of each part's; undefined stands for all of them. */
  #united(sets: readonly (OrdSet | undefined)[], now: number): OrdSet {
    const whole = (part: ColumnsPart): OrdSet => part.select({ filter: ALL, now })!;
    const words = readEach(this.#parts, (part, i) => (sets[i] ?? whole(part)).words);
    const united = new Uint32Array(Math.max(...words.map(({ length }) => length)));
    for (const some of words) for (let i = 0; i < some.length; i++) united[i]! |= some[i]!;
    return OrdSet.fromWords(united);
  }
}

/** The factors of the documents of all parts (see `Columns.factors`). */
function multiplied(parts: readonly ColumnsPart[], factors: readonly ValueFactor[], bounds: FactorBounds): Float32Array
  | undefined
{
  const found = readEach(parts, (part) => part.documentsWith(factors)).flatMap((sets) =>
    sets.flatMap((set, i) => {
      const ords = set?.ordinals() ?? [];
      return ords.length === 0 ? [] : [{ ords, factor: factors[i]!.factor, last: ords.at(-1)! }];
    })
  );
  if (found.length === 0) return undefined;
  const products = new Float64Array(Math.max(...found.map(({ last }) => last)) + 1).fill(1);
  for (const { ords, factor } of found) for (let i = 0; i < ords.length; i++) products[ords[i]!]! *= factor;
  return bounded(products, bounds);
}

function isNumbered(tally: Tally): tally is NumberedTally {
  return 'numbers' in tally;
}
