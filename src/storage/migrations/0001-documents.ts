import type { Migration } from './migrate.ts';

/**
 * The tables of the document service, by area. They are one file because together they are one format, which changes
 * only by another migration.
 *
 * Times are whole seconds since 1970 unless their comment says otherwise. Names of collections are lowercased, JSON is
 * canonical text. "Encrypted" means: where the server has a key.
 *
 * Large columns come last, because SQLite follows a chain of overflow pages to reach the columns after them. Tables are
 * STRICT, so that a value of a wrong type is an error instead of a later surprise.
 */
export const documents: Migration = {
  version: 1,
  name: 'documents',
  sql: `
---- Collections ----

-- docs counts the rows of documents, expired ones included.
CREATE TABLE collections(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  docs INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE collection_configs(
  collection TEXT PRIMARY KEY,
  config TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE schemas(
  collection TEXT PRIMARY KEY,
  schema TEXT NOT NULL
) STRICT;

CREATE TABLE settings(
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

---- Documents ----

-- ord is never used again, because bitmaps and indexes know a document by it. key and lang are the latest spelling; rev_ts is the
-- number of the newest revision ever written (decision D-34). bytes is the length of the body as UTF-8, crc the CRC-32 of the body (decision D-36).
-- The backend of a body elsewhere is 'kind:store:hash', and body is a reference. There are few indexes, because each write changes a page of
-- every one: spellings finds documents by key, and orders by time are computed from columns in memory. vectors are those that clients
-- supply, of all fields in one value (src/docs/vector-fields), NULL for none; vectors_hash tells them from others, 0 for none.
CREATE TABLE documents(
  ord INTEGER PRIMARY KEY AUTOINCREMENT,
  cid INTEGER NOT NULL REFERENCES collections(id),
  id TEXT NOT NULL UNIQUE,
  key TEXT NOT NULL,
  lang TEXT NOT NULL,
  backend TEXT NOT NULL DEFAULT 'boltdb',
  crc INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  vectors_hash INTEGER NOT NULL DEFAULT 0,
  added_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  expires_at INTEGER,
  rev_ts INTEGER NOT NULL DEFAULT 0,
  meta TEXT NOT NULL,
  body BLOB,
  vectors BLOB
) STRICT;
CREATE INDEX documents_by_added ON documents(cid, added_at);
CREATE INDEX documents_expiring ON documents(expires_at) WHERE expires_at IS NOT NULL;
-- Encrypted metadata are base64, which for every encrypted value begins with the same eight characters.
CREATE INDEX documents_sealed ON documents(cid) WHERE substr(meta, 1, 8) = 'U1ZDRU5D';
CREATE INDEX documents_with_vectors ON documents(cid, ord) WHERE vectors IS NOT NULL;
-- These and their like below find objects that are no longer referenced.
CREATE INDEX documents_elsewhere ON documents(backend) WHERE backend <> 'boltdb';

-- Every spelling in which a document was written (decision D-31): key as written, lang lowercased.
CREATE TABLE spellings(
  cid INTEGER NOT NULL,
  key TEXT NOT NULL,
  lang TEXT NOT NULL,
  ord INTEGER NOT NULL,
  PRIMARY KEY(cid, key, lang)
) STRICT, WITHOUT ROWID;
CREATE INDEX spellings_by_document ON spellings(ord);

-- One row per version written (decision D-33); ts is its number. meta, body and vectors NULL: equal to the document's current version, which only ever holds for the
-- newest row. With rowids, because bodies inside the key's own tree made updates a quarter slower and the file half as large again.
CREATE TABLE revisions(
  ord INTEGER NOT NULL,
  ts INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  backend TEXT,
  meta TEXT,
  body BLOB,
  vectors BLOB,
  PRIMARY KEY(ord, ts)
) STRICT;
CREATE INDEX revisions_elsewhere ON revisions(backend) WHERE backend <> 'boltdb';

-- Deleted documents whose versions are kept for some time. They have tables of their own, so that queries for documents or revisions find
-- only existing ones. ord is the number that the document had, rev_ts the number of its newest revision, which is the version that was deleted.
CREATE TABLE deleted_documents(
  ord INTEGER PRIMARY KEY,
  cid INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
  id TEXT NOT NULL UNIQUE,
  key TEXT NOT NULL,
  lang TEXT NOT NULL,
  rev_ts INTEGER NOT NULL,
  added_at INTEGER NOT NULL,
  deleted_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT;
CREATE INDEX deleted_documents_by_key ON deleted_documents(cid, key);
CREATE INDEX deleted_documents_by_time ON deleted_documents(deleted_at);
CREATE INDEX deleted_documents_expiring ON deleted_documents(expires_at) WHERE expires_at IS NOT NULL;

-- As revisions, but each has metadata and body of its own.
CREATE TABLE deleted_revisions(
  ord INTEGER NOT NULL REFERENCES deleted_documents(ord) ON DELETE CASCADE,
  ts INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  backend TEXT,
  meta TEXT NOT NULL,
  body BLOB,
  vectors BLOB,
  PRIMARY KEY(ord, ts)
) STRICT;
CREATE INDEX deleted_revisions_elsewhere ON deleted_revisions(backend) WHERE backend <> 'boltdb';

-- One place of a collection's bodies. It stays when the collection goes on elsewhere, as long as a body is there. kind is 'memory' or 's3',
-- target tells places of a collection apart, token is the folder of its objects, random, so that no two databases share one. config is JSON
-- (the settings of the place and the secret that keys of objects come from), encrypted.
CREATE TABLE body_stores(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  collection TEXT NOT NULL,
  kind TEXT NOT NULL,
  target TEXT NOT NULL,
  token TEXT NOT NULL UNIQUE,
  config TEXT NOT NULL,
  UNIQUE(collection, kind, target)
) STRICT;

---- Checkpoints of indexes ----

-- Which node writes the checkpoint of an index to the place that all nodes share (src/docs/view/bucket), with several nodes over one
-- database. name is 'view/collection', node is random for each process, and epoch grows whenever the node changes.
CREATE TABLE checkpoint_owners(
  name TEXT PRIMARY KEY,
  node TEXT NOT NULL,
  epoch INTEGER NOT NULL
) STRICT;

---- The change feed ----

-- lsn is without a gap, at in milliseconds since 1970.
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

-- At most one row: the place of this database between a leader and its followers. role is the one under which it was opened last: '',
-- 'leader' or 'follower'. history names the run of binlog entries that position counts; checksum is that of the last one, which depends on
-- all before it. epoch rises with each promotion; fenced_by is the epoch of the leader that took this one's place, or 0.
CREATE TABLE replication(
  id INTEGER PRIMARY KEY CHECK (id = 1),
  role TEXT NOT NULL,
  history TEXT NOT NULL,
  position INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  fenced_by INTEGER NOT NULL
) STRICT;

---- Rules for search ----
-- They refer to the name of a collection and not to its id, because they outlive the documents (decision D-74).

-- id keeps the order in which synonyms were added. Terms and synonyms are normalised, the form in which queries look for them.
CREATE TABLE synonyms(
  id INTEGER PRIMARY KEY,
  collection TEXT NOT NULL,
  term TEXT NOT NULL,
  synonym TEXT NOT NULL,
  UNIQUE(collection, term, synonym)
) STRICT;

-- Where a collection differs from the stop words of its languages: searched is 0 for a word of its own, 1 for a default word that is
-- searched for all the same (decision D-93).
CREATE TABLE stop_words(
  collection TEXT NOT NULL,
  word TEXT NOT NULL,
  searched INTEGER NOT NULL,
  PRIMARY KEY(collection, word)
) STRICT, WITHOUT ROWID;

-- Words that users add to spelling dictionaries. collection is empty for the words that all share; languages and words are in lower case.
CREATE TABLE dictionary_words(
  collection TEXT NOT NULL,
  lang TEXT NOT NULL,
  word TEXT NOT NULL,
  frequency INTEGER NOT NULL,
  PRIMARY KEY(collection, lang, word)
) STRICT;

-- collection is as written; pins and hides are JSON arrays.
CREATE TABLE curation_rules(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  collection TEXT NOT NULL,
  query TEXT NOT NULL,
  match_mode TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  pins TEXT NOT NULL,
  hides TEXT NOT NULL,
  ignore_filters INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Coordinates of postcodes, which are loaded from files. Countries are in capitals, postcodes in capitals without blanks.
CREATE TABLE postcodes(
  country TEXT NOT NULL,
  postcode TEXT NOT NULL,
  lat REAL NOT NULL,
  lng REAL NOT NULL,
  PRIMARY KEY(country, postcode)
) STRICT;

---- Embeddings ----
-- Which models are configured, what each document was embedded with, its vectors, and the queue of documents to embed. All but the
-- configurations are deleted with their document by foreign keys.

-- model and api_url empty and dimensions 0 stand for the provider's own.
CREATE TABLE embedding_configs(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  api_key TEXT NOT NULL,
  api_url TEXT NOT NULL,
  is_default INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

-- variant: how texts are prepared for the model. Vectors of two rows cannot be compared.
CREATE TABLE embedding_models(
  id INTEGER PRIMARY KEY,
  model TEXT NOT NULL,
  variant TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  UNIQUE(model, variant, dimensions)
) STRICT;

-- A document that was embedded into a space: '' is that of the server's provider, others have the ids of embedding_configs. crc and bytes
-- are those of the body that its vectors were made from, chunking how it was cut, stored the type that the collection asked for then
-- (decision D-41): float32, int8 or int4. A blank body has no chunks, and counts as embedded.
CREATE TABLE embeddings(
  ord INTEGER NOT NULL REFERENCES documents(ord) ON DELETE CASCADE,
  space TEXT NOT NULL,
  cid INTEGER NOT NULL,
  model_id INTEGER NOT NULL REFERENCES embedding_models(id),
  crc INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  chunks INTEGER NOT NULL,
  stored TEXT NOT NULL,
  chunking TEXT NOT NULL,
  PRIMARY KEY(ord, space)
) STRICT, WITHOUT ROWID;
CREATE INDEX embeddings_by_collection ON embeddings(cid, ord, space, model_id, chunks);

-- One chunk: lines from 1, bytes of the UTF-8 body (the end exclusive), and the vector at full precision as little-endian float32. Its text
-- is not kept: the body has it.
CREATE TABLE vectors(
  ord INTEGER NOT NULL,
  space TEXT NOT NULL,
  chunk INTEGER NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  start_byte INTEGER NOT NULL,
  end_byte INTEGER NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY(ord, space, chunk),
  FOREIGN KEY(ord, space) REFERENCES embeddings(ord, space) ON DELETE CASCADE
) STRICT;

-- Vectors of the same chunks by the encoder that reranks search results. vector is little-endian: least value and step (float32 both), then
-- a byte for each number.
CREATE TABLE encoder_vectors(
  ord INTEGER NOT NULL,
  space TEXT NOT NULL,
  chunk INTEGER NOT NULL,
  model_id INTEGER NOT NULL REFERENCES embedding_models(id),
  vector BLOB NOT NULL,
  PRIMARY KEY(ord, space, chunk),
  FOREIGN KEY(ord, space, chunk) REFERENCES vectors(ord, space, chunk) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Documents whose present body has no vectors in a space, by the reason: 'queued', 'failed' for good, 'dropped' because the queue was full, 'skipped' as
-- the writer wished. due_at, in milliseconds since 1970, says when to try a queued one.
CREATE TABLE embedding_states(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  ord INTEGER NOT NULL REFERENCES documents(ord) ON DELETE CASCADE,
  space TEXT NOT NULL,
  cid INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER NOT NULL DEFAULT 0,
  reason TEXT NOT NULL DEFAULT '',
  UNIQUE(ord, space)
) STRICT;
CREATE INDEX embedding_states_due ON embedding_states(space, due_at, seq) WHERE state = 'queued';
CREATE INDEX embedding_states_failed ON embedding_states(cid) WHERE state = 'failed';

---- Conversations ----
-- Their messages and summaries are documents of the collection _memory.

-- A session exists before its first message, and lists of sessions need no documents. messages is also the number of the newest message, for
-- they are numbered from 1 without a gap. owner is the uid of the user that the conversation names, if there was one when it began.
-- title_final: 0 until the first message of the user has replaced a title that was made up. expires_at NULL: never.
CREATE TABLE memory_sessions(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL,
  owner TEXT NOT NULL,
  scenario TEXT NOT NULL,
  title TEXT NOT NULL,
  title_final INTEGER NOT NULL,
  messages INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  expires_at INTEGER,
  meta TEXT NOT NULL
) STRICT;
-- One index for each order of each kind of list, with all that a page is chosen by: skipping to a far page and leaving out what has expired
-- never reads the table.
CREATE INDEX memory_sessions_by_updated ON memory_sessions(updated_at, seq, expires_at);
CREATE INDEX memory_sessions_by_created ON memory_sessions(created_at, seq, expires_at);
CREATE INDEX memory_sessions_by_title ON memory_sessions(title, seq, expires_at);
CREATE INDEX memory_sessions_of_user_by_updated ON memory_sessions(user_id, updated_at, seq, scenario, expires_at);
CREATE INDEX memory_sessions_of_user_by_created ON memory_sessions(user_id, created_at, seq, scenario, expires_at);
CREATE INDEX memory_sessions_of_user_by_title ON memory_sessions(user_id, title, seq, scenario, expires_at);
CREATE INDEX memory_sessions_of_scenario_by_updated ON memory_sessions(scenario, updated_at, seq, expires_at);
CREATE INDEX memory_sessions_of_scenario_by_created ON memory_sessions(scenario, created_at, seq, expires_at);
CREATE INDEX memory_sessions_of_scenario_by_title ON memory_sessions(scenario, title, seq, expires_at);
CREATE INDEX memory_sessions_expiring ON memory_sessions(expires_at) WHERE expires_at IS NOT NULL;

-- How many rows each filter of a list selects, expired ones included, so that totals are not counted: scope is the filter as JSON,
-- [user or null, scenario or null].
CREATE TABLE memory_session_counts(
  scope TEXT PRIMARY KEY,
  sessions INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

---- Access ----
-- No usable secret is stored: passwords are bcrypt hashes, keys and tokens SHA-256 hashes.

-- A user is a record and not a name: uid stays the same while the record exists, and no later user of that name gets it. What belongs to a
-- user names the record. token_id: what tokens of this user carry, so that those from before a new password are no longer good.
CREATE TABLE users(
  username TEXT PRIMARY KEY,
  uid TEXT NOT NULL,
  token_id TEXT NOT NULL UNIQUE,
  password_hash TEXT NOT NULL,
  admin INTEGER NOT NULL,
  disabled INTEGER NOT NULL DEFAULT 0,
  must_change INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;

-- One a user.
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

-- seq keeps the order of creation. expires_at 0: never; last_used_at 0: not yet; revoked_at 0: not revoked. collections and operations are
-- JSON arrays, empty for all.
CREATE TABLE api_keys(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  hash TEXT NOT NULL UNIQUE,
  username TEXT NOT NULL,
  description TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL DEFAULT 0,
  revoked_at INTEGER NOT NULL DEFAULT 0,
  collections TEXT NOT NULL,
  operations TEXT NOT NULL
) STRICT;
CREATE INDEX api_keys_of_user ON api_keys(username, seq);

CREATE TABLE mcp_keys(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  hash TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  disabled INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE user_groups(
  name TEXT PRIMARY KEY,
  description TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

-- A member need not be a user yet. seq keeps the order in which members were given.
CREATE TABLE group_members(
  seq INTEGER PRIMARY KEY,
  group_name TEXT NOT NULL,
  username TEXT NOT NULL,
  UNIQUE(group_name, username)
) STRICT;
CREATE INDEX group_members_by_user ON group_members(username, group_name);

CREATE TABLE roles(
  name TEXT PRIMARY KEY,
  description TEXT NOT NULL,
  built_in INTEGER NOT NULL
) STRICT;
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

-- Of permissions, collection is lowercased, or '*'. An entry without any permission is not kept.
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
CREATE TABLE role_permissions(
  role_name TEXT NOT NULL,
  collection TEXT NOT NULL,
  may_read INTEGER NOT NULL,
  may_write INTEGER NOT NULL,
  may_admin INTEGER NOT NULL,
  PRIMARY KEY(role_name, collection)
) STRICT, WITHOUT ROWID;

INSERT INTO roles(name, description, built_in) VALUES
  ('admin', 'Do everything.', 1), ('reader', 'Read every collection.', 1), ('writer', 'Read and write every collection.', 1);
INSERT INTO role_permissions(role_name, collection, may_read, may_write, may_admin) VALUES
  ('admin', '*', 1, 1, 1), ('reader', '*', 1, 0, 0), ('writer', '*', 1, 1, 0);

---- Jobs ----

-- Bulk ingest. Jobs are worked off in the order of seq. submitter: with whose rights a job is loaded, JSON of what its credential allows,
-- empty where authentication was off. callback_due is when the record has to be sent next, in Unix milliseconds, NULL when nobody waits for
-- it. errors is a JSON array; error says why the job as a whole failed; both are encrypted.
-- A job that a restart interrupts fails, and the job continued_as has its remaining documents. That one has the origin_id and origin_seq of
-- the job with which they were submitted, and skips those that earlier jobs have processed. The rows of the documents keep their numbers and
-- stay bound to that id; the job keeps that place in the order of all jobs.
CREATE TABLE bulk_jobs(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  collection TEXT NOT NULL,
  submitter TEXT NOT NULL DEFAULT '',
  status TEXT NOT NULL,
  total INTEGER NOT NULL,
  processed INTEGER NOT NULL DEFAULT 0,
  skipped INTEGER NOT NULL DEFAULT 0,
  added INTEGER NOT NULL DEFAULT 0,
  updated INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  sanitized INTEGER NOT NULL DEFAULT 0,
  embedding_dropped INTEGER NOT NULL DEFAULT 0,
  callback_url TEXT,
  callback_attempts INTEGER NOT NULL DEFAULT 0,
  callback_due INTEGER,
  submitted_at INTEGER NOT NULL,
  started_at INTEGER,
  completed_at INTEGER,
  origin_id TEXT,
  origin_seq INTEGER,
  continued_as TEXT,
  error TEXT,
  errors TEXT NOT NULL DEFAULT '[]'
) STRICT;
CREATE INDEX bulk_jobs_open ON bulk_jobs(seq) WHERE status IN ('pending', 'processing');
CREATE INDEX bulk_jobs_callbacks ON bulk_jobs(callback_due) WHERE callback_due IS NOT NULL;

-- The documents from number first on, count of them: a JSON array, compressed and encrypted as a body is.
CREATE TABLE bulk_documents(
  job INTEGER NOT NULL REFERENCES bulk_jobs(seq) ON DELETE CASCADE,
  first INTEGER NOT NULL,
  count INTEGER NOT NULL,
  documents BLOB NOT NULL,
  PRIMARY KEY(job, first)
) STRICT;

-- Rotations of encryption keys. collection is empty for a rotation of all; times are 0 for not yet.
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

---- Deliveries ----

-- events is a JSON array as given; secret is encrypted; pause is empty, 'requested' or 'failing'.
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

-- What was given up; event is JSON, status that of the last answer, 0 for none.
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

-- body is JSON as it was sent, with defaults; secret is encrypted; since is the number in the change feed of the creation.
CREATE TABLE automation_rules(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  body TEXT NOT NULL,
  secret TEXT NOT NULL,
  since INTEGER NOT NULL,
  last_run INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- Events by their numbers in the change feed, for triggers that compare vectors. ready: the document has its vectors. event is JSON.
CREATE TABLE automation_pending(
  lsn INTEGER PRIMARY KEY,
  doc_id TEXT NOT NULL,
  ready INTEGER NOT NULL,
  event TEXT NOT NULL
) STRICT;
CREATE INDEX automation_pending_by_document ON automation_pending(doc_id);
CREATE INDEX automation_pending_ready ON automation_pending(lsn) WHERE ready = 1;

-- entry is JSON.
CREATE TABLE automation_logs(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  delivery TEXT NOT NULL UNIQUE,
  at INTEGER NOT NULL,
  rule TEXT NOT NULL,
  status TEXT NOT NULL,
  entry TEXT NOT NULL
) STRICT;
CREATE INDEX automation_logs_by_rule ON automation_logs(rule, seq);
CREATE INDEX automation_logs_by_time ON automation_logs(at);

-- Deliveries of webhooks and automation go through lanes. Up to position all of the lane's log was looked at; open, a JSON array of numbers, is
-- what of it is not delivered, and everything up to kept is. log is 'feed' or 'outbox'.
CREATE TABLE delivery_lanes(
  lane TEXT PRIMARY KEY,
  log TEXT NOT NULL,
  position INTEGER NOT NULL,
  kept INTEGER NOT NULL,
  open TEXT NOT NULL DEFAULT '[]',
  failing_ms INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- Deliveries that come from no log: delivery is JSON in the form that the lane's owner gives it.
CREATE TABLE delivery_outbox(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  lane TEXT NOT NULL,
  delivery TEXT NOT NULL
) STRICT;
CREATE INDEX delivery_outbox_lane ON delivery_outbox(lane, seq);

---- History ----

-- How documents changed, and how often they were read. kind is 0 for a creation, 1 for an update, 2 for a read. Equal reads share a row and
-- are n. lsn is the number of the change, NULL for a read.
CREATE TABLE temporal_events(
  seq INTEGER PRIMARY KEY,
  lsn INTEGER UNIQUE,
  collection TEXT NOT NULL,
  doc_id TEXT NOT NULL,
  kind INTEGER NOT NULL,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  n INTEGER NOT NULL
) STRICT;
CREATE INDEX temporal_events_document ON temporal_events(doc_id, at);
CREATE INDEX temporal_events_collection ON temporal_events(collection, kind, at, n);
CREATE INDEX temporal_events_at ON temporal_events(at);

CREATE TABLE temporal_hot(
  doc_id TEXT PRIMARY KEY,
  collection TEXT NOT NULL,
  reads INTEGER NOT NULL,
  last_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX temporal_hot_collection ON temporal_hot(collection, reads, last_at);

---- Nodes ----
-- Over PostgreSQL only: which processes share the database, and what each of them holds in memory (src/docs/cluster).

-- One row for each process. A node is known by its name, which it keeps over restarts: of the rows of a name, the one with the greatest epoch
-- is the node, and all have the same draining. The lease of a process ends at lease_until by the clock of the database, in milliseconds since
-- 1970, and then the process is gone for good. bytes_limit and bytes_used are those of its indexes, 0 for no limit. position is the LSN that
-- all its indexes have reached, and holdings the number of what it has announced last.
CREATE TABLE cluster_nodes(
  process TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  gone INTEGER NOT NULL DEFAULT 0,
  address TEXT NOT NULL,
  version TEXT NOT NULL,
  weight INTEGER NOT NULL,
  draining INTEGER NOT NULL,
  bytes_limit INTEGER NOT NULL,
  bytes_used INTEGER NOT NULL DEFAULT 0,
  position INTEGER NOT NULL DEFAULT 0,
  holdings INTEGER NOT NULL DEFAULT 0,
  lease_until INTEGER NOT NULL,
  UNIQUE(name, epoch)
) STRICT, WITHOUT ROWID;

-- What a process has ready, as JSON: one value, because rows for each partition would be tens of thousands.
CREATE TABLE cluster_holdings(
  process TEXT PRIMARY KEY REFERENCES cluster_nodes(process) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  units TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Which process writes the checkpoints of a partition; unit is its number (src/docs/cluster/unit.ts). epoch grows with
-- each owner.
CREATE TABLE cluster_owners(
  unit INTEGER PRIMARY KEY,
  process TEXT NOT NULL,
  epoch INTEGER NOT NULL
) STRICT;
CREATE INDEX cluster_owners_by_process ON cluster_owners(process);
`,
};
