import type { Migration } from '../migration.ts';

/** Caches of steps that all ships share. */
export const caches: Migration = {
  version: 11,
  name: 'runs-caches',
  sql: `
-- The bytes are in the store of contents, under \`sha256\`. The content of a key never changes.
CREATE TABLE caches(
  project_id TEXT NOT NULL,
  key TEXT NOT NULL,
  size BIGINT NOT NULL,
  sha256 TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  used_ms BIGINT NOT NULL,
  PRIMARY KEY(project_id, key)
);
CREATE INDEX caches_by_content ON caches(sha256);
CREATE INDEX caches_by_use ON caches(used_ms);
`,
};
