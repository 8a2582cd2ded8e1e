import type { Migration } from './migration.ts';

/**
 * What is kept of deleted documents for some time: their versions, so that they can be read and restored. They have
 * tables of their own, so that queries for documents or revisions find only existing ones. They are deleted with their
 * collection by foreign keys: an older build that deletes one leaves nothing behind.
 */
export const deletedDocuments: Migration = {
  version: 7,
  name: 'deleted-documents',
  sql: `
-- \`ord\` is the number that the document had, \`rev_ts\` the number of its newest revision, which is the version that was deleted.
CREATE TABLE deleted_documents(
  ord INTEGER PRIMARY KEY,
  cid INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
  id TEXT NOT NULL UNIQUE,
  key TEXT NOT NULL,
  lang TEXT NOT NULL,
  rev_ts INTEGER NOT NULL,
  added_at INTEGER NOT NULL,
  deleted_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT;
CREATE INDEX deleted_documents_by_key ON deleted_documents(cid, key);
CREATE INDEX deleted_documents_by_time ON deleted_documents(deleted_at);
CREATE INDEX deleted_documents_expiring ON deleted_documents(expires_at) WHERE expires_at IS NOT NULL;

-- As \`revisions\`, but each has metadata and body of its own.
CREATE TABLE deleted_revisions(
  ord INTEGER NOT NULL REFERENCES deleted_documents(ord) ON DELETE CASCADE,
  ts INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  backend TEXT,
  meta TEXT NOT NULL,
  body BLOB,
  PRIMARY KEY(ord, ts)
) STRICT;
`,
};
