import { openBody, openMeta, openVector } from './columns.ts';
import type { KeyRing } from './key-ring.ts';
import { SEALED_BLOB, SEALED_META } from './record.ts';
import { MUST_BE_SEALED, refusePlaintext } from './required.ts';

/** What a driver offers to make its connection read sealed values. */
export interface ViewHost {
  exec(sql: string): void;
  /** First column of the rows. */
  column(sql: string): readonly string[];
  define(name: string, fn: (...values: never[]) => string | Uint8Array): void;
}

/** Makes the functions known that open sealed values; what they throw is the failure of the query. */
export function defineOpeners(host: ViewHost, ring: KeyRing): void {
  host.define('quire_open_body', (stored: Uint8Array, id: string) => openBody(ring, id, stored));
  host.define('quire_open_meta', (stored: string, id: string) => openMeta(ring, id, stored));
  host.define('quire_open_vector', (stored: Uint8Array, ord: number, chunk: number) => openVector(ring, ord, chunk, stored));
  host.define('quire_refuse_plaintext', refusePlaintext);
}

/**
 * Lays views over the tables, on a connection that only reads: who selects from `documents`, `revisions`
 * or `vectors` finds opened values, as in the revisions of deleted documents. The views are temporary and have the names of
 * the tables, which `main.` still reaches; SQLite takes them apart, so that plain rows are found by the same indexes as ever,
 * and a sealed value is opened only where its column is asked for.
 * Columns are those that the tables have now: after a change of the schema, lay them anew.
 */
export function layViews(host: ViewHost): void {
  // The index comes with the format that knows encryption: before it, nothing can be sealed.
  if (host.column("SELECT name FROM main.sqlite_master WHERE name = 'documents_sealed'").length === 0) return;
  const ofDocument = (column: string): string => `(SELECT d.${column} FROM main.documents d WHERE d.ord = t.ord)`;
  const idOfRevision = ofDocument('id');
  // Whatever is there in the clear was there before the collection was encrypted, or is not ours.
  const plain = (column: string, cid: string): string => `WHEN ${column} IS NOT NULL AND ${MUST_BE_SEALED(cid)} THEN quire_refuse_plaintext() ELSE ${column} END`;
  host.exec(view(host, 'documents', {
    meta: `CASE WHEN ${SEALED_META('t.meta')} THEN quire_open_meta(t.meta, t.id) ${plain('t.meta', 't.cid')}`,
    body: `CASE WHEN ${SEALED_BLOB('t.body')} THEN quire_open_body(t.body, t.id) ${plain('t.body', 't.cid')}`,
  }));
  host.exec(view(host, 'revisions', {
    meta: `CASE WHEN ${SEALED_META('t.meta')} THEN quire_open_meta(t.meta, ${idOfRevision}) ${plain('t.meta', ofDocument('cid'))}`,
    body: `CASE WHEN ${SEALED_BLOB('t.body')} THEN quire_open_body(t.body, ${idOfRevision}) ${plain('t.body', ofDocument('cid'))}`,
  }));
  if (host.column("SELECT name FROM main.sqlite_master WHERE name = 'deleted_revisions'").length > 0) {
    const ofDeleted = (column: string): string => `(SELECT n.${column} FROM main.deleted_documents n WHERE n.ord = t.ord)`;
    host.exec(view(host, 'deleted_revisions', {
      meta: `CASE WHEN ${SEALED_META('t.meta')} THEN quire_open_meta(t.meta, ${ofDeleted('id')}) ${plain('t.meta', ofDeleted('cid'))}`,
      body: `CASE WHEN ${SEALED_BLOB('t.body')} THEN quire_open_body(t.body, ${ofDeleted('id')}) ${plain('t.body', ofDeleted('cid'))}`,
    }));
  }
  host.exec(view(host, 'vectors', {
    vector: `CASE WHEN ${SEALED_BLOB('t.vector')} THEN quire_open_vector(t.vector, t.ord, t.chunk) ${plain('t.vector', ofDocument('cid'))}`,
  }));
}

/** Uncovers the tables again. */
export function liftViews(host: ViewHost): void {
  for (const table of ['documents', 'revisions', 'deleted_revisions', 'vectors']) host.exec(`DROP VIEW IF EXISTS temp.${table}`);
}

function view(host: ViewHost, table: string, opened: Readonly<Record<string, string>>): string {
  const columns = host.column(`SELECT name FROM pragma_table_info('${table}', 'main') ORDER BY cid`);
  return `CREATE TEMP VIEW ${table} AS SELECT ${columns.map((name) => `${opened[name] ?? `t."${name}"`} AS "${name}"`).join(', ')} FROM main.${table} t`;
}
