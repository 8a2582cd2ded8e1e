import type { Migration } from '../migration.ts';

/**
 * The queue itself (run-queue decisions, section 6). Columns named `..._ms` are milliseconds of the queue's own
 * time, which does not jump with the clock of the machine (`runs/queue/queue-time.ts`); those named `..._at` are
 * seconds since 1970, as the API shows them.
 */
export const queue: Migration = {
  version: 1,
  name: 'runs-queue',
  sql: `
-- What runs execute, each text once. Numbers are never given twice, so that they can be remembered.
CREATE TABLE definitions(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hash TEXT NOT NULL UNIQUE,
  body TEXT NOT NULL
) STRICT;

-- Runs of one lane can be taken by the same ships. \`selectors\`: a JSON array, sorted.
CREATE TABLE lanes(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  task TEXT NOT NULL,
  selectors TEXT NOT NULL,
  key_variable TEXT NOT NULL,
  UNIQUE(project_id, kind, task, selectors, key_variable)
) STRICT;

-- \`seq\` is the order of queueing. \`ready\` 0: waits until \`available_ms\` between two attempts.
-- \`queued_ms\`: since when it waits for a ship; \`renewed_ms\`: last sign of life of its ship.
-- \`lease_ms\`: until when its ship has it without a sign of life. \`deadline_ms\`: when it must have been
-- accepted while \`accepted\` is 0, must be gone while it is cancelling, and else when its attempt has taken
-- too long. \`timeout_ms\`: longest time of an attempt.
CREATE TABLE runs(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  project_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  task TEXT NOT NULL,
  state TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  max_attempts INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  runs_on TEXT NOT NULL,
  source TEXT NOT NULL,
  lane_id INTEGER NOT NULL,
  ready INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  ship_id TEXT,
  accepted INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER,
  queued_ms INTEGER NOT NULL,
  available_ms INTEGER NOT NULL,
  lease_ms INTEGER NOT NULL,
  renewed_ms INTEGER NOT NULL,
  deadline_ms INTEGER NOT NULL,
  timeout_ms INTEGER NOT NULL,
  retry_of TEXT,
  root_id TEXT NOT NULL,
  retry_number INTEGER NOT NULL,
  error TEXT,
  logs_expired INTEGER NOT NULL DEFAULT 0,
  log_truncated INTEGER NOT NULL DEFAULT 0,
  logs_bytes INTEGER NOT NULL DEFAULT 0
) STRICT;
-- Lists. A filter that these do not begin with is answered by merging the pages of each state and kind.
-- None begins with \`state\`: the planner would take it for the queries that the partial indexes below are for.
CREATE INDEX runs_by_time ON runs(created_at, id);
CREATE INDEX runs_by_kind ON runs(kind, state, created_at, id);
CREATE INDEX runs_of_project ON runs(project_id, state, kind, created_at, id);
-- What waits: heads of lanes, times of waiting, pauses between attempts.
CREATE INDEX runs_claimable ON runs(lane_id, priority DESC, seq) WHERE state = 'queued' AND ready = 1;
CREATE INDEX runs_queued ON runs(queued_ms, lane_id, ready) WHERE state = 'queued';
CREATE INDEX runs_pausing ON runs(available_ms) WHERE state = 'queued' AND ready = 0;
-- What ships have.
CREATE INDEX runs_leased ON runs(lease_ms) WHERE state IN ('running', 'cancelling');
CREATE INDEX runs_due ON runs(deadline_ms) WHERE state IN ('running', 'cancelling');
CREATE INDEX runs_on_ship ON runs(ship_id) WHERE state IN ('running', 'cancelling');
CREATE INDEX runs_unfinished ON runs(project_id, kind, task, source) WHERE finished_at IS NULL;
CREATE INDEX runs_finished ON runs(finished_at) WHERE finished_at IS NOT NULL;

-- What a run was queued with; apart from \`runs\`, whose pages are read by every list.
CREATE TABLE run_material(
  seq INTEGER PRIMARY KEY,
  input TEXT,
  input_is_json INTEGER NOT NULL,
  definition_id INTEGER NOT NULL
) STRICT;
CREATE INDEX run_material_by_definition ON run_material(definition_id);

CREATE TABLE run_results(
  seq INTEGER PRIMARY KEY,
  type TEXT NOT NULL,
  body BLOB NOT NULL
) STRICT;

-- How each handing-out ended; \`reported\` 1: the ship said so, and may say it again.
CREATE TABLE attempts(
  seq INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  ship_id TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  reported INTEGER NOT NULL,
  PRIMARY KEY(seq, fence)
) STRICT, WITHOUT ROWID;

-- How far the queue's time is from the clock of each server.
CREATE TABLE queue_time(
  node_id TEXT PRIMARY KEY,
  offset_ms INTEGER NOT NULL
) STRICT`,
};
