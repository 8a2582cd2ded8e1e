/** Literals, quoted names and comments come first: a `?` or `;` inside them is neither a placeholder nor an end. */
export const TOKENS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\/|[?;]/g;

/**
 * The offsets of the `?` placeholders in a statement. Drivers need them to count parameters and to rewrite placeholders
 * into the form of their database.
 */
export function placeholders(sql: string): number[] {
  return offsetsOf('?', sql);
}

/**
 * The single statements of a script, in order, without their final `;` and without empty ones.
 * Bodies of triggers, which contain `;` themselves, are not understood.
 */
export function statements(script: string): string[] {
  const ends = [...offsetsOf(';', script), script.length];
  return ends.map((end, i) => script.slice(i === 0 ? 0 : ends[i - 1]! + 1, end).trim()).filter((statement) =>
    statement.replace(TOKENS, (token) => (isComment(token) ? '' : token)).trim() !== ''
  );
}

function offsetsOf(sign: '?' | ';', sql: string): number[] {
  if (!sql.includes(sign)) return [];
  const found: number[] = [];
  for (const match of sql.matchAll(TOKENS)) {
    if (match[0] === sign) found.push(match.index);
  }
  return found;
}

function isComment(token: string): boolean {
  return token.startsWith('--') || token.startsWith('/*');
}

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
