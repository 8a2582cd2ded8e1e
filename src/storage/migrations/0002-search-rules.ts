import type { Migration } from './migration.ts';

/**
 * The users' rules for search: dictionaries and curation. They refer to the name of the collection and not to its id,
 * because they outlive the documents (decision D-74). Older builds never read these tables, so the migration does not
 * break them.
 */
export const searchRules: Migration = {
  version: 2,
  name: 'search-rules',
  sql: `
-- \`id\` keeps the order in which synonyms were added. Terms and synonyms are normalised, the form in
-- which queries look for them.
CREATE TABLE synonyms(
  id INTEGER PRIMARY KEY,
  collection TEXT NOT NULL,
  term TEXT NOT NULL,
  synonym TEXT NOT NULL,
  UNIQUE(collection, term, synonym)
) STRICT;

-- Where a collection differs from the stop words of its languages: \`searched\` 0 for a word of its
-- own, 1 for a default word that is searched for all the same (decision D-93).
CREATE TABLE stop_words(
  collection TEXT NOT NULL,
  word TEXT NOT NULL,
  searched INTEGER NOT NULL,
  PRIMARY KEY(collection, word)
) STRICT, WITHOUT ROWID;

-- \`collection\` is as written; \`pins\` and \`hides\` are JSON arrays.
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
  hides TEXT NOT NULL
) STRICT;
`,
};
