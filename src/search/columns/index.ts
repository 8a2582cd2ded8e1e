/** The columns of a collection's metadata, times and names: filters, facets, histograms and sorts. */
export { ColumnsCheckpointError } from './checkpoint.ts';
export { ColumnsFullError, ColumnStore } from './column-store.ts';
export type { ColumnDocument, Columns, ColumnStats, Facet, FactorBounds, Needs, Scores, Selecting, SortedDocument,
  Sorting, ValueCount, ValueFactor } from './contract.ts';
