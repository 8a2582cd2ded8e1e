import { linkOfField } from '../fields.ts';
import type { OutputBudget } from '../limits.ts';
import type { Block } from '../tree/blocks.ts';
import { type Inline, isBlank, type Look, text } from '../tree/inlines.ts';
import { markerPlace, type RtfItem } from './lists.ts';
import type { RtfMath } from './math.ts';
import { RtfTable } from './table.ts';
import type { FileTables } from './tables-of-file.ts';

/** The destination of a group's text. */
export type Destination = 'body' | 'skip' | 'fonts' | 'styles' | 'lists' | 'overrides' | 'info' | 'instruction'
  | 'marker' | 'label' | 'picture' | 'property name' | 'property value' | 'form' | 'entry' | 'math';

/** State that a group inherits from the enclosing one and that is restored at its end. */
export interface GroupState {
  destination: Destination;
  font: number | undefined;
  strong: boolean;
  emphasis: boolean;
  strike: boolean;
  hidden: boolean;
  script: 'super' | 'sub' | undefined;
  /** Number of fallback characters after each `\u`, for readers without Unicode. */
  fallback: number;
  field: Field | undefined;
  /** Whether text is the result of a field. */
  result: boolean;
  /** The current field of the document information, such as `title`. */
  info: string | undefined;
  /** The property of a shape or picture that is being read. */
  property: { name: string; value: string } | undefined;
  form: FormField | undefined;
  math: RtfMath | undefined;
  /** Whether definitions of rows are those of a table inside a cell. */
  nested: boolean;
  /** Action at the end of the group. */
  atEnd: (() => void) | undefined;
}

interface Field {
  instruction: string;
  /** Whether its result shows something. */
  shown: boolean;
}

/** A form field: 0 is a text, 1 a box, 2 a list. */
export interface FormField {
  type: number;
  /** The chosen entry, or whether the box is ticked; 25 if nothing was chosen. */
  result: number;
  initial: number;
  readonly entries: string[];
}

export const INITIAL: GroupState = {
  destination: 'body',
  font: undefined,
  strong: false,
  emphasis: false,
  strike: false,
  hidden: false,
  script: undefined,
  fallback: 1,
  field: undefined,
  result: false,
  info: undefined,
  property: undefined,
  form: undefined,
  math: undefined,
  nested: false,
  atEnd: undefined,
};

/** What `\pard` resets. */
export interface ParagraphState {
  style: number | undefined;
  outline: number | undefined;
  list: number | undefined;
  level: number;
  inTable: boolean;
  /** How many tables the paragraph is in. */
  nesting: number;
  /** Whether its letters are dropped into the lines of the next paragraph. */
  dropped: boolean;
}

/** What a file keeps of a list item for readers without lists: its label, and whether that is a number. */
export interface Marker {
  label: string;
  ordered: boolean | undefined;
}

export function newParagraph(): ParagraphState {
  return {
    style: undefined,
    outline: undefined,
    list: undefined,
    level: 0,
    inTable: false,
    nesting: 1,
    dropped: false,
  };
}

export function lookOf(state: GroupState, code: boolean): Look {
  const href = state.result && state.field !== undefined ? linkOfField(state.field.instruction) : undefined;
  return {
    strong: state.strong || undefined,
    emphasis: state.emphasis || undefined,
    strike: state.strike || undefined,
    code: code || undefined,
    script: state.script,
    href,
  };
}

const MAX_NESTING = 32;

/** Collects paragraphs, and the rows of tables between them, of the body or of a note. */
export class RtfBuilder {
  readonly blocks: Block[] = [];
  readonly #tables: FileTables;
  readonly #budget: OutputBudget;
  #inlines: Inline[] = [];
  /** The open tables, from the outermost inwards. */
  readonly #open: RtfTable[] = [];

  constructor(tables: FileTables, budget: OutputBudget) {
    this.#tables = tables;
    this.#budget = budget;
  }

  text(value: string, look: Look): void {
    if (value === '') return;
    this.#budget.take(value.length);
    this.#inlines.push(text(look.code ? value : value.replaceAll('\t', ' '), look));
  }

  add(inline: Inline): void {
    if ('value' in inline) this.#budget.take(inline.value.length);
    if (inline.kind === 'image') this.#budget.take(inline.alt.length);
    this.#inlines.push(inline);
  }

  paragraph(state: ParagraphState, marker: Marker | undefined): void {
    if (state.dropped && !isBlank(this.#inlines)) return;
    const inlines = this.#inlines;
    this.#inlines = [];
    if (!state.inTable) this.endTable();
    if (isBlank(inlines)) {
      // An empty line within code belongs to it.
      if (!state.inTable && this.blocks.length > 0) this.blocks.push({ kind: 'paragraph', inlines });
      return;
    }
    const depth = state.outline !== undefined && state.outline < 9
      ? state.outline + 1
      : this.#tables.headingOf(state.style);
    const { level, item } = this.#item(state, marker);
    const block: Block = depth > 0
      ? { kind: 'heading', depth, inlines, label: item?.shown }
      : { kind: 'paragraph', inlines, place: item && { ...item, level } };
    if (state.inTable) this.#tableAt(state.nesting).add(block);
    else this.blocks.push(block);
  }

  #item(state: ParagraphState, marker: Marker | undefined): { level: number; item: RtfItem | undefined } {
    const styled = this.#tables.listOfStyle(state.style);
    const list = state.list ?? styled?.list;
    const label = marker === undefined || marker.label.trim() === '' ? undefined : marker.label.trim();
    if (list === undefined || list === 0)
      return { level: state.level, item: marker && markerPlace(label ?? '', marker.ordered) };
    const level = state.list === undefined ? (styled?.level ?? 0) : state.level;
    return { level, item: this.#tables.lists.next(list, level, label, (font) => this.#tables.font(font).name) };
  }

  /** The table at a depth of nesting, from 1; those inside it end. */
  #tableAt(nesting: number): RtfTable {
    const depth = Math.max(1, Math.min(MAX_NESTING, nesting));
    while (this.#open.length > depth) this.#endInner();
    while (this.#open.length < depth) this.#open.push(new RtfTable());
    return this.#open.at(-1)!;
  }

  #endInner(): void {
    const block = this.#open.pop()!.end();
    if (block === undefined) return;
    const outer = this.#open.at(-1);
    if (outer === undefined) this.blocks.push(block);
    else outer.add(block);
  }

  /** The table that definitions of rows belong to: the outermost, or the innermost one. */
  definitions(nested: boolean): RtfTable {
    return nested && this.#open.length > 1 ? this.#open.at(-1)! : (this.#open[0] ??= new RtfTable());
  }

  endCell(state: ParagraphState, marker: Marker | undefined, nesting: number): void {
    this.paragraph({ ...state, inTable: true, nesting, dropped: false }, marker);
    this.#tableAt(nesting).endCell();
  }

  endRow(nested: boolean): void {
    if (nested) {
      if (this.#open.length > 1) this.#open.at(-1)!.endRow();
      return;
    }
    this.#tableAt(1).endRow();
  }

  endTable(): void {
    while (this.#open.length > 0) this.#endInner();
  }
}
