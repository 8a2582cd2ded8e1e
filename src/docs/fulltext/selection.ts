import { ServiceError } from '../../errors/index.ts';
import type { SqlValue } from '../../storage/index.ts';

/** Metadata filter: the values of a key are alternatives, and every key must match (contract section 4). */
export type Filter = Readonly<Record<string, readonly string[]>>;

/** A piece of SQL with its parameters. */
export interface Fragment {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** The documents that an aggregation counts, by ordinal. */
export interface Selection {
  /** A common table expression named `picked`. */
  readonly picked: Fragment;
  /** What a condition puts between `ord` and `(SELECT ord FROM picked)`. */
  readonly operator: 'IN' | 'NOT IN';
}

const MAX_VALUES = 1000;

/** Throws `invalid_argument` for more values than a filter may have in all (decisions section 8). */
export function checkFilter(filter: Filter): void {
  const values = Object.values(filter).reduce((sum, list) => sum + list.length, 0);
  if (values > MAX_VALUES) throw new ServiceError('invalid_argument', `filterMeta must have at most ${MAX_VALUES} values, got ${values}`);
}

/** A key without values has no alternative that could match. */
export function matchesNothing(filter: Filter): boolean {
  return Object.values(filter).some((values) => values.length === 0);
}

/**
 * The documents of a collection that match a filter and have not expired at `now`. Without a filter they
 * are all but the expired ones, which are few: naming those keeps the scans within the indexes.
 */
export function selectDocuments(cid: number, filter: Filter, now: number): Selection {
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
