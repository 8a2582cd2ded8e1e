import { unixSeconds } from '../../lib/clock.ts';
import { truncationOf, type AnswerBudget } from '../../operations/index.ts';
import type { Sql, SqlValue } from '../../storage/index.ts';
import { queriesFor, readCollection, type CollectionRow } from './collection-rows.ts';
import type { Deps, DocumentHandlers } from './deps.ts';
import { expiredOrds } from './meta-filter.ts';

interface Pair {
  readonly [column: string]: string;
  readonly k: string;
  readonly v: string;
}

/** Values that are in memory beside the answer. */
const PAGE = 1000;

/** `GET /v1/meta-keys`: the keys in use and their distinct values, both sorted; as many values as the answer may hold. */
export function listMetaKeys({ sql, clock }: Deps): DocumentHandlers['listMetaKeys'] {
  return async ({ collection: name, key, limit, offset }, { signal, budget }) => {
    const collection = await readCollection(sql, name);
    const values = new Map<string, string[]>();
    if (collection === undefined) return { meta: {} };
    let found = 0;
    for await (const pairs of pairsOf(sql, collection, { key, offset, limit, now: unixSeconds(clock) })) {
      signal.throwIfAborted();
      const fitting = fill(values, pairs, budget);
      found += fitting;
      if (fitting < pairs.length) break;
    }
    return { meta: Object.fromEntries(values), ...truncationOf(budget.isSpent, offset + found) };
  };
}

/** Adds values while the answer may hold them; returns how many those were. */
function fill(values: Map<string, string[]>, pairs: readonly Pair[], budget: AnswerBudget): number {
  for (const [i, { k, v }] of pairs.entries()) {
    const known = values.get(k);
    if (!budget.take(Buffer.byteLength(v) + (known === undefined ? Buffer.byteLength(k) : 0))) return i;
    if (known === undefined) values.set(k, [v]);
    else known.push(v);
  }
  return pairs.length;
}

interface Wanted {
  readonly key: string | undefined;
  readonly offset: number;
  readonly limit: number;
  readonly now: number;
}

/**
 * Distinct values with their keys, in order and in pages. A large collection is read from one snapshot, away from the
 * event loop; a small one page by page, each from where the last one ended.
 */
async function* pairsOf(sql: Sql, collection: CollectionRow, { key, offset, limit, now }: Wanted): AsyncGenerator<Pair[]> {
  const expired = expiredOrds(collection.id, now);
  const where = `cid = ?${key === undefined ? '' : ' AND k = ?'} AND ord NOT IN (${expired.sql})`;
  const params: SqlValue[] = [collection.id, ...(key === undefined ? [] : [key]), ...expired.params];
  const select = (more: string) => `SELECT DISTINCT k, v FROM doc_meta WHERE ${where}${more} ORDER BY k, v LIMIT ? OFFSET ?`;
  if (queriesFor(sql, collection) !== sql) {
    yield* sql.stream<Pair>(select(''), [...params, limit, offset], { batch: PAGE });
    return;
  }
  let last: Pair | undefined;
  for (let left = limit; left > 0; left -= PAGE) {
    const after = last === undefined ? [] : [last.k, last.v];
    const page = [Math.min(PAGE, left), last === undefined ? offset : 0];
    const pairs = await sql.all<Pair>(select(last === undefined ? '' : ' AND (k, v) > (?, ?)'), [...params, ...after, ...page]);
    if (pairs.length > 0) yield pairs;
    if (pairs.length < PAGE) return;
    last = pairs.at(-1)!;
  }
}
