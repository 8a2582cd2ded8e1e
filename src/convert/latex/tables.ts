import type { Block } from '../tree/blocks.ts';
import type { TableCell, TableRow } from '../tree/tables.ts';
import { Cursor } from './cursor.ts';

/** Environments whose content is rows, with the signature of their arguments. */
export const TABULARS: ReadonlyMap<string, string> = new Map([['tabular', 'om'], ['tabular*', 'mom'], ['tabularx',
  'mom'], ['tabulary', 'mm'], ['longtable', 'om'], ['supertabular', 'm'], ['tabu', 'm'], ['longtabu', 'm'], [
  'xltabular',
  'omm',
], ['tblr', 'om'], ['longtblr', 'om'], ['tabbing', '']]);

const RULES =
  /\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot|kill|addlinespace(?:\[[^\]]{0,100}\])?|cline\{[^}]{0,100}\}|cmidrule(?:\([^)]{0,100}\))?(?:\[[^\]]{0,100}\])?\{[^}]{0,100}\}|hhline\{[^}]{0,100}\}|specialrule\{[^}]{0,100}\}\{[^}]{0,100}\}\{[^}]{0,100}\}|rowcolor(?:\[[^\]]{0,100}\])?\{[^}]{0,100}\}|noalign\{[^}]{0,100}\}|tabularnewline)(?![a-zA-Z])/g;

/** The rows of a tabular's source; `read` reads the source of a cell. */
export function tabularRows(source: string, read: (cell: string) => Block[]): TableRow[] {
  return splitCells(source.replaceAll('\\tabularnewline', '\\\\')).map((cells) => ({
    cells: cells.map((cell) => cellOf(cell.replace(RULES, ' ').trim(), read)),
  }));
}

function cellOf(source: string, read: (cell: string) => Block[]): TableCell {
  const cursor = new Cursor(source);
  if (cursor.take(/\\multicolumn(?![a-zA-Z])/y) !== undefined) {
    const columns = Number(cursor.argument()) || 1;
    cursor.argument();
    return { ...cellOf(cursor.argument(), read), columns };
  }
  if (cursor.take(/\\multirow(?![a-zA-Z])/y) !== undefined) {
    cursor.optional();
    const rows = Number(cursor.argument());
    cursor.optional();
    cursor.argument();
    cursor.optional();
    // Unlike in HTML, the cells below are written in the source, empty, and are not covered.
    return rows === 0 ? { blocks: [] } : cellOf(cursor.argument(), read);
  }
  return { blocks: read(source) };
}

/** Splits source at `\\` and `&`, except in groups, inner environments and code. */
function splitCells(source: string): string[][] {
  const rows: string[][] = [[]];
  const cursor = new Cursor(source);
  let depth = 0;
  let start = 0;
  const end = (length: number) => {
    rows.at(-1)!.push(source.slice(start, cursor.at - length));
    start = cursor.at;
  };
  while (!cursor.done) {
    if (cursor.take(/[^\\{}&%]+/y) !== undefined) continue;
    const length = cursor.take(/\\\\\*?(?:\[[^\]\n]{0,40}\])?/y)?.length;
    if (length !== undefined) {
      if (depth === 0) {
        end(length);
        rows.push([]);
      }
      continue;
    }
    const macro = cursor.take(/\\(?:(?:begin|end|verb\*?(?=[^a-zA-Z\s]))|[^])?/y);
    if (macro?.startsWith('\\verb') && macro.length > 2) cursor.until(source[cursor.at++]!);
    else if (macro === '\\begin') depth += 1;
    else if (macro === '\\end') depth = Math.max(0, depth - 1);
    else if (macro === undefined) {
      const character = source[cursor.at]!;
      cursor.at += 1;
      if (character === '{') depth += 1;
      else if (character === '}') depth = Math.max(0, depth - 1);
      else if (character === '&' && depth === 0) end(1);
      else if (character === '%') {
        cursor.at -= 1;
        cursor.skipComment();
      }
    }
  }
  rows.at(-1)!.push(source.slice(start));
  return rows;
}
