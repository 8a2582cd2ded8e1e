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
