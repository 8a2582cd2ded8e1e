import { MAX_COLUMNS, type OutputBudget } from '../limits.ts';
import type { Block } from '../tree/blocks.ts';
import { type Inline, isBlank } from '../tree/inlines.ts';
import type { ListPlace } from '../tree/lists.ts';
import type { TableCell, TableRow } from '../tree/tables.ts';
import { codeText } from '../tree/typewriter.ts';
import { child, elements, type XmlElement } from '../xml.ts';
import { nextItem, type OdtList, type OdtLists } from './lists.ts';
import type { OdtObjects } from './objects.ts';
import { holdsText, OdtRuns } from './runs.ts';
import type { OdtStyle, OdtStyles } from './styles.ts';

export interface OdtContext {
  readonly styles: OdtStyles;
  readonly notes: Map<string, Block[]>;
  readonly budget: OutputBudget;
  readonly lists: OdtLists;
  readonly objects: OdtObjects;
  /** Controls of forms by their identifiers. */
  readonly controls: ReadonlyMap<string, XmlElement>;
}

/** The list whose items are being read; its style also applies to the lists inside it. */
interface OpenList {
  readonly list: OdtList;
  readonly style: string | undefined;
  readonly level: number;
}

/** The place of a paragraph, and the number that it shows if it is a heading. */
type Place = ListPlace & { readonly shown?: string | undefined };

const MAX_ROWS_REPEATED = 1000;

/** The blocks of `office:text`, a cell, a section, a frame or a note. */
export function odtBlocks(container: XmlElement, context: OdtContext): Block[] {
  return elements(container).flatMap((element) => blocksOf(element, context, undefined));
}

function blocksOf(element: XmlElement, context: OdtContext, place: Place | undefined): Block[] {
  switch (element.name) {
    case 'text:h':
    case 'text:p':
      return paragraph(element, context, place);
    case 'text:list':
      return list(element, context, undefined);
    case 'table:table':
      return [{ kind: 'table', rows: tableRows(element, context), place: place && { ...place, continued: true } }];
    case 'text:bibliography':
      return odtBlocks(child(element, 'text:index-body') ?? element, context);
    case 'text:section':
    case 'text:index-title':
      return elements(element).flatMap((inner) => blocksOf(inner, context, place));
    case 'text:numbered-paragraph':
      return numberedParagraph(element, context);
    default:
      // Indexes repeat headings, tracked changes hold deleted text, and the controls of forms are shown by drawings.
      return element.name.startsWith('draw:') ? shape(element, context, place) : [];
  }
}

/** A drawing outside paragraphs: its texts, or what it embeds. */
function shape(element: XmlElement, context: OdtContext, place: Place | undefined): Block[] {
  if (holdsText(element)) return elements(element).flatMap((inner) => blocksOf(inner, context, place));
  return paragraph({ name: 'text:p', attributes: {}, children: [element] }, context, place);
}

function paragraph(element: XmlElement, context: OdtContext, place: Place | undefined): Block[] {
  const style = context.styles.get('paragraph', element.attributes['text:style-name']);
  if (style.hidden) return [];
  const runs = new OdtRuns(context, style, {
    note: (note) => addNote(note, context),
    table: (table) => blocksOf(table, context, undefined),
  });
  runs.read(element);
  const after = runs.anchored.flatMap((one) => ('blocks' in one ? one.blocks : blocksOf(one, context, undefined)));
  const inlines: readonly Inline[] = runs.inlines;
  const level = element.name === 'text:h' ? Number(element.attributes['text:outline-level'] ?? 1) : style.title ? 1 : 0;
  if (level > 0 && !isBlank(inlines)) {
    const label = place === undefined ? headingNumber(element, level, style, context) : place.shown;
    return [{ kind: 'heading', depth: level, inlines, label: runs.number || label }, ...after];
  }
  if (style.code) return [{ kind: 'code', text: codeText(inlines), place }, ...after];
  return [{ kind: 'paragraph', inlines, place, quote: style.quote }, ...after];
}

