/** The entry point of the columns: metadata, times and names of documents as a view that filters, counts and sorts. */
export type { ColumnsFactory, ColumnsView } from './columns-view.ts';
export { type ColumnsAreas, createColumns } from './columns-view.ts';
export { allDocuments, documentsOf } from './read-documents.ts';
export { type DocumentSelecting, readyColumns, selectDocuments, type SelectedDocuments } from './select-documents.ts';
