import type { OutputBudget } from '../limits.ts';
import type { Block, ListPlace } from '../tree/blocks.ts';
import { type Inline, inlineText, isBlank, withoutTypewriter } from '../tree/inlines.ts';
import type { TableCell, TableRow } from '../tree/tables.ts';
import { child, elements, type XmlElement } from '../xml.ts';
import { Runs } from './runs.ts';
import { type DocxNumbering, type DocxStyles, numberingOf, outlineLevel } from './styles.ts';

/** What the parts of a file share while its body is read. */
export interface DocxContext {
  readonly styles: DocxStyles;
  readonly numbering: DocxNumbering;
  /** Targets of external relationships of the current part. */
  readonly links: ReadonlyMap<string, string>;
  /** Called for each reference to a note; returns the note's identifier in markdown. */
  note(kind: 'footnote' | 'endnote', id: string): string | undefined;
  readonly budget: OutputBudget;
}

/** The blocks of a body, cell, note or text box of `word/document.xml`. */
export function bodyBlocks(container: XmlElement, context: DocxContext): Block[] {
  const blocks: Block[] = [];
  let pending: Inline[] = [];
  for (const element of elements(container)) {
    switch (element.name) {
      case 'w:p': {
        const { block, joins, boxes } = paragraph(element, pending, context);
        pending = joins ? inlinesOf(block) : [];
        if (!joins) blocks.push(block);
        blocks.push(...boxes);
        break;
      }
      case 'w:tbl':
        blocks.push({ kind: 'table', rows: tableRows(element, context) });
        break;
      case 'w:sdt':
        // The table of contents repeats the headings with page numbers.
        if (!isContents(element)) blocks.push(...bodyBlocks(child(element, 'w:sdtContent') ?? element, context));
        break;
      case 'w:ins':
      case 'w:customXml':
      case 'w:moveTo':
      case 'w:smartTag':
        blocks.push(...bodyBlocks(element, context));
        break;
      case 'm:oMathPara':
        blocks.push(paragraph({ name: 'w:p', attributes: {}, children: [element] }, [], context).block);
        break;
      case 'mc:AlternateContent':
        blocks.push(...bodyBlocks(child(element, 'mc:Choice') ?? child(element, 'mc:Fallback') ?? element, context));
        break;
    }
  }
  return blocks;
}

function isContents(element: XmlElement): boolean {
  return child(child(child(element, 'w:sdtPr'), 'w:docPartObj'), 'w:docPartGallery')?.attributes['w:val'] ===
    'Table of Contents';
}

function inlinesOf(block: Block): Inline[] {
  return 'inlines' in block ? [...block.inlines] : [];
}

/** A paragraph; `joins` if its mark was deleted, so that the next paragraph continues it. */
function paragraph(element: XmlElement, before: readonly Inline[],
  context: DocxContext): { block: Block; joins: boolean; boxes: Block[] }
{
  const properties = child(element, 'w:pPr');
  const style = context.styles.get(child(properties, 'w:pStyle')?.attributes['w:val']);
  const runs = new Runs(context);
  runs.read(element);
  const inlines = [...before, ...(runs.codeByStyle ? runs.inlines : withoutTypewriter(runs.inlines))];
  const boxes = runs.boxes.flatMap((box) => bodyBlocks(box, context));
  const joins = child(child(properties, 'w:rPr'), 'w:del') !== undefined;
  const depth = style.heading ?? outlineLevel(properties);
  if (depth > 0 && !isBlank(inlines)) return { block: { kind: 'heading', depth, inlines }, joins, boxes };
  if (style.code)
    return {
      block: {
        kind: 'code',
        text: inlines.map((inline) => (inline.kind === 'break' ? '\n' : inlineText([inline]))).join(''),
      },
      joins,
      boxes,
    };
  const numbering = numberingOf(properties) ?? style.numbering;
  return {
    block: {
      kind: 'paragraph',
      inlines,
      quote: style.quote,
      place: numbering === undefined || isBlank(inlines) ? undefined : placeOf(numbering, context),
    },
    joins,
    boxes,
  };
}

function placeOf({ id, level }: { id: string; level: number }, context: DocxContext): ListPlace | undefined {
  const item = context.numbering.next(id, level);
  return item === undefined ? undefined : { list: id, level, ordered: item.ordered, number: item.number };
}

/** Rows with their merged cells. A cell that continues the one above (`vMerge` without a value) extends it. */
function tableRows(table: XmlElement, context: DocxContext): TableRow[] {
  const rows: { cells: (TableCell & { rows: number })[] }[] = [];
  const above = new Map<number, { rows: number }>();
  for (const row of unwrapped(table, 'w:tr')) {
    const cells: (TableCell & { rows: number })[] = [];
    let column = skipped(row);
    for (let i = 0; i < column; i += 1) cells.push({ blocks: [], rows: 1 });
    for (const cell of unwrapped(row, 'w:tc')) {
      const properties = child(cell, 'w:tcPr');
      const columns = Math.max(1,
        Math.min(256, Number(child(properties, 'w:gridSpan')?.attributes['w:val'] ?? 1) || 1));
      const merge = child(properties, 'w:vMerge');
      const begun = above.get(column);
      if (merge !== undefined && merge.attributes['w:val'] !== 'restart' && begun !== undefined) begun.rows += 1;
      else {
        const read = { blocks: bodyBlocks(cell, context), columns, rows: 1 };
        cells.push(read);
        if (merge === undefined) above.delete(column);
        else above.set(column, read);
      }
      column += columns;
    }
    rows.push({ cells });
  }
  return rows;
}

/** Number of columns that a row omits at its beginning. */
function skipped(row: XmlElement): number {
  return Math.max(0, Math.min(63, Number(child(child(row, 'w:trPr'), 'w:gridBefore')?.attributes['w:val'] ?? 0) || 0));
}

/** Rows or cells, including those inside content controls and tracked insertions; deleted rows are left out. */
function unwrapped(parent: XmlElement, name: string): XmlElement[] {
  return elements(parent).flatMap((element) => {
    if (element.name === name) return child(child(element, 'w:trPr'), 'w:del') === undefined ? [element] : [];
    if (element.name === 'w:sdt') return unwrapped(child(element, 'w:sdtContent') ?? element, name);
    return ['w:ins', 'w:customXml', 'w:smartTag', 'w:sdtContent'].includes(element.name)
      ? unwrapped(element, name)
      : [];
  });
}
