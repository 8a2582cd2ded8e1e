/** What a statement does, determined by its first word; the writer and the drivers parse no more of SQL than this. */

/** Would end or escape the writer's transaction. */
export function controlsTransaction(sql: string): boolean {
  return /^\s*(?:begin|commit|end|rollback|savepoint|release|attach|detach|vacuum)\b/i.test(sql);
}

/** Changes the columns that a prepared `SELECT *` returns. */
export function changesSchema(sql: string): boolean {
  return /^\s*(?:create|alter|drop)\b/i.test(sql);
}

/** Changes rows; after any other statement SQLite still reports the count of the last one of these. */
export function changesRows(sql: string): boolean {
  return /^\s*(?:insert|update|delete|replace|with)\b/i.test(sql);
}

/** Both writes and returns rows, and so must not be run a second time to read its rows in another way. */
export function answersWhatItWrites(sql: string): boolean {
  return /\breturning\b/i.test(sql);
}
