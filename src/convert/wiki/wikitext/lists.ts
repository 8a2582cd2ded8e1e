import type { PageContext } from './context.ts';
import { guardLine } from './escape.ts';
import { inline } from './inline.ts';

/** Maximum depth; deeper lists are written at this depth. */
const MAX_DEPTH = 12;

interface Level {
  /** The markers of its lines, with `:` for `;`. */
  readonly prefix: string;
  readonly indent: string;
  readonly isOrdered: boolean;
  count: number;
  /** Whether its last item is a term, to which definitions belong. */
  isTerm: boolean;
}

/**
 * Converts lines that begin with `*`, `#`, `:` or `;` to lists of markdown. Lines that are only indented become
 * paragraphs.
 */
export function readList(lines: readonly string[], context: PageContext): string {
  if (lines.every((line) => /^:[^*#:;]/.test(line)))
    return lines.map((line) => guardLine(inline(line.slice(1).trim(), context).trim())).filter((line) => line !== '')
      .join('\n\n');
  const levels: Level[] = [];
  const written: string[] = [];
  for (const line of lines) writeItem(line, levels, written, context);
  return written.join('\n');
}

function writeItem(line: string, levels: Level[], written: string[], context: PageContext): void {
  const signs = /^[*#:;]{1,200}/.exec(line)![0];
  const text = line.slice(signs.length).trim();
  const [term, definition] = signs.endsWith(';') ? termOf(text) : [undefined, text];
  const level = levelOf(signs.replaceAll(';', ':').slice(0, MAX_DEPTH), levels);
  if (term !== undefined) {
    const words = inline(term, context).trim();
    if (words !== '') written.push(`${level.indent}- ${words.includes('*') ? words : `**${words}**`}`);
    level.isTerm = true;
  } else if (!signs.endsWith(':')) {
    level.isTerm = false;
  }
  const words = inline(definition, context).trim();
  if (words === '') return;
  const indent = level.isTerm ? `${level.indent}  ` : level.indent;
  written.push(`${indent}${level.isOrdered ? `${++level.count}. ` : '- '}${guardLine(words)}`);
}

function levelOf(prefix: string, levels: Level[]): Level {
  while (levels.length > 0 && !prefix.startsWith(levels.at(-1)!.prefix)) levels.pop();
  const top = levels.at(-1);
  if (top?.prefix === prefix) return top;
  const within = top === undefined
    ? ''
    : top.indent + ' '.repeat(top.isOrdered ? `${top.count || 1}. `.length : top.isTerm ? 4 : 2);
  const level = { prefix, indent: within, isOrdered: prefix.endsWith('#'), count: 0, isTerm: false };
  levels.push(level);
  return level;
}

/** Splits `Term : definition` at the first colon that is not part of a link, address or tag. */
function termOf(text: string): [term: string, definition: string] {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '[' || character === '<' || character === '\u0001') depth++;
    else if (character === ']' || character === '>' || character === '\u0002') depth = Math.max(0, depth - 1);
    else if (character === ':' && depth === 0 && !text.startsWith('//', at + 1))
      return [text.slice(0, at), text.slice(at + 1).trim()];
  }
  return [text, ''];
}
