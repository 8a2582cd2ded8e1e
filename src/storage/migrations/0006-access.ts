import type { Migration } from './migration.ts';

/**
 * Access control: users, their groups, keys and permissions. No usable secret is stored: passwords are bcrypt hashes,
 * keys SHA-256 hashes. Older builds never read these tables, so the migration does not break them.
 */
export const access: Migration = {
  version: 6,
  name: 'access',
  sql: `
-- \`token_id\`: what tokens of this user carry, so that those of a deleted user are not good for the next one of
-- that name, nor those from before a new password.
CREATE TABLE users(
  username TEXT PRIMARY KEY,
  token_id TEXT NOT NULL UNIQUE,
  password_hash TEXT NOT NULL,
  admin INTEGER NOT NULL,
  disabled INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;

-- \`seq\` keeps the order of creation. \`expires_at\` 0: never; \`last_used_at\` 0: not yet.
CREATE TABLE api_keys(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  hash TEXT NOT NULL UNIQUE,
  username TEXT NOT NULL,
  description TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX api_keys_of_user ON api_keys(username, seq);

CREATE TABLE user_groups(
  name TEXT PRIMARY KEY,
  description TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

-- A member need not be a user yet. \`seq\` keeps the order in which members were given.
CREATE TABLE group_members(
  seq INTEGER PRIMARY KEY,
  group_name TEXT NOT NULL,
  username TEXT NOT NULL,
  UNIQUE(group_name, username)
) STRICT;
CREATE INDEX group_members_by_user ON group_members(username, group_name);

-- \`collection\` is lowercased, or \`*\`. An entry without any permission is not kept.
CREATE TABLE user_permissions(
  username TEXT NOT NULL,
  collection TEXT NOT NULL,
  may_read INTEGER NOT NULL,
  may_write INTEGER NOT NULL,
  may_admin INTEGER NOT NULL,
  PRIMARY KEY(username, collection)
) STRICT, WITHOUT ROWID;
CREATE TABLE group_permissions(
  group_name TEXT NOT NULL,
  collection TEXT NOT NULL,
  may_read INTEGER NOT NULL,
  may_write INTEGER NOT NULL,
  may_admin INTEGER NOT NULL,
  PRIMARY KEY(group_name, collection)
) STRICT, WITHOUT ROWID;

CREATE TABLE mcp_keys(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  hash TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  disabled INTEGER NOT NULL DEFAULT 0
) STRICT;
`,
};
