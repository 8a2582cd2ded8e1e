import type { OutputBudget } from '../limits.ts';
import type { Block } from '../tree/blocks.ts';
import { type Inline, isBlank } from '../tree/inlines.ts';
import type { ListPlace } from '../tree/lists.ts';
import type { TableCell, TableRow } from '../tree/tables.ts';
import { codeText } from '../tree/typewriter.ts';
import { child, elements, type XmlElement } from '../xml.ts';
import type { DocxNumbering, ItemMark } from './numbering.ts';
import { type Anchored, isPrompt, Runs } from './runs.ts';
import { type DocxStyles, numberingOf, outlineLevel } from './styles.ts';

/** What the parts of a file share while its body is read. */
export interface DocxContext {
  readonly styles: DocxStyles;
  readonly numbering: DocxNumbering;
  /** Targets of external relationships of the current part. */
  readonly links: ReadonlyMap<string, string>;
  /** Called for each reference to a note; returns the note's identifier in markdown. */
  note(kind: 'footnote' | 'endnote', id: string): string | undefined;
  /** The blocks of a part that a drawing shows, and of an embedded file, by their relationship. */
  graphic(relationship: string): Block[];
  embedded(relationship: string): Block;
  readonly budget: OutputBudget;
}

/** The blocks of a body, cell, note or text box of `word/document.xml`. */
export function bodyBlocks(container: XmlElement, context: DocxContext): Block[] {
  const blocks: Block[] = [];
  let pending: Inline[] = [];
  for (const element of elements(container)) {
    if (element.name === 'w:p') {
      const { block, joins, anchored } = paragraph(element, pending, context);
      pending = joins ? inlinesOf(block) : [];
      if (!joins) blocks.push(block);
      blocks.push(...anchored.flatMap((one) => anchoredBlocks(one, context)));
      continue;
    }
    blocks.push(...containedBlocks(element, context));
  }
  if (pending.length > 0) blocks.push({ kind: 'paragraph', inlines: pending });
  return blocks;
}

/** The blocks of an element that is not a paragraph. */
function containedBlocks(element: XmlElement, context: DocxContext): Block[] {
  switch (element.name) {
    case 'w:tbl':
      return [{ kind: 'table', rows: tableRows(element, context) }];
    case 'w:sdt':
      // The table of contents repeats the headings with page numbers.
      if (isContents(element) || isPrompt(element)) return [];
      return bodyBlocks(child(element, 'w:sdtContent') ?? element, context);
    case 'w:ins':
    case 'w:customXml':
    case 'w:moveTo':
    case 'w:smartTag':
      return bodyBlocks(element, context);
    case 'w:altChunk':
      return [context.embedded(element.attributes['r:id'] ?? '')];
    case 'm:oMathPara':
      return [paragraph({ name: 'w:p', attributes: {}, children: [element] }, [], context).block];
    case 'mc:AlternateContent':
      return bodyBlocks(child(element, 'mc:Choice') ?? child(element, 'mc:Fallback') ?? element, context);
    default:
      return [];
  }
}

function anchoredBlocks(anchored: Anchored, context: DocxContext): Block[] {
  return 'box' in anchored ? bodyBlocks(anchored.box, context) : context.graphic(anchored.part);
}

function isContents(element: XmlElement): boolean {
  return child(child(child(element, 'w:sdtPr'), 'w:docPartObj'), 'w:docPartGallery')?.attributes['w:val'] ===
    'Table of Contents';
}

function inlinesOf(block: Block): Inline[] {
  return 'inlines' in block ? [...block.inlines] : [];
}

/**
 * A paragraph; `joins` if the next paragraph continues it, because its mark was deleted or because it is a letter that
 * is dropped into the lines of the next.
 */
function paragraph(element: XmlElement, before: readonly Inline[],
  context: DocxContext): { block: Block; joins: boolean; anchored: readonly Anchored[] }
{
  const properties = child(element, 'w:pPr');
  const styleId = child(properties, 'w:pStyle')?.attributes['w:val'];
  const style = context.styles.get(styleId);
  const runs = new Runs(context, style.typewriter === true);
  runs.read(element);
  const inlines = [...before, ...runs.inlines];
  const dropped = child(properties, 'w:framePr')?.attributes['w:dropCap'] ?? 'none';
  const joins = child(child(properties, 'w:rPr'), 'w:del') !== undefined || (dropped !== 'none' && !isBlank(inlines));
  const depth = style.heading ?? outlineLevel(properties);
  const code = style.code && depth === 0;
  const item = code || joins ? undefined : itemOf(properties, styleId, context);
  const block: Block = depth > 0 && !isBlank(inlines)
    ? { kind: 'heading', depth, inlines, label: item?.shown }
    : code
    ? { kind: 'code', text: codeText(inlines) }
    : {
      kind: 'paragraph',
      inlines,
      quote: style.quote,
      place: item === undefined || isBlank(inlines) ? undefined : item,
    };
  return { block, joins, anchored: runs.anchored };
}

/** The place of a paragraph in a list; its own properties go before those of its style. */
function itemOf(properties: XmlElement | undefined, styleId: string | undefined, context: DocxContext):
  | (ItemMark & ListPlace)
  | undefined
{
  const style = context.styles.get(styleId);
  const own = numberingOf(properties);
  const list = own.list ?? style.list;
  if (list === undefined) return undefined;
  const level = own.level ?? context.numbering.levelOfStyle(list, styleId) ??
    context.numbering.levelOfStyle(list, style.listedAs) ?? style.level ?? 0;
  const mark = context.numbering.next(list, level);
  return mark === undefined ? undefined : { ...mark, level };
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
    if (element.name === 'w:sdt') {
      const content = unwrapped(child(element, 'w:sdtContent') ?? element, name);
      return isPrompt(element) && name === 'w:tc'
        ? content.map(() => ({ name, attributes: {}, children: [] }))
        : content;
    }
    return ['w:ins', 'w:customXml', 'w:smartTag', 'w:sdtContent'].includes(element.name)
      ? unwrapped(element, name)
      : [];
  });
}
