import type { Migration } from './migration.ts';

/**
 * Coordinates of postcodes, which are loaded from files, and the words that users add to spelling dictionaries. Older
 * builds ignore both.
 */
export const placesAndWords: Migration = {
  version: 12,
  name: 'places-and-words',
  sql: `
-- Countries in capitals; postcodes in capitals without blanks.
CREATE TABLE postcodes(
  country TEXT NOT NULL,
  postcode TEXT NOT NULL,
  lat REAL NOT NULL,
  lng REAL NOT NULL,
  PRIMARY KEY(country, postcode)
) STRICT;

-- The name of a collection in lower case, empty for the words that all share; languages and words in lower case.
CREATE TABLE dictionary_words(
  collection TEXT NOT NULL,
  lang TEXT NOT NULL,
  word TEXT NOT NULL,
  frequency INTEGER NOT NULL,
  PRIMARY KEY(collection, lang, word)
) STRICT;
`,
};
