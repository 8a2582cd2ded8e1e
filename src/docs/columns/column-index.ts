import type { Columns } from '../../search/columns/index.ts';
import type { ViewIndex } from '../view/index.ts';

/** The columns of one collection, as the view keeps them. */
export class ColumnIndex implements ViewIndex {
  readonly columns: Columns;

  constructor(columns: Columns) {
    this.columns = columns;
  }

  get documents(): number {
    return this.columns.stats().documents;
  }

  get bytes(): number {
    return this.columns.stats().bytes.total;
  }

  remove(ord: number): void {
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
