import type { Fragment, Meta } from '../documents/index.ts';

/** The documents that an aggregation counts, by ordinal. */
export interface Selection {
  /** A common table expression named `picked`. */
  readonly picked: Fragment;
  /** What a condition puts between `ord` and `(SELECT ord FROM picked)`. */
  readonly operator: 'IN' | 'NOT IN';
}

/**
 * The documents of a collection that match a filter and have not expired at `now`. Without a filter they
 * are all but the expired ones, which are few: naming those keeps the scans within the indexes.
 */
export function selectDocuments(cid: number, filter: Meta, now: number): Selection {
  const expired: Fragment = { sql: 'SELECT ord FROM documents WHERE expires_at <= ? AND +cid = ?', params: [now, cid] };
  const pairs = Object.entries(filter).flatMap(([key, values]) => values.map((value) => [key, value]));
  if (pairs.length === 0) return { picked: expired, operator: 'NOT IN' };
  const alternatives = pairs.map(() => '(?, ?)').join(', ');
  return {
    // Flat, and not one SELECT for each key: SQLite limits how many SELECTs a statement adds up to.
    picked: {
      sql: `SELECT ord FROM doc_meta WHERE cid = ? AND (k, v) IN (VALUES ${alternatives}) AND ord NOT IN (${expired.sql}) GROUP BY ord HAVING count(DISTINCT k) = ?`,
      params: [cid, ...pairs.flat(), ...expired.params, Object.keys(filter).length],
    },
    operator: 'IN',
  };
}
