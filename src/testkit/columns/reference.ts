// Reference implementation of the columns' contract, with maps and loops: slow and obvious. Tests compare the engine
// with it.
import { OrdSet } from '../../lib/ord-set.ts';
import type { ColumnDocument, Columns, ColumnStats, Facet, FactorBounds, ReadableColumns, Selecting, SortedDocument,
  Sorting, ValueCount, ValueFactor } from '../../search/columns/index.ts';
import { columnOf, compareTexts, type Filter, testOf } from '../../search/filter/index.ts';
import { comparePlaces, compareSortValues, type SortKey, type SortValue,
  sortValueOf } from '../../search/order/index.ts';

const DAY_SECONDS = 86_400;

export class ReferenceColumns implements ReadableColumns, Pick<Columns, 'put' | 'remove'> {
  readonly #documents = new Map<number, ColumnDocument>();

  stats(): ColumnStats {
    const all = [...this.#documents.values()];
    const pairs = all.flatMap(({ meta }) => Object.values(meta).flatMap((values) => [...new Set(values)])).length;
    return {
      documents: all.length,
      pairs,
      keys: this.keys().length,
      bytes: { dictionaries: 0, bitmaps: 0, columns: 0, total: 0 },
    };
  }

  put(document: ColumnDocument): void {
    this.#documents.set(document.ord, document);
  }

  remove(ord: number): void {
    this.#documents.delete(ord);
  }

  prepare(): boolean {
    return true;
  }

  select({ filter, now, hidden = [] }: Selecting): OrdSet | undefined {
    const passes = (document: ColumnDocument): boolean =>
      (filter === undefined || matches(filter, document)) &&
      !(document.expiresAt !== undefined && document.expiresAt <= now) && !hidden.includes(document.ord);
    const passing = [...this.#documents.values()].filter(passes);
    return passing.length === this.#documents.size && filter === undefined
      ? undefined
      : OrdSet.of(passing.map(({ ord }) => ord));
  }

  hasEach(ords: readonly number[]): boolean[] {
    return ords.map((ord) => this.#documents.has(ord));
  }

  count(set: OrdSet | undefined): number {
    return this.#in(set).length;
  }

  facet(set: OrdSet | undefined, { field, isMeta, orderBy, limit }: Facet): ValueCount[] {
    const counts = new Map<string, number>();
    for (const document of this.#in(set)) {
      const values = field === 'lang' && isMeta !== true ? [document.lang] : metaOf(document, field);
      for (const value of new Set(values)) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const listed = [...counts].map(([value, count]) => ({ value, count }));
    listed.sort((a, b) => (orderBy === 'count' ? b.count - a.count : 0) || compareTexts(a.value, b.value));
    return limit === 0 ? listed : listed.slice(0, limit);
  }

  days(set: OrdSet | undefined, field: 'addedAt' | 'updatedAt'): { day: number; count: number }[] {
    const counts = new Map<number, number>();
    for (const document of this.#in(set)) {
      const day = Math.floor(document[field] / DAY_SECONDS);
      counts.set(day, (counts.get(day) ?? 0) + 1);
    }
    return [...counts].map(([day, count]) => ({ day, count })).sort((a, b) => a.day - b.day);
  }

  sort(set: OrdSet | undefined, { keys, offset, count, after, scores }: Sorting): SortedDocument[] {
    const scoreOf = new Map(Array.from(scores?.ords ?? [], (ord, i) => [ord, scores!.scores[i]!]));
    const compare = (a: Omit<SortedDocument, 'ord'>, b: Omit<SortedDocument, 'ord'>): number =>
      comparePlaces(a.place, b.place, keys) || compareTexts(a.tie, b.tie);
    return this.#in(set).map((document) => ({
      ord: document.ord,
      place: keys.map((key) => valueFor(document, key, scoreOf)),
      tie: tieOf(document),
    })).filter((one) => after === undefined || compare(one, after) > 0).sort(compare).slice(offset, offset + count);
  }

  factors(factors: readonly ValueFactor[], { least, most }: FactorBounds): Float32Array | undefined {
    const products = new Map<number, number>();
    for (const { key, value, factor } of factors) {
      for (const document of this.#documents.values()) {
        if (metaOf(document, key).includes(value))
          products.set(document.ord, (products.get(document.ord) ?? 1) * factor);
      }
    }
    if (products.size === 0) return undefined;
    const list = new Float32Array(Math.max(...products.keys()) + 1).fill(1);
    for (const [ord, product] of products) list[ord] = Math.min(most, Math.max(least, product));
    return list;
  }

  keys(): string[] {
    const used = [...this.#documents.values()].flatMap(({ meta }) =>
      Object.keys(meta).filter((key) => meta[key]!.length > 0)
    );
    return [...new Set(used)].sort(compareTexts);
  }

  tidy(): boolean {
    return false;
  }

  settle(): boolean {
    return false;
  }

  async *save(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(JSON.stringify([...this.#documents.values()]));
  }

  static async restore(bytes: AsyncIterable<Uint8Array>): Promise<ReferenceColumns> {
    const columns = new ReferenceColumns();
    const documents = JSON.parse(Buffer.concat(await Array.fromAsync(bytes)).toString()) as ColumnDocument[];
    for (const document of documents) columns.put(document);
    return columns;
  }

  #in(set: OrdSet | undefined): ColumnDocument[] {
    return [...this.#documents.values()].filter(({ ord }) => set?.has(ord) !== false);
  }
}

function matches(filter: Filter, document: ColumnDocument): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.parts.every((part) => matches(part, document));
    case 'or':
      return filter.parts.some((part) => matches(part, document));
    case 'not':
      return !matches(filter.part, document);
    default:
      return valuesFor(document, filter.field).some(testOf(filter));
  }
}

function valuesFor(document: ColumnDocument, field: string): readonly (string | number)[] {
  const column = columnOf(field);
  if (column.kind === 'meta') return metaOf(document, column.key);
  if (column.kind === 'name') return [document[column.name].toLowerCase()];
  return [document[column.name]].filter((time) => time !== undefined);
}

function metaOf(document: ColumnDocument, key: string): readonly string[] {
  return Object.hasOwn(document.meta, key) ? document.meta[key]! : [];
}

/** Names are sorted by their spelling. */
function valueFor(document: ColumnDocument, { column, descending }: SortKey,
  scores: ReadonlyMap<number, number>): SortValue
{
  switch (column.kind) {
    case 'score':
      return scores.get(document.ord);
    case 'name':
      return document[column.name];
    case 'time':
      return document[column.name];
    case 'meta': {
      const sorted = metaOf(document, column.key).map(sortValueOf).sort(compareSortValues);
      return descending ? sorted.at(-1) : sorted[0];
    }
  }
}

function tieOf({ key, lang }: ColumnDocument): string {
  return `${key.toLowerCase()}|${lang.toLowerCase()}`;
}
