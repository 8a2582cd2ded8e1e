import { outsideFences } from './lines.ts';

/** The end of an import: the module, in quotes. */
const MODULE = /(?:'[^']{1,500}'|"[^"]{1,500}") ?;?$/;
/** `A`, `{}`, `* as A` and `A, {}`, without what is in the braces; prose that begins with `import` has more words. */
const NAMES = /^(?:type )?(?:[\w$]{1,100}|\{\}|\* as [\w$]{1,100})(?:, ?(?:\{\}|\* as [\w$]{1,100}))? ?from$/;
const START = /^import(?:\s|$)/;
/** Lines of one statement, and its characters. */
const MOST_LINES = 50;
const MOST_CHARACTERS = 5000;

/** An MDX text without its import statements. They stand on lines of their own, outside fenced code. */
export function withoutImports(mdx: string): string {
  const lines = mdx.split('\n');
  const out: string[] = [];
  const isText = outsideFences(lines);
  for (let at = 0; at < lines.length;) {
    const line = lines[at]!;
    const end = !isText[at] || !START.test(line) ? at : endOfImport(lines, at);
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
    if (isImport(statement)) return at + 1;
  }
  return start;
}

/** Whether a statement imports names of a module, or the module alone. */
function isImport(statement: string): boolean {
  const module = MODULE.exec(statement);
  if (module === null) return false;
  const names = statement.slice('import'.length, module.index).replace(/\s+/g, ' ').replace(/\{[^{}]*\}/, '{}').trim();
  return names === '' || NAMES.test(names);
}
