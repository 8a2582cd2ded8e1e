import type { TextItem } from './fragments.ts';

/** What is used of an annotation (ISO 32000, 12.5) as pdf.js reports it; in damaged files, values may be null. */
export interface Annotation {
  readonly subtype?: string;
  readonly rect?: readonly number[] | null;
  readonly url?: string;
  readonly hidden?: boolean;
  readonly annotationFlags?: number;
  readonly fieldType?: string;
  readonly fieldValue?: unknown;
  readonly multiLine?: boolean;
  readonly password?: boolean;
  readonly checkBox?: boolean;
  readonly radioButton?: boolean;
  readonly exportValue?: string;
  readonly buttonValue?: string;
  readonly options?: readonly { readonly exportValue?: string; readonly displayValue?: string }[] | null;
  readonly contentsObj?: { readonly str?: string };
}

const HIDDEN = 2;
const NO_VIEW = 32;
/** Size of values on a page without other text. */
const SIZE = 10;
/** Width of a letter as a fraction of its size; the true one matters to nothing. */
const LETTER = 0.5;

/**
 * What somebody filled in or typed onto a page, as text at its place: values of form fields, `checked` for a box or
 * radio button that is on, and text boxes. Empty fields, buttons and passwords have none. They have the size of most of
 * the page's text, so that none is taken for a heading.
 */
export function fieldTexts(annotations: readonly Annotation[], items: readonly TextItem[]): TextItem[] {
  const usual = usualSize(items);
  return annotations.flatMap((annotation) => {
    const { rect, annotationFlags = 0, hidden = false } = annotation;
    if (!Array.isArray(rect) || hidden || (annotationFlags & (HIDDEN | NO_VIEW)) !== 0) return [];
    const lines = valueOf(annotation).split(/\r\n?|\n/).filter((line) => line.trim() !== '');
    return lines.length === 0 ? [] : itemsAt(lines, annotation, usual);
  });
}

function valueOf(annotation: Annotation): string {
  const { subtype, fieldType, fieldValue, password, options } = annotation;
  if (subtype === 'FreeText') return annotation.contentsObj?.str ?? '';
  if (subtype !== 'Widget' || password) return '';
  if (fieldType === 'Btn') return isOn(annotation) ? 'checked' : '';
  if (fieldType !== 'Tx' && fieldType !== 'Ch') return '';
  const values = (Array.isArray(fieldValue) ? fieldValue : [fieldValue]).filter((value) => typeof value === 'string');
  return values.map((value) => options?.find((option) => option.exportValue === value)?.displayValue ?? value).join(
    ', ',
  );
}

function isOn({ checkBox, radioButton, fieldValue, exportValue, buttonValue }: Annotation): boolean {
  const own = checkBox ? exportValue : radioButton ? buttonValue : undefined;
  return typeof fieldValue === 'string' && fieldValue !== 'Off' && fieldValue === own;
}

/** A single line is centred in its field, as viewers do; several begin at the top. */
function itemsAt(lines: readonly string[], annotation: Annotation, size: number): TextItem[] {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = annotation.rect!;
  const [left, bottom, top] = [Math.min(x1, x2), Math.min(y1, y2), Math.max(y1, y2)];
  const single = lines.length === 1 && !annotation.multiLine && annotation.subtype === 'Widget';
  const first = single ? (top + bottom) / 2 - 0.3 * size : top - 1.1 * size;
  return lines.map((str, index) => ({
    str,
    dir: 'ltr',
    width: Math.min(Math.abs(x2 - x1) - 2, str.length * LETTER * size),
    height: size,
    transform: [size, 0, 0, size, left + 2, first - index * 1.2 * size],
  }));
}

function usualSize(items: readonly TextItem[]): number {
  const characters = new Map<number, number>();
  for (const { str, height } of items)
    if (height > 0) characters.set(height, (characters.get(height) ?? 0) + str.length);
  return [...characters].sort((a, b) => b[1] - a[1])[0]?.[0] ?? SIZE;
}
