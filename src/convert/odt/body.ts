import { MAX_COLUMNS, type OutputBudget } from '../limits.ts';
import type { Block } from '../tree/blocks.ts';
import { type Inline, inlineText, isBlank } from '../tree/inlines.ts';
import type { ListPlace } from '../tree/lists.ts';
import type { TableCell, TableRow } from '../tree/tables.ts';
import { child, elements, type XmlElement } from '../xml.ts';
import { OdtRuns } from './runs.ts';
import type { OdtStyles } from './styles.ts';

export interface OdtContext {
  readonly styles: OdtStyles;
  readonly notes: Map<string, Block[]>;
  readonly budget: OutputBudget;
  /** Number of the next list, so that adjacent lists are not merged. */
  lists: number;
}

/** The list whose items are being read; its style also applies to the lists inside it. */
interface OpenList {
  readonly id: string;
  readonly style: string | undefined;
  readonly level: number;
}

const MAX_ROWS_REPEATED = 1000;

/** The blocks of `office:text`, a cell, a section, a frame or a note. */
export function odtBlocks(container: XmlElement, context: OdtContext): Block[] {
  return elements(container).flatMap((element) => blocksOf(element, context, undefined));
}

function blocksOf(element: XmlElement, context: OdtContext, place: ListPlace | undefined): Block[] {
  switch (element.name) {
    case 'text:h':
    case 'text:p':
      return paragraph(element, context, place);
    case 'text:list':
      return list(element, context, undefined);
    case 'table:table':
      return [{ kind: 'table', rows: tableRows(element, context), place: place && { ...place, continued: true } }];
    case 'text:section':
    case 'text:index-title':
    case 'draw:text-box':
      return elements(element).flatMap((inner) => blocksOf(inner, context, place));
    case 'draw:frame':
    case 'draw:g':
    case 'draw:custom-shape':
      return elements(element).flatMap((inner) => blocksOf(inner, context, place));
    case 'text:numbered-paragraph':
      return elements(element).flatMap((inner) =>
        blocksOf(inner, context, {
          list: element.attributes['text:list-id'] ?? 'numbered',
          level: Number(element.attributes['text:level'] ?? 1) - 1,
          ordered: true,
        })
      );
    default:
      // Indexes repeat headings, tracked changes hold deleted text, and forms contain no text.
      return [];
  }
}

function paragraph(element: XmlElement, context: OdtContext, place: ListPlace | undefined): Block[] {
  const style = context.styles.get('paragraph', element.attributes['text:style-name']);
  if (style.hidden) return [];
  const runs = new OdtRuns(context, style, (note) => addNote(note, context));
  runs.read(element);
  const boxes = runs.frames.flatMap((frame) => blocksOf(frame, context, undefined));
  const inlines: readonly Inline[] = runs.inlines;
  const level = element.name === 'text:h' ? Number(element.attributes['text:outline-level'] ?? 1) : style.title ? 1 : 0;
  if (level > 0 && !isBlank(inlines)) return [{ kind: 'heading', depth: level, inlines }, ...boxes];
  if (style.code)
    return [{
      kind: 'code',
      text: inlines.map((inline) => (inline.kind === 'break' ? '\n' : inlineText([inline]))).join(''),
      place,
    }, ...boxes];
  return [{ kind: 'paragraph', inlines, place, quote: style.quote }, ...boxes];
}

function list(element: XmlElement, context: OdtContext, outer: OpenList | undefined): Block[] {
  const continues = element.attributes['text:continue-numbering'] === 'true';
  const own: OpenList = {
    id: outer?.id ?? `list${(context.lists += continues ? 0 : 1)}`,
    style: element.attributes['text:style-name'] ?? outer?.style,
    level: (outer?.level ?? -1) + 1,
  };
  const ordered = context.styles.ordered(own.style, own.level + 1);
  const blocks: Block[] = [];
  let number = 0;
  for (const item of elements(element)) {
    if (item.name !== 'text:list-item' && item.name !== 'text:list-header') continue;
    number = Number(item.attributes['text:start-value'] ?? number + 1) || number + 1;
    let begun = false;
    for (const inner of elements(item)) {
      if (inner.name === 'text:list') blocks.push(...list(inner, context, own));
      else {
        // A list header has no number: it continues the preceding item.
        const read = blocksOf(inner, context, {
          list: own.id,
          level: own.level,
          ordered,
          number,
          continued: begun || item.name === 'text:list-header',
        });
        blocks.push(...read);
        begun ||= read.some((block) => block.kind !== 'paragraph' || !isBlank(block.inlines));
      }
    }
  }
  return blocks;
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
