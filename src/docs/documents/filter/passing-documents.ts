import { OrdSet } from '../../../lib/ord-set.ts';
import { columnOf, testOf, textsOf, type Column, type Condition, type Filter } from '../../../search/filter/index.ts';
import type { Sql, SqlValue } from '../../../storage/index.ts';
import type { CollectionRow } from '../collection-rows.ts';
import { inList } from '../in-list.ts';
import { Pace } from '../../../lib/pace.ts';
import { valueRows } from './value-rows.ts';

interface ValueRow {
  readonly [column: string]: SqlValue;
  readonly v: string | number;
  readonly ord: number;
}

/** Rows between two looks at the time. */
const STEP = 1024;

/**
 * The ordinals for which a filter holds. Of a collection's documents these are the ones that pass; a negation also
 * holds ordinals of other collections. Each condition reads the values of its field, and compares each of them once.
 */
export async function passingDocuments(sql: Sql, collection: CollectionRow, filter: Filter): Promise<OrdSet> {
  const last = (await sql.get<{ ord: number | null }>('SELECT max(ord) AS ord FROM documents'))?.ord ?? 0;
  const pace = new Pace();
  const evaluate = async (part: Filter): Promise<OrdSet> => {
    if (part.kind === 'not') return (await evaluate(part.part)).complement(last);
    if (!('parts' in part)) return satisfying(sql, collection, part, pace);
    const [first, ...others] = part.parts as [Filter, ...Filter[]];
    const set = await evaluate(first);
    for (const other of others) {
      if (part.kind === 'or') set.unite(await evaluate(other));
      else set.intersect(await evaluate(other));
    }
    return set;
  };
  return evaluate(filter);
}

async function satisfying(sql: Sql, collection: CollectionRow, condition: Condition, pace: Pace): Promise<OrdSet> {
  const column = columnOf(condition.field);
  const texts = column.kind === 'meta' ? textsOf(condition) : undefined;
  if (column.kind === 'meta' && texts !== undefined) return ordsWith(sql, collection, column.key, texts);
  const query = valuesQuery(column, collection.id);
  const isName = column.kind === 'name';
  const test = testOf(condition);
  const set = new OrdSet();
  let value: string | number | undefined;
  let passes = false;
  for await (const rows of valueRows<ValueRow>(sql, collection, query.sql, query.params)) {
    for (const [i, { v, ord }] of rows.entries()) {
      if (v !== value) {
        value = v;
        passes = test(isName ? String(v).toLowerCase() : v);
      }
      if (passes) set.add(ord);
      if (i % STEP === 0) await pace.rest();
    }
  }
  return set;
}

async function ordsWith(sql: Sql, collection: CollectionRow, key: string, texts: readonly string[]): Promise<OrdSet> {
  const { marks, params } = inList(texts);
  const set = new OrdSet();
  const query = `SELECT ord FROM doc_meta WHERE cid = ? AND k = ? AND v IN (${marks})`;
  for await (const rows of valueRows<{ ord: number }>(sql, collection, query, [collection.id, key, ...params])) for (const { ord } of rows) set.add(ord);
  return set;
}

const COLUMNS = { addedAt: 'added_at', updatedAt: 'updated_at', expiresAt: 'expires_at', key: 'key', lang: 'lang' } as const;

/** The values of a field with the ordinals of their documents, equal ones next to each other. */
export function valuesQuery(column: Column, cid: number): { sql: string; params: SqlValue[] } {
  if (column.kind === 'meta') return { sql: 'SELECT v, ord FROM doc_meta WHERE cid = ? AND k = ? ORDER BY v', params: [cid, column.key] };
  const name = COLUMNS[column.name];
  return { sql: `SELECT ${name} AS v, ord FROM documents WHERE cid = ? AND ${name} IS NOT NULL ORDER BY 1`, params: [cid] };
}
