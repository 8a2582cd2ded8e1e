import type { Migration } from './migration.ts';

/**
 * What encryption at rest stores beside the encrypted values, which are in the same columns as plain ones: the rotation
 * jobs, and an index that finds encrypted metadata without reading any other.
 *
 * Older builds can use a database with these tables. They could not use one with an encrypted collection, because they
 * would write its documents in plain text: the first encrypted collection marks this format as breaking
 * (`refuseOlderBuilds`).
 */
export const encryption: Migration = {
  version: 5,
  name: 'encryption',
  sql: `
-- Sealed metadata are base64, which for every sealed value begins with the same eight characters.
CREATE INDEX documents_sealed ON documents(cid) WHERE substr(meta, 1, 8) = 'U1ZDRU5D';

-- \`collection\` is empty for a rotation of all; times are seconds since 1970, 0 for not yet.
CREATE TABLE encryption_jobs(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL,
  collection TEXT NOT NULL,
  primary_key_id INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER NOT NULL DEFAULT 0,
  scanned INTEGER NOT NULL DEFAULT 0,
  reencrypted INTEGER NOT NULL DEFAULT 0,
  skipped INTEGER NOT NULL DEFAULT 0,
  errors INTEGER NOT NULL DEFAULT 0,
  last_error TEXT NOT NULL DEFAULT ''
) STRICT;
`,
};
