import type { OrdSet } from '../../../lib/ord-set.ts';
import type { Column } from '../../../search/filter/index.ts';
import { compareSortValues, sortValueOf, type SortKey, type SortValue } from '../../../search/order/index.ts';
import type { Sql, SqlValue } from '../../../storage/index.ts';
import type { CollectionRow } from '../collection-rows.ts';
import { inSet, valueRows, valuesQuery } from '../filter/index.ts';
import { Pace } from '../../../lib/pace.ts';

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
export async function readPlaces(sql: Sql, collection: CollectionRow, documents: OrdSet, keys: readonly SortKey[]): Promise<Map<number, SortValue[]>> {
  const pace = new Pace();
  const places = new Map<number, SortValue[]>();
  for (const ord of documents) {
    places.set(ord, keys.map(() => undefined));
    if (places.size % STEP === 0) await pace.rest();
  }
  for (const [at, { column, descending }] of keys.entries()) {
    if (column.kind === 'score') continue;
    const query = queryFor(column, collection.id, documents);
    let stored: string | number | undefined;
    let value: string | number = '';
    for await (const rows of valueRows<ValueRow>(sql, collection, query.sql, query.params)) {
      for (const [i, { v, ord }] of rows.entries()) {
        if (v !== stored) value = column.kind === 'meta' ? sortValueOf(v) : v;
        stored = v;
        const place = places.get(ord);
        if (place !== undefined && isBetter(value, place[at], descending)) place[at] = value;
        if (i % STEP === 0) await pace.rest();
      }
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
function queryFor(column: Column, cid: number, documents: OrdSet): ReturnType<typeof valuesQuery> {
  const all = valuesQuery(column, cid);
  const isIn = inSet('ord', documents);
  return isIn.isFew ? { sql: `SELECT v, ord FROM (${all.sql}) listed WHERE ${isIn.sql}`, params: [...all.params, ...isIn.params] } : all;
}