/** The number of a heading by the outline of the document; undefined if it shows none. */
function headingNumber({ name, attributes }: XmlElement, level: number, style: OdtStyle, context: OdtContext): string
  | undefined
{
  if (name !== 'text:h' || !(level <= 10) || style.unnumbered || attributes['text:is-list-header'] === 'true')
    return undefined;
  const start = attributes['text:restart-numbering'] === 'true'
    ? Number(attributes['text:start-value'] ?? 1) || 1
    : undefined;
  return nextItem(context.lists.outline, context.styles.outline, Math.floor(level) - 1, start).shown;
}

function list(element: XmlElement, context: OdtContext, outer: OpenList | undefined): Block[] {
  const own: OpenList = {
    list: outer?.list ?? context.lists.open(element),
    style: element.attributes['text:style-name'] ?? outer?.style,
    level: (outer?.level ?? -1) + 1,
  };
  const style = context.styles.list(own.style);
  const blocks: Block[] = [];
  for (const item of elements(element)) {
    if (item.name !== 'text:list-item' && item.name !== 'text:list-header') continue;
    // A list header has no number: it continues the preceding item, if there is one.
    let begun = item.name === 'text:list-header';
    let place: Place = { list: own.list.id, level: own.level, ordered: false, continued: true };
    for (const inner of elements(item)) {
      if (inner.name === 'text:list') blocks.push(...list(inner, context, own));
      else if (inner.name !== 'text:number') {
        // An item that holds only a list inside is not counted.
        if (!begun) {
          const start = item.attributes['text:start-value'];
          place = {
            ...place,
            ...nextItem(own.list, style, own.level, start === undefined ? undefined : Number(start) || 0),
          };
        }
        const isFirst = begun && blocks.length === 0 && outer === undefined;
        blocks.push(...blocksOf(inner, context, isFirst ? undefined : { ...place, continued: begun }));
        begun = true;
      }
    }
  }
  return blocks;
}

/** A paragraph that names its list instead of standing inside it. */
function numberedParagraph(element: XmlElement, context: OdtContext): Block[] {
  const list = context.lists.numbered(element);
  const level = Math.max(0, Math.min(9, Math.floor(Number(element.attributes['text:level'] ?? 1)) - 1 || 0));
  const start = element.attributes['text:start-value'];
  const mark = nextItem(list, context.styles.list(element.attributes['text:style-name']), level,
    start === undefined ? undefined : Number(start) || 0);
  return elements(element).filter(({ name }) => name !== 'text:number').flatMap((inner) =>
    blocksOf(inner, context, { list: list.id, level, ...mark })
  );
}

function tableRows(table: XmlElement, context: OdtContext): TableRow[] {
  return rowElements(table).flatMap((row) => {
    const cells: TableCell[] = [];
    for (const cell of elements(row)) {
      if (cell.name !== 'table:table-cell') continue;
      const read: TableCell = {
        blocks: odtBlocks(cell, context),
        columns: span(cell, 'table:number-columns-spanned'),
        rows: span(cell, 'table:number-rows-spanned'),
      };
      // Spreadsheet editors repeat empty cells to the edge of the sheet.
      const times = Math.min(read.blocks.length === 0 ? 1 : span(cell, 'table:number-columns-repeated'),
        MAX_COLUMNS - cells.length);
      context.budget.take(times);
      for (let i = 0; i < times; i += 1) cells.push(read);
    }
    const times = cells.every((cell) => cell.blocks.length === 0)
      ? 1
      : Math.min(span(row, 'table:number-rows-repeated'), MAX_ROWS_REPEATED);
    context.budget.take(times * cells.length);
    return Array.from({ length: times }, () => ({ cells }));
  });
}

function rowElements(parent: XmlElement): XmlElement[] {
  return elements(parent).flatMap((element) => {
    if (element.name === 'table:table-row') return [element];
    return ['table:table-header-rows', 'table:table-rows', 'table:table-row-group'].includes(element.name)
      ? rowElements(element)
      : [];
  });
}

function span(element: XmlElement, attribute: string): number {
  return Math.max(1, Math.min(10_000, Math.floor(Number(element.attributes[attribute] ?? 1)) || 1));
}

/** The body of a note, and the identifier with which the text refers to it. */
function addNote(element: XmlElement, context: OdtContext): string {
  const id = String(context.notes.size + 1);
  // Its number is reserved before a note inside it takes one.
  context.notes.set(id, []);
  const body = child(element, 'text:note-body');
  if (body !== undefined) context.notes.set(id, odtBlocks(body, context));
  return id;
}
