/**
 * What names a document (contract section 2, identity rules).
 *
 * Lowercasing is Unicode's default one, which does not depend on a locale, so that a database means the same on every
 * machine. No part may contain a `|`, so the id can be split again.
 */
export interface Identity {
  /** Lowercased collection, key and lang, joined by `|`. */
  readonly id: string;
  /** Lowercased name of the collection. */
  readonly collection: string;
  /** As written. */
  readonly key: string;
  /** As written. */
  readonly lang: string;
}

export function identify(collection: string, key: string, lang: string): Identity {
  const name = collection.toLowerCase();
  return { id: `${name}|${key.toLowerCase()}|${lang.toLowerCase()}`, collection: name, key, lang };
}

/** The lowercased name of the collection in an id. */
export function collectionOfId(id: string): string {
  return id.slice(0, id.indexOf('|'));
}

/** Exclusive bounds of all ids of a collection: `}` is the character after `|`. */
export function idBounds(collection: string): [after: string, before: string] {
  const name = collection.toLowerCase();
  return [`${name}|`, `${name}}`];
}
