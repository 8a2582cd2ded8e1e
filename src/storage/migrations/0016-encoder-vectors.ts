import type { Migration } from './migration.ts';

/**
 * Vectors of passages by the encoder that reranks search results. They are deleted with the passage's own vector by a
 * foreign key.
 */
export const encoderVectors: Migration = {
  version: 16,
  name: 'encoder-vectors',
  sql: `
-- The passage is that of \`vectors\`. \`vector\` is little-endian: least value and step (float32 both), then a byte for each number.
CREATE TABLE encoder_vectors(
  ord INTEGER NOT NULL,
  chunk INTEGER NOT NULL,
  model_id INTEGER NOT NULL REFERENCES embedding_models(id),
  vector BLOB NOT NULL,
  PRIMARY KEY(ord, chunk),
  FOREIGN KEY(ord, chunk) REFERENCES vectors(ord, chunk) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
`,
};
