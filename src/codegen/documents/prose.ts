import { linesOf } from './markdown.ts';

const COLUMNS = 120;
const LINES = 6;

/** Lines that may not be broken: rows of tables, headings, targets of links, HTML. */
const UNBROKEN = /^\s*(?:\||#{1,6} |<|\[[^\]]+\]: )/;
const ITEM = /^\s*(?:[-*+]|\d+\.) /;

/** One line for each paragraph of a page that is above six lines, and for each line of one above 120 columns. */
export function longProse(file: string, text: string): string[] {
  const problems: string[] = [];
  let height = 0;
  for (const { content, line, isCode } of linesOf(text)) {
    const isProse = !isCode && content.trim() !== '' && !UNBROKEN.test(content);
    height = !isProse ? 0 : ITEM.test(content) ? 1 : height + 1;
    if (height === LINES + 1) problems.push(`${file}:${line - LINES}: the paragraph has more than ${LINES} lines`);
    if (isProse && content.length > COLUMNS && canBreak(content)) {
      problems.push(`${file}:${line}: the line has ${content.length} of at most ${COLUMNS} columns`);
    }
  }
  return problems;
}

/** A line that begins with a long address, after its marker, can be no shorter. */
function canBreak(line: string): boolean {
  return line.replace(ITEM, '').trim().lastIndexOf(' ', COLUMNS) > 0;
}
