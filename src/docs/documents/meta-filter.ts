import type { OrdSet } from '../../lib/ord-set.ts';
import type { SqlValue } from '../../storage/index.ts';
import { inSet } from './filter/index.ts';
import { inList } from './in-list.ts';
import type { Meta } from './meta.ts';

/** A fragment of SQL with its parameters. */
export interface Fragment {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** A key without values has no alternative that could match. */
export function matchesNothing(filter: Meta): boolean {
  return Object.values(filter).some((values) => values.length === 0);
}

/**
 * A SELECT of the ordinals that match: the values of a key are alternatives, and every key must match
 * (contract section 4). Undefined when there is no filter; the filter must not match nothing.
 */
export function matchingOrds(cid: number, filter: Meta): Fragment | undefined {
  const entries = Object.entries(filter);
  if (entries.length === 0) return undefined;
  const parts = entries.map(([key, values]) => matchingOneKey(cid, key, values));
  return { sql: parts.map(({ sql }) => sql).join(' INTERSECT '), params: parts.flatMap(({ params }) => params) };
}

function matchingOneKey(cid: number, key: string, values: readonly string[]): Fragment {
  const { marks, params } = inList(values);
  return { sql: `SELECT ord FROM doc_meta WHERE cid = ? AND k = ? AND v IN (${marks})`, params: [cid, key, ...params] };
}

/**
 * A condition on `documents d`: of the collection, matching, and not expired. With `selective`, for
 * few matches, they are looked up one by one; otherwise an index of the collection is walked in the
 * order that is asked for, and the matches are looked at on the way.
 */
export function visibleDocuments(cid: number, matches: Fragment | undefined, now: number, selective = false): Fragment {
  const alive = '(d.expires_at IS NULL OR d.expires_at > ?)';
  if (matches === undefined) return { sql: `d.cid = ? AND ${alive}`, params: [cid, now] };
  if (selective) return { sql: `${alive} AND d.ord IN (${matches.sql})`, params: [now, ...matches.params] };
  return { sql: `d.cid = ? AND ${alive} AND d.ord IN (${matches.sql})`, params: [cid, now, ...matches.params] };
}

/** The same with another condition: that the documents are in a set, if there is one. */
export function passingOnly({ sql, params }: Fragment, passing: OrdSet | undefined): Fragment {
  if (passing === undefined) return { sql, params };
  const isIn = inSet('d.ord', passing);
  return { sql: `${sql} AND ${isIn.sql}`, params: [...params, ...isIn.params] };
}

/**
 * A SELECT of the ordinals of expired documents that are not swept yet, which are few. The `+` keeps
 * the planner from walking an index of the whole collection for them.
 */
export function expiredOrds(cid: number, now: number): Fragment {
  return { sql: 'SELECT ord FROM documents WHERE expires_at <= ? AND +cid = ?', params: [now, cid] };
}
