/** What a statement does, told from its first word; the writer and the drivers need no more of SQL than this. */

/** Would end or escape the transaction that the writer keeps. */
export function controlsTransaction(sql: string): boolean {
  return /^\s*(?:begin|commit|end|rollback|savepoint|release|attach|detach|vacuum)\b/i.test(sql);
}

/** Changes the columns that a prepared `SELECT *` answers with. */
export function changesSchema(sql: string): boolean {
  return /^\s*(?:create|alter|drop)\b/i.test(sql);
}

/** Changes rows; SQLite keeps the count of the last such statement for all others. */
export function changesRows(sql: string): boolean {
  return /^\s*(?:insert|update|delete|replace|with)\b/i.test(sql);
}

/** Both writes and answers, and so must not be run a second time to read its rows another way. */
export function answersWhatItWrites(sql: string): boolean {
  return /\breturning\b/i.test(sql);
}
