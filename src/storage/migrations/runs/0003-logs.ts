import type { Migration } from '../migration.ts';

/** Logs of runs. */
export const logs: Migration = {
  version: 3,
  name: 'runs-logs',
  sql: `
-- What is known of an attempt's log. \`fence\`: that of the ship's lines, 0 before the first; \`next_seq\`: its next line
-- that is wanted; \`next_offset\`: the next event's place. \`tail_offset\`, \`tail_bytes\`: the last chunk, and its bytes before compression, to tell whether it
-- has room. \`message_bytes\`: of the messages, which the budget limits; \`stored_bytes\`: of the chunks.
-- \`phase\` 0: kept; 1: expired, chunks are being removed; 2: expired, nothing is left.
-- \`last_ms\`: when the last line came, by the server's clock.
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

-- \`count\` events from \`first_offset\` on, at most 100, compressed (src/runs/logs/chunk.ts).
CREATE TABLE log_chunks(
  id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  first_offset INTEGER NOT NULL,
  count INTEGER NOT NULL,
  body BLOB NOT NULL,
  UNIQUE(run_id, attempt, first_offset)
) STRICT;
`,
};
