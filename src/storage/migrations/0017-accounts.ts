import type { Migration } from './migration.ts';

/**
 * Roles, keys that are restricted or revoked, and new passwords. An older build would grant such a key all permissions
 * of its owner, and does not know roles: the first of them marks this format as breaking (`refuseOlderBuilds`).
 */
export const accounts: Migration = {
  version: 17,
  name: 'accounts',
  sql: `
ALTER TABLE users ADD COLUMN must_change INTEGER NOT NULL DEFAULT 0;

-- \`collections\` and \`operations\` are JSON arrays, empty for all; \`revoked_at\` 0: not revoked.
ALTER TABLE api_keys ADD COLUMN collections TEXT NOT NULL DEFAULT '';
ALTER TABLE api_keys ADD COLUMN operations TEXT NOT NULL DEFAULT '';
ALTER TABLE api_keys ADD COLUMN revoked_at INTEGER NOT NULL DEFAULT 0;

-- One a user, by the SHA-256 hash of the token.
CREATE TABLE password_resets(
  username TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  expires_at INTEGER NOT NULL
) STRICT;

-- Which account of which issuer of OpenID Connect a user signs in with.
CREATE TABLE oidc_subjects(
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  username TEXT NOT NULL UNIQUE,
  PRIMARY KEY(issuer, subject)
) STRICT, WITHOUT ROWID;

CREATE TABLE roles(
  name TEXT PRIMARY KEY,
  description TEXT NOT NULL,
  built_in INTEGER NOT NULL
) STRICT;
CREATE TABLE role_permissions(
  role_name TEXT NOT NULL,
  collection TEXT NOT NULL,
  may_read INTEGER NOT NULL,
  may_write INTEGER NOT NULL,
  may_admin INTEGER NOT NULL,
  PRIMARY KEY(role_name, collection)
) STRICT, WITHOUT ROWID;
CREATE TABLE user_roles(
  username TEXT NOT NULL,
  role_name TEXT NOT NULL,
  PRIMARY KEY(username, role_name)
) STRICT, WITHOUT ROWID;
CREATE TABLE group_roles(
  group_name TEXT NOT NULL,
  role_name TEXT NOT NULL,
  PRIMARY KEY(group_name, role_name)
) STRICT, WITHOUT ROWID;

INSERT INTO roles(name, description, built_in) VALUES
  ('admin', 'Do everything.', 1), ('reader', 'Read every collection.', 1), ('writer', 'Read and write every collection.', 1);
INSERT INTO role_permissions(role_name, collection, may_read, may_write, may_admin) VALUES
  ('admin', '*', 1, 1, 1), ('reader', '*', 1, 0, 0), ('writer', '*', 1, 1, 0);
`,
};
