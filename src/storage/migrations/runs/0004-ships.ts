import type { Migration } from '../migration.ts';

/** Ships and their credentials. No usable secret is stored: of a join token only the SHA-256. */
export const ships: Migration = {
  version: 4,
  name: 'runs-ships',
  sql: `
-- Times are milliseconds since 1970; 0 where they have not come. \`live_name\` is the name while the ship is not revoked,
-- and null afterwards, so that another ship can have it. \`labels\`, \`kinds\` and \`key_variables\` are JSON arrays;
-- \`labels\` are those of the token. \`drain_session\` is null for a ship that takes runs, empty for one that was
-- told to drain while no program of it was connected, and else the session that was told.
CREATE TABLE ships(
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  live_name TEXT UNIQUE,
  labels TEXT NOT NULL,
  os TEXT NOT NULL,
  arch TEXT NOT NULL,
  version TEXT NOT NULL,
  kinds TEXT NOT NULL,
  key_variables TEXT NOT NULL,
  capacity INTEGER NOT NULL,
  ephemeral INTEGER NOT NULL,
  drain_session TEXT,
  joined_ms INTEGER NOT NULL,
  last_seen_ms INTEGER NOT NULL DEFAULT 0,
  cert_expires_ms INTEGER NOT NULL,
  revoked_ms INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX ships_by_joining ON ships(joined_ms, id);
CREATE INDEX ships_by_revocation ON ships(revoked_ms) WHERE revoked_ms > 0;

CREATE TABLE ship_certs(
  serial TEXT PRIMARY KEY,
  ship_id TEXT NOT NULL,
  expires_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX ship_certs_of_ship ON ship_certs(ship_id, expires_ms);
CREATE INDEX ship_certs_by_expiry ON ship_certs(expires_ms);

-- A token is removed when it is used, and some time after it has expired.
CREATE TABLE join_tokens(
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL,
  name TEXT NOT NULL UNIQUE,
  labels TEXT NOT NULL,
  expires_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX join_tokens_by_expiry ON join_tokens(expires_ms);
`,
};
