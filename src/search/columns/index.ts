/** The columns of a collection's metadata, times and names: filters, facets, histograms and sorts. */
export { answerColumns } from './answer-columns.ts';
export { ColumnsCheckpointError } from './checkpoint.ts';
export { ColumnsFullError, ColumnStore } from './column-store.ts';
export type { ColumnDocument, Columns, ColumnsPart, ColumnStats, DayCount, Facet, FactorBounds, Needs, ReadableColumns,
  Scores, Selecting, SortedDocument, SortedRows, Sorting, Tally, ValueCount, ValueFactor } from './contract.ts';
export { joinColumns } from './joined-columns.ts';
export { RemoteColumns } from './remote-columns.ts';
export { whenPrepared } from './when-prepared.ts';
