import type { OrdSet } from '../../../lib/ord-set.ts';
import { compareSortValues, sortValueOf, type SortKey, type SortValue } from '../../../search/order/index.ts';
import type { Queries, SqlValue } from '../../../storage/index.ts';
import { inSet, valuesQuery } from '../filter/index.ts';
import { Pace } from '../pace.ts';

/** Rows between two looks at the time. */
const STEP = 1024;

interface ValueRow {
  readonly [column: string]: SqlValue;
  readonly v: string | number;
  readonly ord: number;
}

/**
 * What some documents of a collection are sorted by, by ordinal; scores are left open. Of several values of a key the
 * least counts where the order ascends, and the greatest where it descends.
 */
export async function readPlaces(queries: Queries, cid: number, documents: OrdSet, keys: readonly SortKey[]): Promise<Map<number, SortValue[]>> {
  const pace = new Pace();
  const places = new Map<number, SortValue[]>();
  for (const ord of documents) {
    places.set(ord, keys.map(() => undefined));
    if (places.size % STEP === 0) await pace.rest();
  }
  for (const [at, { column, descending }] of keys.entries()) {
    if (column.kind === 'score') continue;
    const rows = await readValues(queries, valuesQuery(column, cid), documents);
    let stored: string | number | undefined;
    let value: string | number = '';
    for (const [i, { v, ord }] of rows.entries()) {
      if (v !== stored) value = column.kind === 'meta' ? sortValueOf(stored = v) : (stored = v);
      const place = places.get(ord);
      if (place !== undefined && isBetter(value, place[at], descending)) place[at] = value;
      if (i % STEP === 0) await pace.rest();
    }
  }
  return places;
}

function isBetter(value: string | number, known: SortValue, descending: boolean): boolean {
  if (known === undefined) return true;
  const order = compareSortValues(value, known);
  return descending ? order > 0 : order < 0;
}

/** Values of all documents, unless so few are wanted that a statement can name them. */
async function readValues(queries: Queries, { sql, params }: ReturnType<typeof valuesQuery>, documents: OrdSet): Promise<ValueRow[]> {
  const isIn = inSet('ord', documents);
  if (!isIn.isFew) return queries.all<ValueRow>(sql, params);
  return queries.all<ValueRow>(`SELECT v, ord FROM (${sql}) listed WHERE ${isIn.sql}`, [...params, ...isIn.params]);
}
