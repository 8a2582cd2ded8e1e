import type { Migration } from './migration.ts';

/**
 * Webhooks, the last delivered change of each, and failed deliveries. Older builds never read these tables: their
 * changes are delivered when a newer build follows the feed again.
 */
export const webhooks: Migration = {
  version: 10,
  name: 'webhooks',
  sql: `
-- \`events\` is a JSON array as given; \`secret\` is sealed where the server has keys; \`pause\` is empty, 'requested' or 'failing'.
CREATE TABLE webhooks(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  url TEXT NOT NULL,
  events TEXT NOT NULL,
  collection TEXT NOT NULL,
  secret TEXT NOT NULL,
  pause TEXT NOT NULL DEFAULT '',
  last_error TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL
) STRICT;

-- Up to \`position\` all of the lane's log was looked at; \`open\`, a JSON array of numbers, is what of it is not delivered, and
-- everything up to \`kept\` is. \`log\` is 'feed' or 'outbox'.
CREATE TABLE delivery_lanes(
  lane TEXT PRIMARY KEY,
  log TEXT NOT NULL,
  position INTEGER NOT NULL,
  kept INTEGER NOT NULL,
  open TEXT NOT NULL DEFAULT '[]',
  failing_ms INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- Deliveries that come from no log: \`delivery\` is JSON in the form that the lane's owner gives it.
CREATE TABLE delivery_outbox(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  lane TEXT NOT NULL,
  delivery TEXT NOT NULL
) STRICT;
CREATE INDEX delivery_outbox_lane ON delivery_outbox(lane, seq);

-- What was given up; \`event\` is JSON, \`status\` that of the last answer, 0 for none.
CREATE TABLE webhook_dead_letters(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  webhook TEXT NOT NULL,
  event TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  status INTEGER NOT NULL,
  error TEXT NOT NULL,
  failed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_dead_letters_webhook ON webhook_dead_letters(webhook, seq);
`,
};
