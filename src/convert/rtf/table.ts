import type { Block } from '../tree/blocks.ts';
import type { TableCell, TableRow } from '../tree/tables.ts';

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

/** A table that is being read, from its first cell on. */
export class RtfTable {
  readonly #rows: ReadCell[][] = [];
  #cells: Block[][] = [];
  /** The cell that is being read. */
  #cell: Block[] = [];
  #definitions: CellDefinition[] = [];
  #next: Omit<CellDefinition, 'right'> = { mergesLeft: false, mergesUp: false };

  add(block: Block): void {
    this.#cell.push(block);
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

  endCell(): void {
    this.#cells.push(this.#cell);
    this.#cell = [];
  }

  endRow(): void {
    const row: ReadCell[] = [];
    this.#cells.forEach((blocks, index) => {
      const definition = this.#definitions[index];
      const right = definition?.right ?? (index + 1) * 1e6;
      if (definition?.mergesLeft && row.length > 0)
        row[row.length - 1] = { ...row.at(-1)!, right, blocks: [...row.at(-1)!.blocks, ...blocks] };
      else row.push({ blocks, right, mergesUp: definition?.mergesUp ?? false });
    });
    if (row.length > 0) this.#rows.push(row);
    this.#cells = [];
  }

  /** The table so far; undefined without rows. The definition of its rows remains for the next table. */
  end(): Block | undefined {
    if (this.#cell.length > 0) this.endCell();
    if (this.#cells.length > 0) this.endRow();
    return this.#rows.length === 0 ? undefined : { kind: 'table', rows: toRows(this.#rows.splice(0)) };
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
