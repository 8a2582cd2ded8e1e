import { Lru } from '../lib/lru.ts';

const KEPT = 512;
const CLAUSE = /\s+FOR (?:UPDATE|KEY SHARE)(?: SKIP LOCKED)?\s*$/;

const stripped = new Lru<string, string>(KEPT);

/** A statement without the clause that locks its rows: a writer that is alone needs none, and SQLite knows none. */
export function withoutRowLocks(sql: string): string {
  const known = stripped.get(sql);
  if (known !== undefined) return known;
  const text = sql.replace(CLAUSE, '');
  stripped.set(sql, text);
  return text;
}
