import type { PdfDocument } from './info.ts';
import type { Line } from './lines.ts';
import { bodySize, mayBeHeading } from './style.ts';

/** Maximum number of fonts whose weight is looked up; a document has a few for its headings. */
const MAX_FONTS = 12;
/** Names of bold fonts that do not say so in the font's flags: CMBX12, NimbusRomNo9L-Medi, MyriadPro-Semibold. */
const BOLD_NAME = /bold|black|heavy|semibd|demi|[-,]bd|-medi(?:ital)?$|^(?:[a-z]{6}\+)?(?:cm|sf|ec|lm)\w*bx/i;

/**
 * Identifiers of bold fonts among those that could mark headings in the size of the text. pdf.js reports the names of
 * fonts only with the drawing operators of a page, so pages are read for it that have a line in such a font.
 */
export async function boldFonts(file: PdfDocument, pages: readonly (readonly Line[])[]): Promise<Set<string>> {
  const bold = new Set<string>();
  const known = new Set<string>();
  const wanted = [...candidates(pages)].slice(0, MAX_FONTS);
  for (const [font, number] of wanted) {
    if (known.has(font)) continue;
    const page = await file.getPage(number);
    await page.getOperatorList().catch(() => undefined);
    for (const [other] of wanted) {
      if (!page.commonObjs.has(other)) continue;
      known.add(other);
      const { name, bold: isBold, black } = page.commonObjs.get(other) as { name?: string; bold?: boolean;
        black?: boolean };
      if (isBold || black || BOLD_NAME.test(name ?? '')) bold.add(other);
    }
    page.cleanup();
  }
  return bold;
}

/** Fonts of lines that could be headings, each with the number of a page that has such a line. */
function candidates(pages: readonly (readonly Line[])[]): Map<string, number> {
  const lines = pages.flat();
  const size = bodySize(lines);
  const characters = new Map<string, number>();
  for (const { font, text } of lines)
    if (font !== undefined) characters.set(font, (characters.get(font) ?? 0) + text.length);
  const usual = [...characters].sort((a, b) => b[1] - a[1])[0]?.[0];
  const found = new Map<string, number>();
  pages.forEach((page, index) => {
    for (const { font, segments, text, size: own } of page) {
      if (font !== undefined && font !== usual && !found.has(font) && segments.length === 1 &&
        Math.abs(own - size) < 0.12 * size && mayBeHeading(text)) found.set(font, index + 1);
    }
  });
  return found;
}
