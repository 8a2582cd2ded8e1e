import type { Migration } from '../migration.ts';

/** What lists of shared caches show. */
export const cacheHits: Migration = {
  version: 13,
  name: 'runs-cache-hits',
  sql: `
-- How often ships have fetched it.
ALTER TABLE caches ADD COLUMN hits BIGINT NOT NULL DEFAULT 0;
CREATE INDEX caches_by_creation ON caches(project_id, created_ms, key);
`,
};
