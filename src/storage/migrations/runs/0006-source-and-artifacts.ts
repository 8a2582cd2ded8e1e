import type { Migration } from '../migration.ts';

/** The source that runs work on, and the artifacts that they produce. */
export const sourceAndArtifacts: Migration = {
  version: 6,
  name: 'runs-source-and-artifacts',
  sql: `
-- \`git_ref\`: the branch, tag or commit that is asked for, or the default branch once it is known.
-- \`git_commit\`: what it was resolved to first; all attempts work on that.
ALTER TABLE runs ADD COLUMN git_ref TEXT;
ALTER TABLE runs ADD COLUMN git_commit TEXT;
-- \`steps\`: a JSON array, as the ship has reported them.
ALTER TABLE attempts ADD COLUMN git_commit TEXT;
ALTER TABLE attempts ADD COLUMN steps TEXT;

-- Files that steps left; their bytes are in the store of contents, under \`sha256\`. Only who holds the run adds any, so
-- those of an attempt are all of its last holder. Rows stay for a while when the run itself is removed.
CREATE TABLE artifacts(
  seq BIGINT NOT NULL,
  attempt INTEGER NOT NULL,
  name TEXT NOT NULL,
  fence BIGINT NOT NULL,
  step TEXT NOT NULL,
  size BIGINT NOT NULL,
  sha256 TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY(seq, attempt, name)
);
CREATE INDEX artifacts_by_content ON artifacts(sha256);
CREATE INDEX artifacts_by_time ON artifacts(created_at);
`,
};
