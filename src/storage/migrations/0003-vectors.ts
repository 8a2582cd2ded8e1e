import type { Migration } from './migration.ts';

/**
 * Embeddings: which models are configured, what each document was embedded with, its vectors, and the queue of
 * documents to embed. All but the configurations are deleted with their document by foreign keys, so that an older
 * build which deletes a document leaves nothing behind.
 */
export const vectors: Migration = {
  version: 3,
  name: 'vectors',
  sql: `
-- \`model\`, \`api_url\` empty and \`dimensions\` 0 stand for the provider's own.
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

-- \`variant\`: how texts are prepared for the model. Vectors of two rows cannot be compared.
CREATE TABLE embedding_models(
  id INTEGER PRIMARY KEY,
  model TEXT NOT NULL,
  variant TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  UNIQUE(model, variant, dimensions)
) STRICT;

-- A document that was embedded. \`crc\` and \`bytes\` are those of the body that its vectors were made from,
-- \`chunking\` how it was cut, \`stored\` the type that the collection asked for then (decision D-41):
-- float32, int8 or int4. A blank body has no chunks, and counts as embedded.
CREATE TABLE embeddings(
  ord INTEGER PRIMARY KEY REFERENCES documents(ord) ON DELETE CASCADE,
  cid INTEGER NOT NULL,
  model_id INTEGER NOT NULL REFERENCES embedding_models(id),
  crc INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  chunks INTEGER NOT NULL,
  stored TEXT NOT NULL,
  chunking TEXT NOT NULL
) STRICT;
CREATE INDEX embeddings_by_collection ON embeddings(cid, ord, model_id, chunks);

-- One chunk: lines from 1, bytes of the UTF-8 body (the end exclusive), and the vector at full precision
-- as little-endian float32. Its text is not kept: the body has it.
CREATE TABLE vectors(
  ord INTEGER NOT NULL REFERENCES embeddings(ord) ON DELETE CASCADE,
  chunk INTEGER NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  start_byte INTEGER NOT NULL,
  end_byte INTEGER NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY(ord, chunk)
) STRICT;

-- Documents whose present body has no vectors, by the reason: \`queued\`, \`failed\` for good, \`dropped\`
-- because the queue was full, \`skipped\` as the writer wished. \`due_at\`, in milliseconds since 1970, says
-- when to try a queued one.
CREATE TABLE embedding_states(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  ord INTEGER NOT NULL UNIQUE REFERENCES documents(ord) ON DELETE CASCADE,
  cid INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER NOT NULL DEFAULT 0,
  reason TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX embedding_states_due ON embedding_states(due_at, seq) WHERE state = 'queued';
CREATE INDEX embedding_states_failed ON embedding_states(cid) WHERE state = 'failed';
`,
};
