import type { Migration } from './migration.ts';

/**
 * Automation rules, events that wait for the vectors of their documents, and the log of deliveries. Older builds never
 * read these tables.
 */
export const automation: Migration = {
  version: 13,
  name: 'automation',
  sql: `
-- \`body\` is JSON as it was sent, with defaults; \`secret\` is encrypted where the server has keys; \`since\` is the number in the
-- change feed of the creation; times are in seconds since 1970.
CREATE TABLE automation_rules(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  body TEXT NOT NULL,
  secret TEXT NOT NULL,
  since INTEGER NOT NULL,
  last_run INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- Events by their numbers in the change feed, for triggers that compare vectors. \`ready\`: the document has its vectors. \`event\` is JSON.
CREATE TABLE automation_pending(
  lsn INTEGER PRIMARY KEY,
  doc_id TEXT NOT NULL,
  ready INTEGER NOT NULL,
  event TEXT NOT NULL
) STRICT;
CREATE INDEX automation_pending_by_document ON automation_pending(doc_id);
CREATE INDEX automation_pending_ready ON automation_pending(lsn) WHERE ready = 1;

-- \`entry\` is JSON.
CREATE TABLE automation_logs(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  delivery TEXT NOT NULL UNIQUE,
  at INTEGER NOT NULL,
  rule TEXT NOT NULL,
  status TEXT NOT NULL,
  entry TEXT NOT NULL
) STRICT;
CREATE INDEX automation_logs_by_rule ON automation_logs(rule, seq);
CREATE INDEX automation_logs_by_time ON automation_logs(at);
`,
};
