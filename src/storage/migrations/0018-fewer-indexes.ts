import type { Migration } from './migration.ts';

/**
 * Each write of a document changes a page of every index, and no statement needs these two: the spellings of a
 * collection have its keys, too, and orders by time are computed from columns in memory. Older builds can use the
 * database; they find documents by key more slowly.
 */
export const fewerIndexes: Migration = {
  version: 18,
  name: 'fewer-indexes',
  sql: `
DROP INDEX documents_by_key;
DROP INDEX documents_by_updated;
`,
};
