import type { Migration } from './migration.ts';

/**
 * The replication state of a database: its place between a leader and its followers. Older builds never read this
 * table.
 */
export const replication: Migration = {
  version: 15,
  name: 'replication',
  sql: `
-- One row, once the database was opened by a build that knows it. \`role\` is the one under which it was opened last: '', 'leader'
-- or 'follower'. \`history\` names the run of binlog entries that \`position\` counts; \`checksum\` is that of the last one, which
-- depends on all before it. \`epoch\` rises with each promotion; \`fenced_by\` is the epoch of the leader that took this one's
-- place, or 0.
CREATE TABLE replication(
  id INTEGER PRIMARY KEY CHECK (id = 1),
  role TEXT NOT NULL,
  history TEXT NOT NULL,
  position INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  fenced_by INTEGER NOT NULL
) STRICT;
`,
};
