import type { Migration } from './migrate.ts';

/**
 * The tables of the run queue, by area. Columns named `..._ms` are milliseconds of the queue's own time, which does not
 * jump with the clock of the machine (`runs/queue/queue-time.ts`), unless their comment says otherwise; those named
 * `..._at` are seconds since 1970, as the API shows them.
 */
export const runs: Migration = {
  version: 1,
  name: 'runs',
  sql: `
---- The queue (run-queue decisions, section 6) ----

-- What runs execute, each text once. Numbers are never given twice, so that they can be remembered.
CREATE TABLE definitions(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hash TEXT NOT NULL UNIQUE,
  body TEXT NOT NULL
) STRICT;

-- Runs of one lane can be taken by the same ships. selectors: a JSON array, sorted.
CREATE TABLE lanes(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  task TEXT NOT NULL,
  selectors TEXT NOT NULL,
  key_variable TEXT NOT NULL,
  UNIQUE(project_id, kind, task, selectors, key_variable)
) STRICT;

-- seq is the order of queueing. waits_for, while it is queued: 'ship'; 'backoff' between two attempts, until available_ms; 'concurrency_group'
-- until another run, the holder, leaves its group; 'approval', at most until available_ms; 'matrix' of a cell that the run that it belongs to, or
-- the limit of its matrix, keeps waiting, and of that run itself from when its cells may start until the first of them does; 'needs' of a cell
-- until the jobs that its job needs have ended.
-- queued_ms: since when it waits for a ship. lease_ms: until when its ship has it without a sign of life; renewed_ms: the last one.
-- deadline_ms: when it must have been accepted while accepted is 0, must be gone while it is cancelling, and else when its attempt has taken
-- too long. timeout_ms: longest time of an attempt.
-- git_ref: the branch, tag or commit that is asked for, or the default branch once it is known. git_commit: what it was resolved to first; all
-- attempts work on that.
-- A run with cells > 0 goes to no ship: it is as its cells are, which have its id as their parent_id. job: the name of a cell's job, empty
-- without jobs. matrix: the values of a cell. skipped: why a cell was not run.
-- origin: who or what queued the run. runs_on, origin, approval, matrix and error are JSON.
CREATE TABLE runs(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  project_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  task TEXT NOT NULL,
  state TEXT NOT NULL,
  waits_for TEXT,
  attempt INTEGER NOT NULL,
  max_attempts INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  lane_id INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  ship_id TEXT,
  accepted INTEGER NOT NULL,
  cells INTEGER NOT NULL DEFAULT 0,
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
  logs_bytes INTEGER NOT NULL DEFAULT 0,
  logs_expired INTEGER NOT NULL DEFAULT 0,
  log_truncated INTEGER NOT NULL DEFAULT 0,
  parent_id TEXT,
  job TEXT,
  concurrency_group TEXT,
  retry_of TEXT,
  root_id TEXT NOT NULL,
  retry_number INTEGER NOT NULL,
  git_ref TEXT,
  git_commit TEXT,
  runs_on TEXT NOT NULL,
  source TEXT NOT NULL,
  origin TEXT NOT NULL,
  approval TEXT,
  matrix TEXT,
  skipped TEXT,
  error TEXT
) STRICT;
-- Lists. A filter that these do not begin with is answered by merging the pages of each state and kind.
-- None begins with state: the planner would take it for the queries that the partial indexes below are for.
CREATE INDEX runs_by_time ON runs(created_at, id);
CREATE INDEX runs_by_kind ON runs(kind, state, created_at, id);
-- What ships have is not in it: that is few runs, which lists read from runs_by_kind. Runs of many projects are claimed together, and with them in
-- this index a commit would write a page of it for each project.
CREATE INDEX runs_of_project ON runs(project_id, state, kind, created_at, id) WHERE state NOT IN ('running', 'cancelling');
CREATE INDEX runs_of_parent ON runs(parent_id, state, seq) WHERE parent_id IS NOT NULL;
CREATE INDEX runs_of_schedule ON runs((origin ->> '$.schedule'), created_at, id) WHERE source = 'schedule';
-- Most runs come by the API, and the token of the service queues most runs where there are no others: lists of those are read in the order of time.
CREATE INDEX runs_by_source ON runs(source, created_at, id) WHERE source <> 'api';
CREATE INDEX runs_of_actor ON runs((origin ->> '$.by'), created_at, id) WHERE origin ->> '$.by' <> 'api';
-- What waits: all lanes in the order in which they are handed out, heads of lanes, times of waiting, pauses between attempts, approvals, groups.
CREATE INDEX runs_next ON runs(priority DESC, seq) WHERE state = 'queued' AND waits_for = 'ship';
CREATE INDEX runs_claimable ON runs(lane_id, priority DESC, seq) WHERE state = 'queued' AND waits_for = 'ship';
CREATE INDEX runs_queued ON runs(queued_ms, lane_id, waits_for) WHERE state = 'queued';
CREATE INDEX runs_pausing ON runs(available_ms) WHERE state = 'queued' AND waits_for = 'backoff';
CREATE INDEX runs_awaiting ON runs(available_ms) WHERE state = 'queued' AND waits_for = 'approval';
CREATE INDEX runs_of_group ON runs(concurrency_group, priority DESC, seq) WHERE state = 'queued' AND concurrency_group IS NOT NULL;
-- What ships have, and how many runs of a project.
CREATE INDEX runs_leased ON runs(lease_ms) WHERE state IN ('running', 'cancelling');
CREATE INDEX runs_due ON runs(deadline_ms) WHERE state IN ('running', 'cancelling');
CREATE INDEX runs_on_ship ON runs(ship_id) WHERE state IN ('running', 'cancelling');
CREATE INDEX runs_held_of_project ON runs(project_id) WHERE state IN ('running', 'cancelling') AND cells = 0;
CREATE INDEX runs_finished ON runs(finished_at) WHERE finished_at IS NOT NULL;
-- For badges: how the last run of a pipeline ended, of all and of one branch. Cells count for the run that they belong to.
CREATE INDEX runs_ended ON runs(project_id, task, finished_at) WHERE kind = 'pipeline' AND state IN ('succeeded', 'failed') AND parent_id IS NULL;
CREATE INDEX runs_ended_at_ref ON runs(project_id, task, git_ref, finished_at)
  WHERE kind = 'pipeline' AND state IN ('succeeded', 'failed') AND parent_id IS NULL AND git_ref IS NOT NULL;

-- What a run was queued with; apart from runs, whose pages are read by every list.
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

-- How each handing-out ended; reported 1: the ship said so, and may say it again. steps: a JSON array, as the ship has reported them.
CREATE TABLE attempts(
  seq INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  ship_id TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  reported INTEGER NOT NULL,
  git_commit TEXT,
  steps TEXT,
  PRIMARY KEY(seq, fence)
) STRICT, WITHOUT ROWID;

-- The groups in which one run at a time is under way. Whoever takes, passes on or waits for a group locks its row first.
CREATE TABLE concurrency_groups(
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- How far the queue's time is from the clock of each server.
CREATE TABLE queue_time(
  node_id TEXT PRIMARY KEY,
  offset_ms INTEGER NOT NULL
) STRICT;

-- The position of each schedule. slot is the last moment that was dealt with, in seconds: of an interval, a multiple of it since 1970.
-- rule: cron expression and time zone; empty for an interval. Another rule or interval begins anew. last_run: id of the run that was queued last.
-- paused_at is null while it is not paused. skip_reason: why its last time queued no run, noticed at skipped_at; both null if it queued one.
CREATE TABLE schedules(
  project_id TEXT NOT NULL,
  what TEXT NOT NULL,
  rule TEXT NOT NULL,
  interval_ms INTEGER NOT NULL,
  slot INTEGER NOT NULL,
  last_run TEXT,
  paused_by TEXT,
  paused_at INTEGER,
  skipped_at INTEGER,
  skip_reason TEXT,
  PRIMARY KEY(project_id, what)
) STRICT, WITHOUT ROWID;

---- Requests ----

-- The idempotency keys under which runs were queued. space is the caller, 'api' or 'token:NAME', or else schedules or alerts. Hashes are
-- SHA-256: a key may be somebody's secret, and a request holds inputs. A key outlives expires_at while its run is unfinished.
CREATE TABLE idempotency(
  space TEXT NOT NULL,
  key_hash BLOB NOT NULL,
  request_hash BLOB NOT NULL,
  run_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY(space, key_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_expiry ON idempotency(expires_at);

-- at in seconds; seq keeps the order. detail: a JSON object.
CREATE TABLE audit(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_action ON audit(action, seq);

---- Logs ----

-- What is known of an attempt's log. fence: that of the ship's lines, 0 before the first; next_seq: its next line that is wanted; next_offset:
-- the next event's place. tail_offset, tail_bytes: the last chunk, and its bytes before compression, to tell whether it has room.
-- message_bytes: of the messages, which the budget limits; stored_bytes: of the chunks.
-- phase 0: kept; 1: expired, chunks are being removed; 2: expired, nothing is left.
-- last_ms: when the last line came, by the server's clock.
CREATE TABLE log_attempts(
  run_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  next_seq INTEGER NOT NULL,
  next_offset INTEGER NOT NULL,
  tail_offset INTEGER NOT NULL,
  tail_bytes INTEGER NOT NULL,
  message_bytes INTEGER NOT NULL,
  stored_bytes INTEGER NOT NULL,
  truncated INTEGER NOT NULL,
  phase INTEGER NOT NULL,
  last_ms INTEGER NOT NULL,
  PRIMARY KEY(run_id, attempt)
) STRICT, WITHOUT ROWID;
-- Finds what has expired, and adds up what is stored, without a look at the table.
CREATE INDEX log_attempts_by_age ON log_attempts(phase, last_ms, stored_bytes);

-- count events from first_offset on, at most 100, compressed (src/runs/logs/chunk.ts).
CREATE TABLE log_chunks(
  id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  first_offset INTEGER NOT NULL,
  count INTEGER NOT NULL,
  body BLOB NOT NULL,
  UNIQUE(run_id, attempt, first_offset)
) STRICT;

---- Artefacts and caches ----
-- Their bytes are in stores of contents, under sha256.

-- Files that steps left. Only who holds the run adds any, so those of an attempt are all of its last holder. Rows stay for a while when the run
-- itself is removed.
CREATE TABLE artifacts(
  seq INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  name TEXT NOT NULL,
  fence INTEGER NOT NULL,
  step TEXT NOT NULL,
  size INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  executable INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY(seq, attempt, name)
) STRICT;
CREATE INDEX artifacts_by_content ON artifacts(sha256);
CREATE INDEX artifacts_by_time ON artifacts(created_at);

-- One row, since the first artefact: how many bytes all artefacts have, for their budget. All servers over one database count in it.
CREATE TABLE artifact_total(
  id INTEGER PRIMARY KEY CHECK (id = 1),
  bytes INTEGER NOT NULL
) STRICT;

-- Caches of steps that all ships share. The content of a key never changes. hits: how often ships have fetched it.
CREATE TABLE caches(
  project_id TEXT NOT NULL,
  key TEXT NOT NULL,
  size INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  used_ms INTEGER NOT NULL,
  hits INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY(project_id, key)
) STRICT;
CREATE INDEX caches_by_content ON caches(sha256);
CREATE INDEX caches_by_use ON caches(used_ms);
CREATE INDEX caches_by_creation ON caches(project_id, created_ms, key);

---- Test reports ----

-- What tests and rules of linters a project has had. key: the beginning of a SHA-256 of what makes it another one (src/runs/reports/identity.ts).
-- kind: test or finding. matrix: the values of the cell as JSON, empty without one. file: as the last report has it, empty where it has none.
-- recent: a letter for each of the last 100 results, the newest last: p passed, f failed, e error, s skipped. fail_permille: of those of them that
-- ran, those that failed. mean_ms: mean duration, in which the newest have the most weight. last_..., failed_...: the last result, and the last that
-- failed; failed_run is empty where there is none. flaky_at: when it last passed and failed without a change between, 0 for never.
CREATE TABLE tests(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id TEXT NOT NULL,
  key TEXT NOT NULL,
  kind TEXT NOT NULL,
  pipeline TEXT NOT NULL,
  matrix TEXT NOT NULL,
  step TEXT NOT NULL,
  suite TEXT NOT NULL,
  class TEXT NOT NULL,
  name TEXT NOT NULL,
  file TEXT NOT NULL,
  recent TEXT NOT NULL,
  fail_permille INTEGER NOT NULL,
  mean_ms INTEGER NOT NULL,
  last_state TEXT NOT NULL,
  last_run TEXT NOT NULL,
  last_at INTEGER NOT NULL,
  failed_run TEXT NOT NULL,
  failed_at INTEGER NOT NULL,
  flaky_at INTEGER NOT NULL,
  UNIQUE(project_id, key)
) STRICT;
CREATE INDEX tests_by_failures ON tests(project_id, kind, fail_permille, id);
CREATE INDEX tests_by_duration ON tests(project_id, kind, mean_ms, id);
CREATE INDEX tests_by_time ON tests(project_id, kind, last_at, id);
CREATE INDEX tests_by_age ON tests(last_at);

-- Files that steps have reported. tested: what they are about, the commit, or else the run that was retried first. results: how many the file has;
-- stored: how many of them are in test_results, in their order, so that a report that comes again goes on there.
CREATE TABLE test_reports(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  seq INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  step TEXT NOT NULL,
  name TEXT NOT NULL,
  format TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  project_id TEXT NOT NULL,
  tested TEXT NOT NULL,
  results INTEGER NOT NULL,
  stored INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE(seq, attempt, name, sha256)
) STRICT;
CREATE INDEX test_reports_of_change ON test_reports(project_id, tested, id);
CREATE INDEX test_reports_by_time ON test_reports(created_at);

-- place: the order of lists, failures first. attempts: how often the test ran within its report; flaky 1: with both outcomes. duration_ms is null
-- where the report has none. level, line, message and detail are null where there are none.
CREATE TABLE test_results(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  report_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  place INTEGER NOT NULL,
  test_id INTEGER NOT NULL,
  state TEXT NOT NULL,
  level TEXT,
  line INTEGER,
  duration_ms INTEGER,
  attempts INTEGER NOT NULL,
  flaky INTEGER NOT NULL,
  message TEXT,
  detail TEXT
) STRICT;
CREATE INDEX test_results_of_run ON test_results(seq, attempt, place, id);
CREATE INDEX test_results_of_test ON test_results(test_id, id);
CREATE INDEX test_results_of_report ON test_results(report_id);

---- Ships ----
-- Times are milliseconds since 1970; 0 where they have not come. No usable secret is stored: of a join token only the SHA-256.

-- live_name is the name while the ship is not revoked, and null afterwards, so that another ship can have it. labels, kinds and key_variables are
-- JSON arrays; labels are those of the token. drain_session is null for a ship that takes runs, empty for one that was told to drain while no
-- program of it was connected, and else the session that was told.
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

---- People and tokens of steps ----
-- Times are milliseconds since 1970, by the clocks of the servers.

-- Sessions of people who have signed in at an issuer. token_hash: SHA-256, so that what is stored cannot be used. groups: a JSON array, as the issuer has them;
-- which rights they stand for is in the configuration.
CREATE TABLE sessions(
  token_hash TEXT PRIMARY KEY,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  name TEXT NOT NULL,
  groups TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_expiry ON sessions(expires_ms);
CREATE INDEX sessions_of_subject ON sessions(issuer, subject, created_ms);

-- Public keys with which the tokens of steps are checked, of all servers. A server extends expires_ms of the keys with which it signs; private keys
-- stay in its data_dir.
CREATE TABLE id_token_keys(
  kid TEXT PRIMARY KEY,
  jwk TEXT NOT NULL,
  expires_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX id_token_keys_by_expiry ON id_token_keys(expires_ms);

---- Forges (src/runs/forge) ----

-- Events of forges. delivery_id: as the forge gives it; generation: how often it was asked for anew. body_hash: SHA-256 of what was sent, by which
-- a repeated event is known under another id. event: the event in the form of all forges, as JSON, empty for what starts nothing.
-- outcome: runs and skipped pipelines, as JSON. One lane, which is a repository of a forge, is processed in the order of seq.
CREATE TABLE forge_deliveries(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  forge TEXT NOT NULL,
  delivery_id TEXT NOT NULL,
  body_hash BLOB NOT NULL,
  lane TEXT NOT NULL,
  repository TEXT NOT NULL,
  name TEXT NOT NULL,
  event TEXT NOT NULL,
  pull_request INTEGER,
  received_at INTEGER NOT NULL,
  processed_at INTEGER,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  reason TEXT,
  outcome TEXT NOT NULL,
  UNIQUE(forge, delivery_id),
  UNIQUE(forge, body_hash)
) STRICT;
CREATE INDEX forge_deliveries_pending ON forge_deliveries(seq) WHERE state = 'pending';
CREATE INDEX forge_deliveries_by_age ON forge_deliveries(received_at);
CREATE INDEX forge_deliveries_of_lane ON forge_deliveries(lane, seq);

-- The projects that deliveries are about.
CREATE TABLE forge_delivery_projects(
  project_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY(project_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX forge_delivery_projects_by_seq ON forge_delivery_projects(seq);

-- When git was last asked for what is new, in Unix seconds, and why that failed; empty if it did not.
CREATE TABLE forge_polls(
  project_id TEXT PRIMARY KEY,
  polled_at INTEGER NOT NULL,
  error TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The commit of each branch, tag and pull request that was handled last, and the one before it.
CREATE TABLE forge_refs(
  project_id TEXT NOT NULL,
  ref TEXT NOT NULL,
  commit_id TEXT NOT NULL,
  before_id TEXT NOT NULL,
  PRIMARY KEY(project_id, ref)
) STRICT, WITHOUT ROWID;

---- Notifications ----

-- Up to position all of the lane's log, 'outbox', was looked at; open, a JSON array of numbers, is what of it is not delivered, and everything up
-- to kept is.
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

-- Notifications that were given up; status is that of the last answer, 0 for none.
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

---- What forges show ----
-- Times named ..._ms are milliseconds since 1970, by the clock of the server.

-- What a forge is to show, and what of it was sent: each row is a level, whose last value counts. kind: 'status', 'comment' or 'labels'; target
-- names what it is about within its kind. run_id: the run that has set it; the newest wins. wanted: JSON. version is the number of the value,
-- sent_version that of the last one that the forge has accepted. next_ms: not sent before. is_lasting 1: refused for good, until the next start or
-- change of the configuration. remote_id: of the comment.
CREATE TABLE forge_posts(
  forge TEXT NOT NULL,
  repository TEXT NOT NULL,
  kind TEXT NOT NULL,
  target TEXT NOT NULL,
  project_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  git_commit TEXT NOT NULL,
  wanted TEXT NOT NULL,
  version INTEGER NOT NULL,
  sent_version INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  next_ms INTEGER NOT NULL,
  is_lasting INTEGER NOT NULL,
  error TEXT NOT NULL,
  remote_id TEXT NOT NULL,
  updated_ms INTEGER NOT NULL,
  PRIMARY KEY(forge, repository, kind, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX forge_posts_due ON forge_posts(forge, next_ms) WHERE sent_version <> version AND is_lasting = 0;
CREATE INDEX forge_posts_refused ON forge_posts(forge) WHERE is_lasting = 1;
CREATE INDEX forge_posts_of_commit ON forge_posts(forge, repository, git_commit) WHERE kind = 'status';
CREATE INDEX forge_posts_by_age ON forge_posts(updated_ms);
CREATE INDEX forge_posts_of_run ON forge_posts(run_id);
CREATE INDEX forge_posts_of_project ON forge_posts(project_id, updated_ms) WHERE kind = 'status';

-- How calls to each forge went. failed_at is 0 if the last one succeeded, and last_error empty.
CREATE TABLE forge_health(
  forge TEXT PRIMARY KEY,
  sent_at INTEGER NOT NULL,
  failed_at INTEGER NOT NULL,
  last_error TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Issues that have, or had, the label of their project. labelling counts how often it was added; delivery: of the webhook that told of it, empty
-- where polling found it. state: 'due' until a run is queued for this labelling, then 'queued'; 'refused' if none can be.
CREATE TABLE forge_issues(
  project_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  labelling INTEGER NOT NULL,
  is_labelled INTEGER NOT NULL,
  changed_ms INTEGER NOT NULL,
  delivery TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_ms INTEGER NOT NULL,
  PRIMARY KEY(project_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX forge_issues_due ON forge_issues(next_ms) WHERE state = 'due';

-- Markdown that steps have written for people.
CREATE TABLE run_summaries(
  seq INTEGER PRIMARY KEY,
  body TEXT NOT NULL
) STRICT;
`,
};
