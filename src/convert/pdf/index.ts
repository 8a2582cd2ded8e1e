import type { getDocumentProxy } from 'unpdf';
import { ConversionError, type Parts, type ReadOptions } from '../contract.ts';
import { OutputBudget } from '../limits.ts';
import { metaOf } from '../meta.ts';
import { type Block, firstHeading, rootOf } from '../tree/blocks.ts';
import { regionsOf } from './columns.ts';
import { fragmentsByDirection, type Line, linesOf, type LinkArea, segmentsOf, type TextItem } from './lines.ts';
import { paragraphBlocks, type PdfStyle } from './paragraphs.ts';
import { runningLines } from './running.ts';
import { splitTables, tableBlock } from './tables.ts';

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Maximum number of pages of one file; an encyclopedia has fewer. */
const MAX_PAGES = 20_000;
/** Text that is larger than the body's by this factor is a heading. */
const LARGER = 1.12;
const HEADING_LEVELS = 4;

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
  const file = await pdfjs.getDocumentProxy(bytes, {
    verbosity: 0,
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    stopAtErrors: false,
  }).catch((error: unknown) => {
    throw openingFault(error);
  });
  if (file.numPages > MAX_PAGES)
    throw new ConversionError('too_large',
      `has ${file.numPages.toLocaleString('en-US')} pages; at most ${MAX_PAGES.toLocaleString('en-US')} are read`);
  const budget = new OutputBudget(options.maxOutput);
  const pages: PdfPage[] = [];
  let broken = 0;
  for (let number = 1; number <= file.numPages; number += 1) {
    const page = await readPage(file, number, budget).catch((error: unknown) => {
      if (error instanceof ConversionError) throw error;
      broken += 1;
      return [];
    });
    pages.push(page);
  }
  if (pages.every((page) => page.length === 0)) {
    throw broken > 0
      ? new ConversionError('damaged', 'is damaged: none of its pages can be read')
      : new ConversionError('no_text',
        'has no text: its pages are pictures, whose text has to be recognised (OCR) first');
  }
  const blocks = documentBlocks(pages, await outlineOf(file));
  return {
    content: rootOf(blocks),
    repaired: 0,
    meta: await metaOfFile(file, blocks),
    warnings: broken > 0 ? [`${broken} of ${file.numPages} pages are damaged and were left out.`] : [],
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
    const items = content.items.filter((item) => 'str' in item) as TextItem[];
    for (const item of items) budget.take(item.str.length);
    const annotations = (await page.getAnnotations().catch(() => [])) as { subtype?: string; url?: string;
      rect?: number[] }[];
    const links: LinkArea[] = annotations.flatMap((
      { subtype, url, rect },
    ) => (subtype === 'Link' && url !== undefined && rect !== undefined ? [{ url, rect }] : []));
    return fragmentsByDirection(items, links).flatMap((fragments) => regionsOf(segmentsOf(fragments)).map(linesOf));
  } finally {
    page.cleanup();
  }
}

function documentBlocks(pages: readonly PdfPage[], outline: ReadonlyMap<string, number>): Block[] {
  const running = runningLines(pages.map((page) => page.flat()));
  const kept = pages.map((page) => page.map((region) => region.filter((line) => !running.has(line))));
  const style = styleOf(kept.flat(2), outline);
  const blocks: Block[] = [];
  for (const region of kept.flat()) {
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

function styleOf(lines: readonly Line[], outline: ReadonlyMap<string, number>): PdfStyle {
  const characters = new Map<number, number>();
  const hyphenated = new Set<string>();
  for (const { size, text } of lines) {
    const rounded = Math.round(size * 2) / 2;
    characters.set(rounded, (characters.get(rounded) ?? 0) + text.length);
    for (const [word] of text.toLowerCase().matchAll(/\p{L}{1,40}-\p{L}{1,40}/gu)) hyphenated.add(word);
  }
  const body = [...characters].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
  const sizes = [
    ...new Set(
      lines.filter((line) => line.size > LARGER * body && /\p{L}/u.test(line.text)).map((line) =>
        Math.round(line.size * 2) / 2
      ),
    ),
  ].sort((a, b) => b - a);
  return { body, headings: sizes.slice(0, HEADING_LEVELS), outline, hyphenated };
}

interface OutlineItem {
  readonly title: string;
  readonly items: readonly OutlineItem[];
}

/** Levels of the headings that the bookmarks name. */
async function outlineOf(file: PdfDocument): Promise<Map<string, number>> {
  const depths = new Map<string, number>();
  const visit = (items: readonly OutlineItem[], depth: number): void => {
    for (const { title, items: inner } of items) {
      const key = title.replace(/\s+/g, '').toLowerCase();
      if (key !== '' && !depths.has(key)) depths.set(key, Math.min(depth, 6));
      if (depth < 32) visit(inner, depth + 1);
    }
  };
  visit(((await file.getOutline().catch(() => null)) ?? []) as readonly OutlineItem[], 1);
  return depths;
}

async function metaOfFile(file: PdfDocument, blocks: readonly Block[]): Promise<Parts['meta']> {
  const info = (await file.getMetadata().catch(() => ({ info: {} }))).info as Record<string, unknown>;
  const text = (key: string) => (typeof info[key] === 'string' ? (info[key] as string) : undefined);
  return metaOf({
    title: text('Title')?.trim() || firstHeading(blocks),
    author: text('Author'),
    lang: text('Language'),
    created: pdfDate(text('CreationDate')),
    modified: pdfDate(text('ModDate')),
  });
}

/** Converts `D:20070915110231+02'00'` to ISO 8601. */
export function pdfDate(value: string | undefined): string | undefined {
  const match = /^(?:D:)?(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(?:Z|([+-])(\d\d)'?(\d\d)?)?/.exec(value ?? '');
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second = '00', sign, zoneHour, zoneMinute = '00'] = match;
  if (hour === undefined) return `${year}-${month}-${day}`;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${
    sign === undefined ? 'Z' : `${sign}${zoneHour}:${zoneMinute}`
  }`;
}
