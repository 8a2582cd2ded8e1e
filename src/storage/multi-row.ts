import type { Row, SqlValue, Transaction } from './port.ts';

/**
 * A statement for rows of values of any number, which runs in few sizes (`rowSteps`). A row that updates another table
 * is best written as `UPDATE ... FROM (VALUES ...)`: both SQLite and PostgreSQL call the columns of the list `column1`,
 * `column2`, ...
 */
export class MultiRow {
  readonly #before: string;
  readonly #row: string;
  readonly #after: string;
  readonly #texts = new Map<number, string>();

  /**
   * `row`: the placeholders of one row; those of a list that is not inserted need a type, such as `CAST(? AS BIGINT)`.
   */
  constructor(before: string, row: string, after = '') {
    this.#before = before;
    this.#row = row;
    this.#after = after;
  }

  /** The statement for this many rows. */
  text(rows: number): string {
    const known = this.#texts.get(rows);
    if (known !== undefined) return known;
    const text = `${this.#before} ${Array(rows).fill(this.#row).join(', ')} ${this.#after}`;
    this.#texts.set(rows, text);
    return text;
  }

  /** `shared`: values of the placeholders before the rows. `changes` is the sum of all steps. */
  async run(tx: Transaction, shared: readonly SqlValue[],
    rows: readonly (readonly SqlValue[])[]): Promise<{ changes: number }>
  {
    const results = await Promise.all(
      rowSteps(rows).map((some) => tx.run(this.text(some.length), [...shared, ...some.flat()])),
    );
    return { changes: results.reduce((sum, { changes }) => sum + changes, 0) };
  }

  /** For a statement that returns rows. */
  async all<R extends Row>(tx: Transaction, shared: readonly SqlValue[],
    rows: readonly (readonly SqlValue[])[]): Promise<R[]>
  {
    const results = await Promise.all(
      rowSteps(rows).map((some) => tx.all<R>(this.text(some.length), [...shared, ...some.flat()])),
    );
    return results.flat();
  }
}

/** Most rows of one statement; a power of two. */
export const LARGEST_STEP = 64;

/**
 * Splits rows into steps of 64, 32, ..., 2 and 1 rows, each for one statement: so at most seven statements are prepared
 * for any number of rows, and 20 rows take two.
 */
export function rowSteps<T>(rows: readonly T[]): (readonly T[])[] {
  const steps: (readonly T[])[] = [];
  for (let first = 0; first < rows.length;) {
    const size = Math.min(LARGEST_STEP, 2 ** Math.floor(Math.log2(rows.length - first)));
    steps.push(rows.slice(first, first + size));
    first += size;
  }
  return steps;
}

/**
 * Values for `IN (...)`, padded with repeats to a power of two, so that a few prepared statements serve lists of every
 * length. The list must not be empty.
 */
export function inList<T extends SqlValue>(values: readonly T[]): { marks: string; params: T[] } {
  const params = [...values];
  const size = 2 ** Math.ceil(Math.log2(values.length));
  while (params.length < size) params.push(values[0]!);
  return { marks: Array(size).fill('?').join(', '), params };
}
