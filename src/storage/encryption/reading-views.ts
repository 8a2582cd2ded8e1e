import { openBody, openMeta, openVector, openVectors } from './columns.ts';
import type { KeyRing } from './key-ring.ts';
import { SEALED_BLOB, SEALED_META } from './record.ts';
import { MUST_BE_SEALED, refusePlaintext } from './required.ts';

/** What a driver provides so that its connection reads encrypted values. */
export interface ViewHost {
  exec(sql: string): void;
  /** The first column of each row. */
  column(sql: string): readonly string[];
  define(name: string, fn: (...values: never[]) => string | Uint8Array): void;
}

/** Registers the functions that decrypt values; an error that they throw fails the query. */
export function defineOpeners(host: ViewHost, ring: KeyRing): void {
  host.define('quire_open_body', (stored: Uint8Array, id: string) => openBody(ring, id, stored));
  host.define('quire_open_meta', (stored: string, id: string) => openMeta(ring, id, stored));
  host.define('quire_open_vectors', (stored: Uint8Array, id: string) => openVectors(ring, id, stored));
  host.define('quire_open_vector',
    (stored: Uint8Array, ord: number, space: string, chunk: number) => openVector(ring, { ord, space, chunk }, stored));
  host.define('quire_refuse_plaintext', refusePlaintext);
}

/**
 * Creates views over the tables, on a connection that only reads: a query on `documents`, `revisions` or `vectors`
 * finds decrypted values, as does one on the revisions of deleted documents. The views are temporary and have the names
 * of the tables, which `main.` still reaches. SQLite flattens them, so that plain rows are found by the same indexes,
 * and a value is decrypted only if its column is selected. Columns are those that the tables have now: create the views
 * again after a change of the schema.
 */
export function layViews(host: ViewHost): void {
  // The index was added by the format that introduced encryption: before it, nothing can be encrypted.
  if (host.column("SELECT name FROM main.sqlite_master WHERE name = 'documents_sealed'").length === 0) return;
  const ofDocument = (column: string): string => `(SELECT d.${column} FROM main.documents d WHERE d.ord = t.ord)`;
  // A plaintext value was written before the collection was encrypted, or was not written by this service.
  const plain = (column: string, cid: string): string =>
    `WHEN ${column} IS NOT NULL AND ${MUST_BE_SEALED(cid)} THEN quire_refuse_plaintext() ELSE ${column} END`;
  const version = (id: string, cid: string): Readonly<Record<string, string>> => ({
    meta: `CASE WHEN ${SEALED_META('t.meta')} THEN quire_open_meta(t.meta, ${id}) ${plain('t.meta', cid)}`,
    body: `CASE WHEN ${SEALED_BLOB('t.body')} THEN quire_open_body(t.body, ${id}) ${plain('t.body', cid)}`,
    vectors: `CASE WHEN ${SEALED_BLOB('t.vectors')} THEN quire_open_vectors(t.vectors, ${id}) ${
      plain('t.vectors', cid)
    }`,
  });
  host.exec(view(host, 'documents', version('t.id', 't.cid')));
  host.exec(view(host, 'revisions', version(ofDocument('id'), ofDocument('cid'))));
  if (host.column("SELECT name FROM main.sqlite_master WHERE name = 'deleted_revisions'").length > 0) {
    const ofDeleted = (column: string): string =>
      `(SELECT n.${column} FROM main.deleted_documents n WHERE n.ord = t.ord)`;
    host.exec(view(host, 'deleted_revisions', version(ofDeleted('id'), ofDeleted('cid'))));
  }
  host.exec(view(host, 'vectors', {
    vector: `CASE WHEN ${SEALED_BLOB('t.vector')} THEN quire_open_vector(t.vector, t.ord, t.space, t.chunk) ${
      plain('t.vector', ofDocument('cid'))
    }`,
  }));
}

/** Removes the views. */
export function liftViews(host: ViewHost): void {
  for (const table of ['documents', 'revisions', 'deleted_revisions', 'vectors'])
    host.exec(`DROP VIEW IF EXISTS temp.${table}`);
}

function view(host: ViewHost, table: string, opened: Readonly<Record<string, string>>): string {
  const columns = host.column(`SELECT name FROM pragma_table_info('${table}', 'main') ORDER BY cid`);
  return `CREATE TEMP VIEW ${table} AS SELECT ${
    columns.map((name) => `${opened[name] ?? `t."${name}"`} AS "${name}"`).join(', ')
  } FROM main.${table} t`;
}
