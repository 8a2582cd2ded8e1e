import type { Migration } from './migration.ts';

/**
 * The history of documents, and how often they were read. Older builds never read these tables, so they do not record
 * their own changes here.
 */
export const temporal: Migration = {
  version: 11,
  name: 'temporal',
  sql: `
-- \`kind\` is 0 for a creation, 1 for an update, 2 for a read; \`at\` is in seconds since 1970. Equal reads share a row and are \`n\`.
-- \`lsn\` is the number of the change, NULL for a read.
CREATE TABLE temporal_events(
  seq INTEGER PRIMARY KEY,
  lsn INTEGER UNIQUE,
  collection TEXT NOT NULL,
  doc_id TEXT NOT NULL,
  kind INTEGER NOT NULL,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  n INTEGER NOT NULL
) STRICT;
CREATE INDEX temporal_events_document ON temporal_events(doc_id, at);
CREATE INDEX temporal_events_collection ON temporal_events(collection, kind, at, n);
CREATE INDEX temporal_events_at ON temporal_events(at);

CREATE TABLE temporal_hot(
  doc_id TEXT PRIMARY KEY,
  collection TEXT NOT NULL,
  reads INTEGER NOT NULL,
  last_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX temporal_hot_collection ON temporal_hot(collection, reads, last_at);
`,
};
