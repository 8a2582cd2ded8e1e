import type { OrdSet } from '../../lib/ord-set.ts';
import { inSet, type Fragment, type Meta } from '../documents/index.ts';

/** The documents that an aggregation counts, by ordinal. */
export interface Selection {
  /** A common table expression named `picked`. */
  readonly picked: Fragment;
  /** What a condition puts between `ord` and `(SELECT ord FROM picked)`. */
  readonly operator: 'IN' | 'NOT IN';
}

/**
 * The documents of a collection that match a filter and have not expired at `now`. Without a filter they
 * are all but the expired ones, which are few: naming those keeps the scans within the indexes. `passing` is what
 * passes further filters.
 */
export function selectDocuments(cid: number, filter: Meta, now: number, passing?: OrdSet): Selection {
  const expired: Fragment = { sql: 'SELECT ord FROM documents WHERE expires_at <= ? AND +cid = ?', params: [now, cid] };
  const pairs = Object.entries(filter).flatMap(([key, values]) => values.map((value) => [key, value]));
  if (pairs.length === 0) return passing === undefined ? { picked: expired, operator: 'NOT IN' } : { picked: alive(cid, passing, expired), operator: 'IN' };
  const isIn = passing === undefined ? { sql: '', params: [] } : prefixed(inSet('ord', passing));
  const alternatives = pairs.map(() => '(?, ?)').join(', ');
  return {
    // Flat, and not one SELECT for each key: SQLite limits how many SELECTs a statement adds up to.
    picked: {
      sql: `SELECT ord FROM doc_meta WHERE cid = ? AND (k, v) IN (VALUES ${alternatives})${isIn.sql} AND ord NOT IN (${expired.sql}) GROUP BY ord HAVING count(DISTINCT k) = ?`,
      params: [cid, ...pairs.flat(), ...isIn.params, ...expired.params, Object.keys(filter).length],
    },
    operator: 'IN',
  };
}

function alive(cid: number, passing: OrdSet, expired: Fragment): Fragment {
  const isIn = inSet('ord', passing);
  return { sql: `SELECT ord FROM documents WHERE cid = ? AND ${isIn.sql} AND ord NOT IN (${expired.sql})`, params: [cid, ...isIn.params, ...expired.params] };
}

function prefixed({ sql, params }: Fragment): Fragment {
  return { sql: ` AND ${sql}`, params };
}
