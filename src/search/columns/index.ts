/** The columns of a collection's metadata, times and names: filters, facets, histograms and sorts. */
export { ColumnsCheckpointError } from './checkpoint.ts';
export { ColumnsFullError, ColumnStore, type ColumnStoreOptions } from './column-store.ts';
export type { ColumnBytes, ColumnDocument, Columns, ColumnStats, Facet, FactorBounds, Needs, Scores, Selecting,
  SortedDocument, Sorting, ValueCount, ValueFactor } from './contract.ts';
