import type { getDocumentProxy } from 'unpdf';
import type { Parts } from '../contract.ts';
import { metaOf } from '../meta.ts';
import { type Block, firstHeading } from '../tree/blocks.ts';

export type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

interface OutlineItem {
  readonly title: string;
  readonly items: readonly OutlineItem[];
}

/** Levels of the headings that the bookmarks name. */
export async function outlineOf(file: PdfDocument): Promise<Map<string, number>> {
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

/** What programs write where nobody named a title or an author. */
const NOTHING = /^\s*\(?(?:untitled|anonymous|unspecified|unknown)\)?\s*$/i;

export async function metaOfFile(file: PdfDocument, blocks: readonly Block[]): Promise<Parts['meta']> {
  const info = (await file.getMetadata().catch(() => ({ info: {} }))).info as Record<string, unknown>;
  const text = (key: string) => typeof info[key] === 'string' && !NOTHING.test(info[key]) ? info[key] : undefined;
  return metaOf({
    title: text('Title')?.trim() || firstHeading(blocks),
    author: text('Author'),
    lang: text('Language'),
    created: pdfDate(text('CreationDate')),
    modified: pdfDate(text('ModDate')),
  });
}

/** Converts `D:20070915110231+02'00'` to ISO 8601. */
function pdfDate(value: string | undefined): string | undefined {
  const match = /^(?:D:)?(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(?:Z|([+-])(\d\d)'?(\d\d)?)?/.exec(value ?? '');
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second = '00', sign, zoneHour, zoneMinute = '00'] = match;
  if (hour === undefined) return `${year}-${month}-${day}`;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${
    sign === undefined ? 'Z' : `${sign}${zoneHour}:${zoneMinute}`
  }`;
}
