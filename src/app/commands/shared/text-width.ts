const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

// East Asian wide and full-width characters, by block: the terminal gives them two columns.
const WIDE = /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const INVISIBLE = /^[\p{Mark}\p{Format}]+$/u;

/** Columns that a text takes in a terminal, as near as can be known without asking the terminal. */
export function textWidth(text: string): number {
  let width = 0;
  for (const { segment } of segments.segment(text)) width += segmentWidth(segment);
  return width;
}

/** The text in exactly so many columns: padded with spaces, or cut with `…` at the end. */
export function fitText(text: string, columns: number): string {
  const width = textWidth(text);
  if (width <= columns) return text + ' '.repeat(columns - width);
  let kept = '';
  let used = 0;
  for (const { segment } of segments.segment(text)) {
    const next = used + segmentWidth(segment);
    if (next > columns - 1) break;
    [kept, used] = [kept + segment, next];
  }
  return columns < 1 ? '' : `${kept}…${' '.repeat(columns - 1 - used)}`;
}

/** On one line and without control characters, which stored text could steer a terminal with. */
export const plainLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();

const segmentWidth = (segment: string): number => (INVISIBLE.test(segment) ? 0 : WIDE.test(segment) ? 2 : 1);
