/**
 * One step of a database's format. A released migration is never edited; a change is a new one.
 *
 * A migration after which an older build must not use the database (it would misread or damage the new form) is
 * breaking and says so, with the reason, in the first line of its script: `-- breaking: …`. An older
 * build refuses a database with a newer breaking migration and accepts one with others.
 */
export interface Migration {
  /** 1, 2, 3 … without a gap. */
  readonly version: number;
  /** Also identifies the service that a database belongs to. */
  readonly name: string;
  /** A script of statements in SQLite's dialect. */
  readonly sql: string;
}

export function isBreaking(migration: Migration): boolean {
  return /^\s*-- breaking:/.test(migration.sql);
}
