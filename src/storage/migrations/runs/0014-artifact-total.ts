import type { Migration } from '../migration.ts';

/** How many bytes all artefacts have, for their budget: all servers over one database count in one row. */
export const artifactTotal: Migration = {
  version: 14,
  name: 'runs-artifact-total',
  sql: `
-- One row, of the first start. Older versions do not count, so each start counts anew.
CREATE TABLE artifact_total(
  id INTEGER PRIMARY KEY CHECK (id = 1),
  bytes BIGINT NOT NULL
);
`,
};
