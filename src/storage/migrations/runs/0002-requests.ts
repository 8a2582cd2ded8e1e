import type { Migration } from '../migration.ts';

/** What requests store: the idempotency keys under which runs were queued, and the audit log. */
export const requests: Migration = {
  version: 2,
  name: 'runs-requests',
  sql: `
-- Keys of clients, of schedules and of alerts are spaces of their own. Hashes are SHA-256: a key may be somebody's
-- secret, and a request holds inputs. \`expires_at\` in seconds; a key outlives it while its run is unfinished.
CREATE TABLE idempotency(
  space TEXT NOT NULL,
  key_hash BLOB NOT NULL,
  request_hash BLOB NOT NULL,
  run_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY(space, key_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_expiry ON idempotency(expires_at);

-- \`at\` in seconds; \`seq\` keeps the order. \`detail\`: a JSON object.
CREATE TABLE audit(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_action ON audit(action, seq);
`,
};
