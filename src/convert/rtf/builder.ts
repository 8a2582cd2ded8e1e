import type { OutputBudget } from '../limits.ts';
import type { Block } from '../tree/blocks.ts';
import { type Inline, isBlank, type Look, text } from '../tree/inlines.ts';
import type { ListPlace } from '../tree/lists.ts';
import type { TableCell, TableRow } from '../tree/tables.ts';
import type { FileTables } from './tables-of-file.ts';

/** The destination of a group's text. */
export type Destination = 'body' | 'skip' | 'fonts' | 'styles' | 'lists' | 'overrides' | 'info' | 'instruction'
  | 'marker';

/** State that a group inherits from the enclosing one and that is restored at its end. */
export interface GroupState {
  destination: Destination;
  font: number | undefined;
  strong: boolean;
  emphasis: boolean;
  strike: boolean;
  hidden: boolean;
  /** Number of fallback characters after each `\u`, for readers without Unicode. */
  fallback: number;
  field: Field | undefined;
  /** Whether text is the result of a field. */
  result: boolean;
  /** The current field of the document information, such as `title`. */
  info: string | undefined;
  /** Action at the end of the group. */
  atEnd: (() => void) | undefined;
}

interface Field {
  instruction: string;
}

export const INITIAL: GroupState = {
  destination: 'body',
  font: undefined,
  strong: false,
  emphasis: false,
  strike: false,
  hidden: false,
  fallback: 1,
  field: undefined,
  result: false,
  info: undefined,
  atEnd: undefined,
};

/** What `\pard` resets. */
export interface ParagraphState {
  style: number | undefined;
  outline: number | undefined;
  list: number | undefined;
  level: number;
  inTable: boolean;
  /** A list of the old kind, which has no number in a list table. */
  marker: { ordered: boolean } | undefined;
}

export function newParagraph(): ParagraphState {
  return { style: undefined, outline: undefined, list: undefined, level: 0, inTable: false, marker: undefined };
}

const HYPERLINK = /^\s{0,20}HYPERLINK\s{1,20}(?!\\l)"?([^"\s]{1,4000})"?/i;

export function lookOf(state: GroupState, code: boolean): Look {
  const href = state.result && state.field !== undefined ? HYPERLINK.exec(state.field.instruction)?.[1] : undefined;
  return {
    strong: state.strong || undefined,
    emphasis: state.emphasis || undefined,
    strike: state.strike || undefined,
    code: code || undefined,
    href,
  };
}

interface CellDefinition {
  right: number;
  mergesLeft: boolean;
  mergesUp: boolean;
}

/** A cell: text that spans `columns` columns of the grid of all rows. */
interface ReadCell {
  readonly blocks: Block[];
  readonly right: number;
  readonly mergesUp: boolean;
}

/** Collects paragraphs, and the rows of tables between them, of the body or of a note. */
export class RtfBuilder {
  readonly blocks: Block[] = [];
  readonly #tables: FileTables;
  readonly #budget: OutputBudget;
  #inlines: Inline[] = [];
  #rows: ReadCell[][] = [];
  #cells: { blocks: Block[] }[] = [];
  #cell: Block[] = [];
  #definitions: CellDefinition[] = [];
  #next: Omit<CellDefinition, 'right'> = { mergesLeft: false, mergesUp: false };

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
    this.#inlines.push(inline);
  }

  paragraph(state: ParagraphState): void {
    const inlines = this.#inlines;
    this.#inlines = [];
    if (!state.inTable) this.endTable();
    if (isBlank(inlines)) return;
    const depth = state.outline !== undefined && state.outline < 9
      ? state.outline + 1
      : this.#tables.headingOf(state.style);
    const block: Block = depth > 0
      ? { kind: 'heading', depth, inlines }
      : { kind: 'paragraph', inlines, place: this.#place(state) };
    (state.inTable ? this.#cell : this.blocks).push(block);
  }

  #place(state: ParagraphState): ListPlace | undefined {
    const styled = this.#tables.listOfStyle(state.style);
    const list = state.list ?? styled?.list;
    if (list === undefined || list === 0)
      return state.marker === undefined
        ? undefined
        : { list: 'marks', level: state.level, ordered: state.marker.ordered };
    const level = state.list === undefined ? (styled?.level ?? 0) : state.level;
    const item = this.#tables.nextItem(list, level);
    return item === undefined ? undefined : { list: String(list), level, ordered: item.ordered, number: item.number };
  }

  /** `\trowd`: starts a new definition of the row's cells. */
  defineRow(): void {
    this.#definitions = [];
  }

  merge(side: 'mergesLeft' | 'mergesUp'): void {
    this.#next = { ...this.#next, [side]: true };
  }

  /** `\cellx`: the right edge of a cell, in twips. */
  defineCell(right: number): void {
    if (this.#definitions.length < 256) this.#definitions.push({ right, ...this.#next });
    this.#next = { mergesLeft: false, mergesUp: false };
  }

  endCell(state: ParagraphState): void {
    this.paragraph({ ...state, inTable: true });
    this.#cells.push({ blocks: this.#cell });
    this.#cell = [];
  }

  endRow(): void {
    const row: ReadCell[] = [];
    this.#cells.forEach(({ blocks }, index) => {
      const definition = this.#definitions[index];
      const right = definition?.right ?? (index + 1) * 1e6;
      if (definition?.mergesLeft && row.length > 0)
        row[row.length - 1] = { ...row.at(-1)!, right, blocks: [...row.at(-1)!.blocks, ...blocks] };
      else row.push({ blocks, right, mergesUp: definition?.mergesUp ?? false });
    });
    if (row.length > 0) this.#rows.push(row);
    this.#cells = [];
  }

  endTable(): void {
    if (this.#cells.length > 0 || this.#cell.length > 0) {
      if (this.#cell.length > 0) this.#cells.push({ blocks: this.#cell });
      this.#cell = [];
      this.endRow();
    }
    if (this.#rows.length === 0) return;
    this.blocks.push({ kind: 'table', rows: toRows(this.#rows) });
    this.#rows = [];
  }
}

/** Rows may be divided differently: the edges of all rows form one grid of columns. */
function toRows(rows: readonly ReadCell[][]): TableRow[] {
  const edges: number[] = [];
  // Editors round: edges less than 3 mm apart count as one.
  for (const right of rows.flatMap((row) => row.map((cell) => cell.right)).sort((a, b) => a - b)) {
    if (edges.length === 0 || right - edges.at(-1)! > 170) edges.push(right);
  }
  const open = new Map<number, TableCell & { rows: number }>();
  return rows.map((row) => {
    let from = 0;
    const cells: TableCell[] = [];
    for (const cell of row) {
      const to = Math.max(from + 1, columnAt(edges, cell.right));
      const above = open.get(from);
      if (cell.mergesUp && above !== undefined) above.rows += 1;
      else {
        const made = { blocks: cell.blocks, columns: to - from, rows: 1 };
        open.set(from, made);
        cells.push(made);
      }
      from = to;
    }
    return { cells };
  });
}

/** The number of edges up to a position; they ascend. */
function columnAt(edges: readonly number[], right: number): number {
  let [low, high] = [0, edges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (edges[middle]! <= right) low = middle + 1;
    else high = middle;
  }
  return low;
}
