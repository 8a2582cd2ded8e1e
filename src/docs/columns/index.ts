/** The entry point of the columns: metadata, times and names of documents as a view that filters, counts and sorts. */
export { createColumns, type ColumnsAreas } from './columns.ts';
export type { ColumnsFactory, ColumnsView } from './columns-view.ts';
export { allDocuments, documentsOf } from './read-documents.ts';
export { readyColumns, selectDocuments, type DocumentSelecting, type SelectedDocuments } from './select-documents.ts';
