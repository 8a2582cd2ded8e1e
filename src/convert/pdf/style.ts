import { cutsWords } from './hangul.ts';
import type { Line } from './lines.ts';

/** What is known about the whole document. */
export interface PdfStyle {
  /** Size of most of the text. */
  readonly body: number;
  /** Sizes of headings, the largest first. */
  readonly headings: readonly number[];
  /** Levels of headings in the document's outline, by their text without white space. */
  readonly outline: ReadonlyMap<string, number>;
  /** Hyphenated words that also occur within a line somewhere. */
  readonly hyphenated: ReadonlySet<string>;
  /** Identifiers of bold fonts; empty if most of the text is bold. */
  readonly bold: ReadonlySet<string>;
  /** Whether lines of Korean end within words. */
  readonly cutsHangul: boolean;
}

/** Text that is larger than the body's by this factor is a heading. */
export const LARGER = 1.12;
const HEADING_LEVELS = 4;
const HEADING_LENGTH = 200;
const BOLD_LENGTH = 120;
/** If more of the text than this is bold, bold marks no headings. */
const MOSTLY_BOLD = 0.35;

export function styleOf(lines: readonly Line[], outline: ReadonlyMap<string, number>,
  bold: ReadonlySet<string>): PdfStyle
{
  const hyphenated = new Set<string>();
  let [total, inBold] = [0, 0];
  for (const { text, font } of lines) {
    for (const [word] of text.toLowerCase().matchAll(/\p{L}{1,40}-\p{L}{1,40}/gu)) hyphenated.add(word);
    total += text.length;
    if (font !== undefined && bold.has(font)) inBold += text.length;
  }
  const body = bodySize(lines);
  const larger = lines.filter((line) => line.size > LARGER * body && /\p{L}/u.test(line.text)).map((line) =>
    rounded(line.size)
  );
  const headings = [...new Set(larger)].sort((a, b) => b - a).slice(0, HEADING_LEVELS);
  return {
    body,
    headings,
    outline,
    hyphenated,
    bold: inBold > MOSTLY_BOLD * total ? new Set() : bold,
    cutsHangul: cutsWords(lines.map((line) => line.text)),
  };
}

/** The size of most of the text. */
export function bodySize(lines: readonly Line[]): number {
  const characters = new Map<number, number>();
  for (const { size, text } of lines)
    characters.set(rounded(size), (characters.get(rounded(size)) ?? 0) + text.length);
  return [...characters].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}

function rounded(size: number): number {
  return Math.round(size * 2) / 2;
}

/** Returns 0 for text that is not a heading: text of the usual size that the outline does not name, and long text. */
export function headingDepth(value: string, size: number, style: PdfStyle): number {
  if (value.length > HEADING_LENGTH || !/\p{L}/u.test(value)) return 0;
  const named = outlineDepth(value, style);
  if (named > 0) return named;
  return style.headings.findIndex((heading) => Math.abs(heading - size) < 0.3) + 1;
}

/** The level of a heading in the document's outline; 0 if that does not name it. */
export function outlineDepth(value: string, style: PdfStyle): number {
  return style.outline.get(value.replace(/\s+/g, '').toLowerCase()) ?? 0;
}

export function isBold(line: Line, style: PdfStyle): boolean {
  return line.font !== undefined && style.bold.has(line.font);
}

/** The depth of a heading that only its bold font shows, which is short and no sentence; 0 for other paragraphs. */
export function boldDepth(lines: readonly Line[], whole: string, style: PdfStyle): number {
  if (!lines.every((line) => isBold(line, style) && line.segments.length === 1)) return 0;
  if (lines[0]!.size < 0.88 * style.body || !mayBeHeading(whole)) return 0;
  const number = /^\d{1,3}((?:\.\d{1,3}){0,4})\.?\s/.exec(whole);
  const inner = number?.[1]!.split('.').length ?? 1;
  return Math.min(6, Math.max(2, style.headings.length + 1) + inner - 1);
}

/** Whether a text could be a heading by its words. */
export function mayBeHeading(value: string): boolean {
  return value.length <= BOLD_LENGTH && /\p{L}{2}/u.test(value) && !/[.,;:…][”"’)]?$/u.test(value) &&
    /^["“'‘(¿¡]?[\p{Lu}\p{Lo}\p{N}§]/u.test(value);
}
