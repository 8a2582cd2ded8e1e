import { ServiceError } from '../../errors/index.ts';
import { type ColumnDocument, type Columns, ColumnsFullError } from '../../search/columns/index.ts';
import type { ViewIndex } from '../view/index.ts';

/** The columns of one collection, as the view stores them. */
export class ColumnIndex implements ViewIndex {
  readonly columns: Columns;
  #version = 0;

  constructor(columns: Columns) {
    this.columns = columns;
  }

  get documents(): number {
    return this.columns.count(undefined);
  }

  get bytes(): number {
    return this.columns.stats().bytes.total;
  }

  /** Different after each change. */
  get version(): number {
    return this.#version;
  }

  /** Throws `unavailable` if another document does not fit. */
  put(document: ColumnDocument): void {
    this.#version += 1;
    try {
      this.columns.put(document);
    } catch (error) {
      if (!(error instanceof ColumnsFullError)) throw error;
      throw new ServiceError('unavailable',
        `${error.message}; split the collection, or delete documents and start the server again`, { cause: error });
    }
  }

  remove(ord: number): void {
    this.#version += 1;
    this.columns.remove(ord);
  }

  tidy(): boolean {
    return this.columns.tidy();
  }

  settle(): boolean {
    return this.columns.settle();
  }

  save(): AsyncIterable<Uint8Array> {
    return this.columns.save();
  }
}
