/** `import A, { B } from 'x'` and `import 'x'`, which prose that begins with the word is not. */
const NAMES = '\\*\\s+as\\s+[\\w$]{1,100}|\\{[^{}\'"`]{0,2000}\\}';
const IMPORT = new RegExp(
  `^import\\s+(?:(?:type\\s+)?(?:[\\w$]{1,100}|${NAMES})(?:\\s*,\\s*(?:${NAMES}))?\\s*from\\s*)?` +
    `(?:'[^'\\n]{1,500}'|"[^"\\n]{1,500}")\\s*(?:with\\s*\\{[^}]{0,200}\\}\\s*)?;?\\s*$`,
);
const START = /^import(?:\s|$)/;
/** Lines of one statement, and its characters. */
const MOST_LINES = 50;
const MOST_CHARACTERS = 5000;

/** An MDX text without its import statements. They stand on lines of their own, outside fenced code. */
export function withoutImports(mdx: string): string {
  const lines = mdx.split('\n');
  const out: string[] = [];
  let fenced = false;
  for (let at = 0; at < lines.length;) {
    const line = lines[at]!;
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    const end = fenced || !START.test(line) ? at : endOfImport(lines, at);
    if (end === at) out.push(line);
    // Of the empty lines around a statement, one stays.
    const isBetween = end > at && (lines[end] ?? '').trim() === '' && (out.at(-1) ?? '').trim() === '';
    at = end === at ? at + 1 : isBetween ? end + 1 : end;
  }
  return out.join('\n');
}

function endOfImport(lines: readonly string[], start: number): number {
  let statement = '';
  for (let at = start; at < lines.length && at < start + MOST_LINES && lines[at]!.trim() !== ''; at += 1) {
    statement += `${statement === '' ? '' : ' '}${lines[at]!.trim()}`;
    if (statement.length > MOST_CHARACTERS) return start;
    if (IMPORT.test(statement)) return at + 1;
  }
  return start;
}
