import type { Row, SqlValue, Transaction } from './port.ts';
import { rowSteps } from './row-steps.ts';

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
