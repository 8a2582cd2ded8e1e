import type { Migration } from './migration.ts';

/**
 * Filters are answered by columns in memory, which follow the change feed, so the rows that they were answered from go.
 * An older build would ask for them with every filter.
 */
export const columnsInMemory: Migration = {
  version: 8,
  name: 'columns-in-memory',
  sql: `-- breaking: filters of older builds read doc_meta
DROP TABLE doc_meta;
`,
};
