import { Lru } from '../lib/lru.ts';

const KEPT = 512;
const CLAUSE = /\s+FOR (?:UPDATE|KEY SHARE)(?: SKIP LOCKED)?\s*$/;

const stripped = new Lru<string, string>(KEPT);

/** Removes the clause that locks rows from a statement: a single writer needs none, and SQLite does not support it. */
export function withoutRowLocks(sql: string): string {
  const known = stripped.get(sql);
  if (known !== undefined) return known;
  const text = sql.replace(CLAUSE, '');
  stripped.set(sql, text);
  return text;
}
