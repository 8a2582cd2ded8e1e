import { ConversionError, type Parts, type ReadOptions } from '../contract.ts';
import { OutputBudget } from '../limits.ts';
import { type Block, rootOf } from '../tree/blocks.ts';
import { boldFonts } from './bold.ts';
import { CMapFiles } from './cmaps.ts';
import { regionsOf } from './columns.ts';
import { type Annotation, fieldTexts } from './fields.ts';
import { fragmentsByDirection, type TextItem } from './fragments.ts';
import { metaOfFile, outlineOf, type PdfDocument } from './info.ts';
import { CELL_GAP, GUTTER_GAP, type Line, linesOf, segmentsOf } from './lines.ts';
import { paragraphBlocks } from './paragraphs.ts';
import { runningLines } from './running.ts';
import { type PdfStyle, styleOf } from './style.ts';
import { splitTables, tableBlock } from './tables.ts';
import { hasPictures, noText, pageWarnings } from './textless.ts';

/** Maximum number of pages of one file; an encyclopedia has fewer. */
const MAX_PAGES = 20_000;
/** A page as regions of lines, in reading order. */
type PdfPage = Line[][];

/**
 * The text of a PDF (ISO 32000) as a tree: columns in sequence, hyphenated words joined, running headers, footers and
 * page numbers left out, rotated pages upright, headings by size or by the document's outline, lists, simple tables,
 * links. PDF states none of this; it is derived from positions.
 * @throws ConversionError `encrypted`, `damaged`, `no_text`
 */
export async function readPdf(bytes: Uint8Array, options: ReadOptions): Promise<Parts> {
  const pdfjs = await import('unpdf');
  // pdf.js may take the buffer away.
  const pictures = hasPictures(bytes);
  const file = await pdfjs.getDocumentProxy(bytes, {
    verbosity: 0,
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    stopAtErrors: false,
    // Pictures are never decoded.
    maxImageSize: 1,
    cMapUrl: 'cmaps/',
    cMapPacked: true,
    useWorkerFetch: false,
    BinaryDataFactory: CMapFiles,
  }).catch((error: unknown) => {
    throw openingFault(error);
  });
  if (file.numPages > MAX_PAGES)
    throw new ConversionError('too_large',
      `has ${file.numPages.toLocaleString('en-US')} pages; at most ${MAX_PAGES.toLocaleString('en-US')} are read`);
  const budget = new OutputBudget(options.maxOutput);
  const pages: PdfPage[] = [];
  const empty: number[] = [];
  let broken = 0;
  for (let number = 1; number <= file.numPages; number += 1) {
    const page = await readPage(file, number, budget).catch((error: unknown) => {
      if (error instanceof ConversionError) throw error;
      broken += 1;
      return undefined;
    });
    if (page?.length === 0) empty.push(number);
    pages.push(page ?? []);
  }
  if (pages.every((page) => page.length === 0)) throw noText(pictures, broken);
  const kept = withoutRunning(pages);
  const bold = await boldFonts(file, kept.map((page) => page.flat()));
  const blocks = documentBlocks(kept, styleOf(kept.flat(2), await outlineOf(file), bold));
  return {
    content: rootOf(blocks),
    repaired: 0,
    meta: await metaOfFile(file, blocks),
    warnings: pageWarnings(empty, broken, file.numPages, pictures),
  };
}

function openingFault(error: unknown): ConversionError {
  const { name, message } = error as Error;
  if (name === 'PasswordException') return new ConversionError('encrypted', 'is encrypted with a password');
  return new ConversionError('damaged', `is damaged: it is no PDF that can be read (${String(message).slice(0, 120)})`);
}

async function readPage(file: PdfDocument, number: number, budget: OutputBudget): Promise<PdfPage> {
  const page = await file.getPage(number);
  try {
    const content = await page.getTextContent();
    const annotations = (await page.getAnnotations().catch(() => [])) as Annotation[];
    const texts = content.items.filter((item) => 'str' in item) as TextItem[];
    const items = [...texts, ...fieldTexts(annotations, texts)];
    for (const item of items) budget.take(item.str.length);
    const links = annotations.flatMap(({ subtype, url, rect }) =>
      subtype === 'Link' && url !== undefined && Array.isArray(rect) ? [{ url, rect }] : []
    );
    return fragmentsByDirection(items, links).flatMap((fragments) =>
      regionsOf(segmentsOf(fragments, GUTTER_GAP)).map((region) =>
        linesOf(segmentsOf(region.flatMap((segment) => segment.fragments), CELL_GAP))
      )
    );
  } finally {
    page.cleanup();
  }
}

function withoutRunning(pages: readonly PdfPage[]): PdfPage[] {
  const running = runningLines(pages.map((page) => page.flat()));
  return pages.map((page) => page.map((region) => region.filter((line) => !running.has(line))));
}

function documentBlocks(pages: readonly PdfPage[], style: PdfStyle): Block[] {
  const blocks: Block[] = [];
  for (const region of pages.flat()) {
    for (const { table, lines } of splitTables(region)) {
      if (table) blocks.push(tableBlock(lines));
      else if (lines.length > 0) append(blocks, paragraphBlocks(lines, style));
    }
  }
  return blocks;
}

/** Adds the blocks of a region; a paragraph that was interrupted before it continues in the first of them. */
function append(blocks: Block[], next: readonly Block[]): void {
  const last = blocks.at(-1);
  const first = next[0];
  if (last?.kind === 'paragraph' && first?.kind === 'paragraph' && first.place === undefined) {
    const [end, start] = [last.inlines.at(-1), first.inlines[0]];
    if (end?.kind === 'text' && start?.kind === 'text' && /[\p{Ll},-]$/u.test(end.value) &&
      /^\p{Ll}/u.test(start.value))
    {
      const hyphen = /\p{Ll}-$/u.test(end.value);
      const joined = hyphen
        ? [...last.inlines.slice(0, -1), { ...end, value: end.value.slice(0, -1) }]
        : [...last.inlines, { kind: 'text' as const, value: ' ', look: {} }];
      blocks[blocks.length - 1] = { ...last, inlines: [...joined, ...first.inlines] };
      blocks.push(...next.slice(1));
      return;
    }
  }
  blocks.push(...next);
}
