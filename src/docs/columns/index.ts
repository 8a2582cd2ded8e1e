/** The entry point of the columns: metadata, times and names of documents as a view that filters, counts and sorts. */
export { type ColumnsFactory, type ColumnsView, createColumns, readyColumns, selectDocuments,
  type SelectedDocuments } from './columns-view.ts';
export { allDocuments, documentsOf } from './read-documents.ts';
