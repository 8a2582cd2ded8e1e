import stringWidth from 'string-width';

const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Width of a text in a terminal, as precisely as possible without querying the terminal. */
export const textWidth = (text: string): number => stringWidth(text);

/** The text in exactly this many columns: padded with spaces, or truncated with `…`. */
export function fitText(text: string, columns: number): string {
  const width = textWidth(text);
  if (width <= columns) return text + ' '.repeat(columns - width);
  let kept = '';
  let used = 0;
  for (const { segment } of segments.segment(text)) {
    const next = used + textWidth(segment);
    if (next > columns - 1) break;
    [kept, used] = [kept + segment, next];
  }
  return columns < 1 ? '' : `${kept}…${' '.repeat(columns - 1 - used)}`;
}

/** On one line and without control characters, with which stored text could control a terminal. */
export const plainLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();

export interface Column {
  readonly heading: string;
  /** Fewest terminal columns of a table column. */
  readonly minimum: number;
}

const GAP = '  ';

/**
 * Rows of a table with headings and a rule below them. Columns are as wide as their longest text. If together they are
 * wider than `width`, the widest column that is above its minimum is narrowed by one until they fit, and texts that no
 * longer fit end in `…`. Line ends are not padded.
 */
export function renderTable(columns: readonly Column[], rows: ReadonlyArray<readonly string[]>,
  width = Number.POSITIVE_INFINITY): string[]
{
  const cells = rows.map((row) => row.map(plainLine));
  const natural = columns.map(({ heading }, index) =>
    Math.max(textWidth(heading), ...cells.map((row) => textWidth(row[index] ?? '')))
  );
  const widths = shrink(natural, columns.map(({ minimum }) => minimum), width - GAP.length * (columns.length - 1));
  const line = (texts: readonly string[]): string =>
    widths.map((each, index) => fitText(texts[index] ?? '', each)).join(GAP).trimEnd();
  return [line(columns.map(({ heading }) => heading)), widths.map((each) => '─'.repeat(each)).join(GAP),
    ...cells.map(line)];
}

/** Removes one terminal column at a time from the widest, until the sum fits or all are at their minimum. */
function shrink(natural: readonly number[], minimums: readonly number[], room: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, each) => sum + each, 0) - room;
  while (excess > 0) {
    let widest = -1;
    for (const [index, each] of widths.entries()) {
      if (each > minimums[index]! && (widest < 0 || each > widths[widest]!)) widest = index;
    }
    if (widest < 0) break;
    widths[widest]!--;
    excess--;
  }
  return widths;
}
