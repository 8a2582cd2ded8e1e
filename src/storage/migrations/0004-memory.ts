import type { Migration } from './migration.ts';

/**
 * Conversations. Their messages and summaries are documents of the collection `_memory`. A session has a row of its
 * own, so that it exists before its first message and lists of sessions need no documents. Older builds never read
 * these tables, so the migration does not break them.
 */
export const memory: Migration = {
  version: 4,
  name: 'memory',
  sql: `
-- \`messages\` is also the number of the newest message, for they are numbered from 1 without a gap.
-- \`title_final\`: 0 until the first message of the user has replaced a title that was made up.
-- \`expires_at\` NULL: never.
CREATE TABLE memory_sessions(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL,
  scenario TEXT NOT NULL,
  title TEXT NOT NULL,
  title_final INTEGER NOT NULL,
  messages INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  expires_at INTEGER,
  meta TEXT NOT NULL
) STRICT;
-- One index for each order of each kind of list, with all that a page is chosen by: skipping to a far page
-- and leaving out what has expired never reads the table.
CREATE INDEX memory_sessions_by_updated ON memory_sessions(updated_at, seq, expires_at);
CREATE INDEX memory_sessions_by_created ON memory_sessions(created_at, seq, expires_at);
CREATE INDEX memory_sessions_by_title ON memory_sessions(title, seq, expires_at);
CREATE INDEX memory_sessions_of_user_by_updated ON memory_sessions(user_id, updated_at, seq, scenario, expires_at);
CREATE INDEX memory_sessions_of_user_by_created ON memory_sessions(user_id, created_at, seq, scenario, expires_at);
CREATE INDEX memory_sessions_of_user_by_title ON memory_sessions(user_id, title, seq, scenario, expires_at);
CREATE INDEX memory_sessions_of_scenario_by_updated ON memory_sessions(scenario, updated_at, seq, expires_at);
CREATE INDEX memory_sessions_of_scenario_by_created ON memory_sessions(scenario, created_at, seq, expires_at);
CREATE INDEX memory_sessions_of_scenario_by_title ON memory_sessions(scenario, title, seq, expires_at);
CREATE INDEX memory_sessions_expiring ON memory_sessions(expires_at) WHERE expires_at IS NOT NULL;

-- How many rows each filter of a list selects, expired ones included, so that totals are not counted:
-- \`scope\` is the filter as JSON, \`[user or null, scenario or null]\`.
CREATE TABLE memory_session_counts(
  scope TEXT PRIMARY KEY,
  sessions INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`,
};
