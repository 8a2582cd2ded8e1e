import { unixSeconds } from '../../../lib/clock.ts';
import { isWithin, type Filter } from '../../../search/filter/index.ts';
import type { Queries, Sql, SqlValue } from '../../../storage/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { isTime, matchesNothing, passingDocuments, type Meta, type RangeCondition } from '../../documents/index.ts';
import { selectDocuments } from '../selection.ts';
import { OrdSet } from '../view/ord-set.ts';

type Environment = Pick<DocsEnvironment, 'sql' | 'clock'>;

export interface CollectionRow {
  readonly [column: string]: number;
  readonly id: number;
  readonly docs: number;
}

/** What narrows the documents before they are scored. */
export interface Eligibility {
  readonly filterMeta: Meta;
  readonly ranges: readonly RangeCondition[];
  /** What `filter` and `langs` of the request say. */
  readonly filter?: Filter | undefined;
  /** Ordinals that curation hides. */
  readonly hidden: readonly number[];
}

/** Scans of a collection this small are shorter than the way to another thread and back. */
const SMALL_DOCS = 1000;

export function queriesFor(sql: Sql, { docs }: CollectionRow): Queries {
  return docs <= SMALL_DOCS ? sql : sql.background;
}

/**
 * The documents that a search may find: those that match filters and ranges, have not expired, and are not
 * hidden. Undefined when that is all of the collection's.
 */
export async function eligibleDocuments(environment: Environment, collection: CollectionRow, { filterMeta, ranges, filter, hidden }: Eligibility): Promise<OrdSet | undefined> {
  const { sql, clock } = environment;
  if (matchesNothing(filterMeta)) return new OrdSet();
  const queries = queriesFor(sql, collection);
  const { picked, operator } = selectDocuments(collection.id, filterMeta, unixSeconds(clock));
  const ords = await ordsOf(operator === 'NOT IN' ? sql : queries, picked.sql, picked.params);
  let eligible = operator === 'IN' ? OrdSet.of(ords) : undefined;
  const excluded = operator === 'IN' ? hidden : [...ords, ...hidden];
  for (const condition of ranges) {
    const within = await withinRange(queries, collection.id, condition);
    if (eligible === undefined) eligible = within;
    else eligible.intersect(within);
  }
  if (filter !== undefined) {
    const passing = await passingDocuments(sql, collection, filter);
    if (eligible === undefined) eligible = passing;
    else eligible.intersect(passing);
  }
  if (eligible === undefined && excluded.length === 0) return undefined;
  eligible ??= OrdSet.upTo((await sql.get<{ ord: number | null }>('SELECT max(ord) AS ord FROM documents'))?.ord ?? 0);
  for (const ord of excluded) eligible.delete(ord);
  return eligible;
}

const TIME_COLUMNS = { addedAt: 'added_at', updatedAt: 'updated_at' } as const;

/** Each distinct value is compared once, however many documents have it. */
async function withinRange(queries: Queries, cid: number, { field, bounds }: RangeCondition): Promise<OrdSet> {
  const rows = isTime(field)
    ? await queries.all<{ v: number; ord: number }>(`SELECT ${TIME_COLUMNS[field]} AS v, ord FROM documents WHERE cid = ? ORDER BY 1`, [cid])
    : await queries.all<{ v: string; ord: number }>('SELECT v, ord FROM doc_meta WHERE cid = ? AND k = ? ORDER BY v', [cid, field]);
  const within = new OrdSet();
  let value: string | number | undefined;
  let inside = false;
  for (const { v, ord } of rows) {
    if (v !== value) {
      value = v;
      inside = isWithin(v, bounds);
    }
    if (inside) within.add(ord);
  }
  return within;
}

async function ordsOf(queries: Queries, query: string, params: readonly SqlValue[]): Promise<number[]> {
  return (await queries.all<{ ord: number }>(query, params)).map(({ ord }) => ord);
}
