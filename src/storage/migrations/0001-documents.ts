import type { Migration } from './migration.ts';

/**
 * The tables of the document service. Times are whole seconds since 1970 (`rev_ts` and `ts` too, decision D-34), names
 * of collections are lowercased, JSON is canonical text.
 *
 * Large columns come last, because SQLite follows a chain of overflow pages to reach the columns after them. Tables are
 * STRICT, so that a value of a wrong type is an error instead of a later surprise.
 */
export const documents: Migration = {
  version: 1,
  name: 'documents',
  sql: `
-- \`docs\` counts the rows of \`documents\`, expired ones included.
CREATE TABLE collections(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  docs INTEGER NOT NULL DEFAULT 0
) STRICT;

-- \`ord\` is never used again, because bitmaps and indexes know a document by it.
-- \`key\` and \`lang\` are the latest spelling; \`rev_ts\` the timestamp of the newest revision ever written.
-- \`bytes\` is the length of the body as UTF-8, \`crc\` the CRC-32 of the body (decision D-36).
CREATE TABLE documents(
  ord INTEGER PRIMARY KEY AUTOINCREMENT,
  cid INTEGER NOT NULL REFERENCES collections(id),
  id TEXT NOT NULL UNIQUE,
  key TEXT NOT NULL,
  lang TEXT NOT NULL,
  backend TEXT NOT NULL DEFAULT 'boltdb',
  crc INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  added_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  expires_at INTEGER,
  rev_ts INTEGER NOT NULL DEFAULT 0,
  meta TEXT NOT NULL,
  body BLOB
) STRICT;
CREATE INDEX documents_by_key ON documents(cid, key);
CREATE INDEX documents_by_added ON documents(cid, added_at);
CREATE INDEX documents_by_updated ON documents(cid, updated_at);
CREATE INDEX documents_expiring ON documents(expires_at) WHERE expires_at IS NOT NULL;

-- Every spelling in which a document was written (decision D-31): key as written, lang lowercased.
CREATE TABLE spellings(
  cid INTEGER NOT NULL,
  key TEXT NOT NULL,
  lang TEXT NOT NULL,
  ord INTEGER NOT NULL,
  PRIMARY KEY(cid, key, lang)
) STRICT, WITHOUT ROWID;
CREATE INDEX spellings_by_document ON spellings(ord);

-- One row per version written (decision D-33). \`meta\` and \`body\` NULL: equal to the document's
-- current version, which only ever holds for the newest row. With rowids, because bodies inside the
-- key's own tree made updates a quarter slower and the file half as large again.
CREATE TABLE revisions(
  ord INTEGER NOT NULL,
  ts INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  backend TEXT,
  meta TEXT,
  body BLOB,
  PRIMARY KEY(ord, ts)
) STRICT;

CREATE TABLE doc_meta(
  cid INTEGER NOT NULL,
  k TEXT NOT NULL,
  v TEXT NOT NULL,
  ord INTEGER NOT NULL,
  PRIMARY KEY(cid, k, v, ord)
) STRICT, WITHOUT ROWID;

CREATE TABLE collection_configs(
  collection TEXT PRIMARY KEY,
  config TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE schemas(
  collection TEXT PRIMARY KEY,
  schema TEXT NOT NULL
) STRICT;

-- The change feed: \`lsn\` without a gap, \`at\` in milliseconds since 1970.
CREATE TABLE changes(
  lsn INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  collection TEXT NOT NULL,
  ord INTEGER,
  doc_id TEXT,
  key TEXT,
  lang TEXT,
  at INTEGER NOT NULL,
  flags INTEGER NOT NULL DEFAULT 0,
  detail TEXT
) STRICT;

CREATE TABLE cursors(
  subscriber TEXT PRIMARY KEY,
  lsn INTEGER NOT NULL
) STRICT;

CREATE TABLE settings(
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;
`,
};
