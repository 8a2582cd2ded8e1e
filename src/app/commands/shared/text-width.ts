import stringWidth from 'string-width';

const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Columns that a text takes in a terminal, as near as can be known without asking the terminal. */
export const textWidth = (text: string): number => stringWidth(text);

/** The text in exactly so many columns: padded with spaces, or cut with `…` at the end. */
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

/** On one line and without control characters, which stored text could steer a terminal with. */
export const plainLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
