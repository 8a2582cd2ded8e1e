import type { Migration } from './migration.ts';

/**
 * Filters are evaluated over columns in memory, which follow the change feed, so the rows that filters used before are
 * dropped. An older build would query them for every filter.
 */
export const columnsInMemory: Migration = {
  version: 8,
  name: 'columns-in-memory',
  sql: `-- breaking: filters of older builds read doc_meta
DROP TABLE doc_meta;
`,
};
