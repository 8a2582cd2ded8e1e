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
