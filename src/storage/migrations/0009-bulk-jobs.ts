import type { Migration } from './migration.ts';

/**
 * Bulk ingest jobs and the documents that they still have to load. An older build keeps its jobs in memory: it ignores
 * these, and a newer one continues them.
 */
export const bulkJobs: Migration = {
  version: 9,
  name: 'bulk-jobs',
  sql: `
-- Jobs are worked off in the order of \`seq\`. \`callback_due\` is when the record has to be sent next, in Unix milliseconds, NULL
-- when nobody waits for it; \`errors\` is a JSON array, sealed where the server has a key.
CREATE TABLE bulk_jobs(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  collection TEXT NOT NULL,
  status TEXT NOT NULL,
  total INTEGER NOT NULL,
  processed INTEGER NOT NULL DEFAULT 0,
  added INTEGER NOT NULL DEFAULT 0,
  updated INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  sanitized INTEGER NOT NULL DEFAULT 0,
  embedding_dropped INTEGER NOT NULL DEFAULT 0,
  errors TEXT NOT NULL DEFAULT '[]',
  callback_url TEXT,
  callback_attempts INTEGER NOT NULL DEFAULT 0,
  callback_due INTEGER,
  submitted_at INTEGER NOT NULL,
  started_at INTEGER,
  completed_at INTEGER
) STRICT;
CREATE INDEX bulk_jobs_open ON bulk_jobs(seq) WHERE status IN ('pending', 'processing');
CREATE INDEX bulk_jobs_callbacks ON bulk_jobs(callback_due) WHERE callback_due IS NOT NULL;

-- The documents from number \`first\` on, \`count\` of them: a JSON array, compressed and sealed as a body is.
CREATE TABLE bulk_documents(
  job INTEGER NOT NULL REFERENCES bulk_jobs(seq) ON DELETE CASCADE,
  first INTEGER NOT NULL,
  count INTEGER NOT NULL,
  documents BLOB NOT NULL,
  PRIMARY KEY(job, first)
) STRICT;
`,
};
