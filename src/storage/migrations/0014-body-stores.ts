import type { Migration } from './migration.ts';

/**
 * Where bodies are kept that are not in the database. The indexes find objects that are no longer referenced.
 *
 * Older builds can use a database with these tables. They cannot read a body that is kept elsewhere: the first
 * collection that is configured to do so marks this format as breaking (`refuseOlderBuilds`).
 */
export const bodyStores: Migration = {
  version: 14,
  name: 'body-stores',
  sql: `
-- One place of a collection's bodies. It stays when the collection goes on elsewhere, as long as a body is there. \`kind\` is
-- 'memory' or 's3', \`target\` tells places of a collection apart, \`token\` is the folder of its objects, random, so that no two
-- databases share one. \`config\` is JSON (the settings of the place and the secret that keys of objects come from), sealed
-- where the server has keys.
CREATE TABLE body_stores(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  collection TEXT NOT NULL,
  kind TEXT NOT NULL,
  target TEXT NOT NULL,
  token TEXT NOT NULL UNIQUE,
  config TEXT NOT NULL,
  UNIQUE(collection, kind, target)
) STRICT;

-- \`backend\` of a body elsewhere is 'kind:store:hash'.
CREATE INDEX documents_elsewhere ON documents(backend) WHERE backend <> 'boltdb';
CREATE INDEX revisions_elsewhere ON revisions(backend) WHERE backend <> 'boltdb';
CREATE INDEX deleted_revisions_elsewhere ON deleted_revisions(backend) WHERE backend <> 'boltdb';
`,
};
