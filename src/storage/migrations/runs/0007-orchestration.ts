import type { Migration } from '../migration.ts';

/**
 * Schedules by cron and their pauses, groups of runs that run one at a time, approvals, notifications, and what badges
 * show.
 */
export const orchestration: Migration = {
  version: 7,
  name: 'runs-orchestration',
  sql: `
-- \`rule\`: cron expression and time zone; empty for an interval. Another one begins anew. \`last_run\`: id of the run
-- that was queued last. \`paused_at\` in seconds; null while it is not paused.
ALTER TABLE schedules ADD COLUMN rule TEXT NOT NULL DEFAULT '';
ALTER TABLE schedules ADD COLUMN last_run TEXT;
ALTER TABLE schedules ADD COLUMN paused_by TEXT;
ALTER TABLE schedules ADD COLUMN paused_at INTEGER;

-- A run of a group is \`ready\` 2 while another one, \`holder\`, has the group. Whoever takes, passes on or waits for a
-- group locks its row first.
ALTER TABLE runs ADD COLUMN concurrency_group TEXT;
CREATE INDEX runs_of_group ON runs(concurrency_group, priority DESC, seq) WHERE state = 'queued' AND concurrency_group IS NOT NULL;
-- A run that somebody has to approve is \`ready\` 3 until then, at most until \`available_ms\`. \`approval\`: a JSON object.
ALTER TABLE runs ADD COLUMN approval TEXT;
CREATE INDEX runs_awaiting ON runs(available_ms) WHERE state = 'queued' AND ready = 3;
CREATE TABLE concurrency_groups(
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- For badges: how the last run of a pipeline ended.
CREATE INDEX runs_ended ON runs(project_id, task, finished_at) WHERE kind = 'pipeline' AND state IN ('succeeded', 'failed');

-- Up to \`position\` all of the lane's log was looked at; \`open\`, a JSON array of numbers, is what of it is not delivered, and
-- everything up to \`kept\` is. \`log\` is 'outbox'.
CREATE TABLE delivery_lanes(
  lane TEXT PRIMARY KEY,
  log TEXT NOT NULL,
  position INTEGER NOT NULL,
  kept INTEGER NOT NULL,
  open TEXT NOT NULL DEFAULT '[]',
  failing_ms INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE delivery_outbox(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  lane TEXT NOT NULL,
  delivery TEXT NOT NULL
) STRICT;
CREATE INDEX delivery_outbox_lane ON delivery_outbox(lane, seq);

-- Notifications that were given up; \`status\` is that of the last answer, 0 for none.
CREATE TABLE notification_dead_letters(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  webhook TEXT NOT NULL,
  letter TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  status INTEGER NOT NULL,
  error TEXT NOT NULL,
  failed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX notification_dead_letters_of_webhook ON notification_dead_letters(webhook, seq);
`,
};
