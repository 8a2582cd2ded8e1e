import type { Migration } from '../migration.ts';

/** The position of each schedule. */
export const schedules: Migration = {
  version: 5,
  name: 'runs-schedules',
  sql: `
-- \`slot\` is the last moment that was dealt with, in seconds: a multiple of the interval since 1970. Another
-- interval begins anew.
CREATE TABLE schedules(
  project_id TEXT NOT NULL,
  what TEXT NOT NULL,
  interval_ms INTEGER NOT NULL,
  slot INTEGER NOT NULL,
  PRIMARY KEY(project_id, what)
) STRICT, WITHOUT ROWID;
`,
};
