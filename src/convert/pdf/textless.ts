import { ConversionError } from '../contract.ts';

/** Ranges of pages that a warning lists. */
const MAX_RANGES = 20;

/**
 * Whether a file has pictures. The dictionary of a picture is never in a compressed part, so its bytes show it, while
 * pdf.js would decode each.
 */
export function hasPictures(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return file.includes('/Subtype /Image') || file.includes('/Subtype/Image');
}

/** Why no page of a file has text. */
export function noText(pictures: boolean, broken: number): ConversionError {
  if (broken > 0) return new ConversionError('damaged', 'is damaged: none of its pages can be read');
  return pictures
    ? new ConversionError('no_text', 'has no text: its pages are pictures, whose text has to be recognised (OCR) first')
    : new ConversionError('no_text', 'has no text: its pages are empty, or what they show is drawn without characters');
}

/** Warnings about pages without text, by number, and about damaged ones. */
export function pageWarnings(empty: readonly number[], broken: number, pages: number, pictures: boolean): string[] {
  const warnings = broken > 0 ? [`${broken} of ${pages} pages are damaged and were left out.`] : [];
  if (empty.length > 0 && pictures) {
    const [subject, verb] = empty.length === 1 ? ['Page', 'has'] : ['Pages', 'have'];
    warnings.push(
      `${subject} ${rangesOf(empty)} of ${pages} ${verb} no text layer: text in pictures has to be ` +
        'recognised (OCR) first.',
    );
  }
  return warnings;
}

/** Such as `2, 5–7 and 9`, from numbers in ascending order. */
function rangesOf(numbers: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  const named = ranges.slice(0, MAX_RANGES).map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`));
  if (ranges.length > MAX_RANGES) named.push('others');
  return named.length === 1 ? named[0]! : `${named.slice(0, -1).join(', ')} and ${named.at(-1)!}`;
}
