import type { Queries, Row, Sql } from '../port.ts';
import { HEAD_BYTES, keyIdOfHead, SEALED_BLOB, SEALED_META } from './record.ts';

/** The place of a value that may be encrypted. */
export interface StoredRow {
  readonly table: 'documents' | 'revisions' | 'deleted_revisions' | 'vectors';
  readonly ord: number;
  /** Timestamp of the revision, or number of the vector's chunk; 0 for a document. */
  readonly part: number;
  /** Of a vector; empty for others. */
  readonly space: string;
  readonly bytes: number;
  /** The key of each value of the row that may be encrypted; undefined for plaintext. */
  readonly keyIds: readonly (number | undefined)[];
  /** Whether the rows of its table are listed for the second time. */
  readonly isAgain: boolean;
}

/** Number of base64 characters that hold a record up to its key. */
export const HEAD_CHARS = Math.ceil(HEAD_BYTES / 3) * 4;

const metaHead = (column: string) => `substr(${column}, 1, ${HEAD_CHARS})`;
const blobHead = (column: string) => `substr(${column}, 1, ${HEAD_BYTES})`;
const sizes = (table: string) =>
  `length(${table}meta) + coalesce(length(${table}body), 0) + coalesce(length(${table}vectors), 0)`;

/**
 * The values as they are stored, even if the connection has views; revisions that share their document's values have
 * none.
 */
const ROWS = {
  documents: `
    SELECT ord, 0 AS part, '' AS space, ${sizes('')} AS bytes, ${metaHead('meta')} AS text, ${
    blobHead('body')
  } AS head, ${blobHead('vectors')} AS vectors_head
    FROM main.documents WHERE cid = ? ORDER BY ord`,
  revisions: `
    SELECT r.ord, r.ts AS part, '' AS space, ${sizes('r.')} AS bytes, ${metaHead('r.meta')} AS text, ${
    blobHead('r.body')
  } AS head, ${blobHead('r.vectors')} AS vectors_head
    FROM main.documents d JOIN main.revisions r ON r.ord = d.ord WHERE d.cid = ? AND r.meta IS NOT NULL ORDER BY r.ord, r.ts`,
  deleted_revisions: `
    SELECT r.ord, r.ts AS part, '' AS space, ${sizes('r.')} AS bytes, ${metaHead('r.meta')} AS text, ${
    blobHead('r.body')
  } AS head, ${blobHead('r.vectors')} AS vectors_head
    FROM main.deleted_documents n JOIN main.deleted_revisions r ON r.ord = n.ord WHERE n.cid = ? ORDER BY r.ord, r.ts`,
  vectors: `
    SELECT v.ord, v.chunk AS part, v.space, length(v.vector) AS bytes, NULL AS text, ${
    blobHead('v.vector')
  } AS head, NULL AS vectors_head
    FROM main.embeddings e JOIN main.vectors v ON v.ord = e.ord AND v.space = e.space WHERE e.cid = ?
    ORDER BY v.ord, v.space, v.chunk`,
} as const;

interface HeadRow extends Row {
  readonly ord: number;
  readonly part: number;
  readonly space: string;
  readonly bytes: number;
  readonly text: string | null;
  readonly head: Uint8Array | null;
  readonly vectors_head: Uint8Array | null;
}

/**
 * A deletion moves the versions of a document to the deleted ones, and a restore moves them back. So that none is
 * missed that moves while rows are listed, the deleted ones are listed before and after the others.
 */
const ORDER = ['deleted_revisions', 'documents', 'revisions', 'deleted_revisions', 'vectors'] as const;

/** All rows of a collection with values that may be encrypted, in batches; each table is read from one snapshot. */
export async function* storedRows(sql: Sql, cid: number): AsyncGenerator<StoredRow[]> {
  for (const [i, table] of ORDER.entries()) {
    const isAgain = ORDER.indexOf(table) < i;
    for await (const rows of sql.stream<HeadRow>(ROWS[table], [cid])) {
      yield rows.map(({ ord, part, space, bytes, text, head, vectors_head: vectors }) => ({
        table,
        ord,
        part,
        space,
        bytes,
        isAgain,
        keyIds: [...(text === null ? [] : [keyIdOfText(text)]), ...[head, vectors].filter((each) =>
          each !== null
        ).map(keyIdOfHead)],
      }));
    }
  }
}

/** The key of encrypted metadata; undefined for plaintext. */
export function keyIdOfText(text: string): number | undefined {
  return keyIdOfHead(Buffer.from(text.slice(0, HEAD_CHARS), 'base64'));
}

/** Number of values of a collection under one key; `keyId` is undefined for plaintext. */
export interface KeyCount {
  readonly cid: number;
  readonly keyId: number | undefined;
  readonly values: number;
}

const keyOfBlob = (column: string) => `CASE WHEN ${SEALED_BLOB(column)} THEN ${blobHead(column)} END`;
const keyOfMeta = (column: string) => `CASE WHEN ${SEALED_META(column)} THEN ${metaHead(column)} END`;

const ofDocuments = (column: 'body' | 'vectors') =>
  `SELECT cid, ${
    keyOfBlob(column)
  } AS head, count(*) AS n FROM main.documents WHERE ${column} IS NOT NULL GROUP BY 1, 2`;
const ofRevisions = (column: 'body' | 'vectors') =>
  `SELECT d.cid, ${
    keyOfBlob(`r.${column}`)
  } AS head, count(*) AS n FROM main.revisions r JOIN main.documents d ON d.ord = r.ord WHERE r.${column} IS NOT NULL GROUP BY 1, 2`;
const ofDeleted = (column: 'body' | 'vectors') =>
  `SELECT n.cid, ${
    keyOfBlob(`r.${column}`)
  } AS head, count(*) AS n FROM main.deleted_revisions r JOIN main.deleted_documents n ON n.ord = r.ord WHERE r.${column} IS NOT NULL GROUP BY 1, 2`;

/** Metadata are grouped by a prefix that contains a part of the nonce, so there are several rows for each key. */
const COUNTS = [`SELECT cid, ${keyOfMeta('meta')} AS head, count(*) AS n FROM main.documents GROUP BY 1, 2`,
  ofDocuments('body'), ofDocuments('vectors'),
  `SELECT d.cid, ${
    keyOfMeta('r.meta')
  } AS head, count(*) AS n FROM main.revisions r JOIN main.documents d ON d.ord = r.ord WHERE r.meta IS NOT NULL GROUP BY 1, 2`,
  ofRevisions('body'), ofRevisions('vectors'),
  `SELECT n.cid, ${
    keyOfMeta('r.meta')
  } AS head, count(*) AS n FROM main.deleted_revisions r JOIN main.deleted_documents n ON n.ord = r.ord GROUP BY 1, 2`,
  ofDeleted('body'), ofDeleted('vectors'),
  `SELECT e.cid, ${
    keyOfBlob('v.vector')
  } AS head, count(*) AS n FROM main.vectors v JOIN main.embeddings e ON e.ord = v.ord AND e.space = v.space GROUP BY 1, 2`];

/** Reads the whole database: pass `sql.background`. */
export async function countKeys(queries: Queries): Promise<KeyCount[]> {
  const counts: KeyCount[] = [];
  for (const query of COUNTS) {
    const rows = await queries.all<{ cid: number; head: string | Uint8Array | null; n: number }>(query);
    counts.push(...rows.map(({ cid, head, n }) => ({ cid, keyId: toKeyId(head), values: n })));
  }
  return counts;
}

function toKeyId(head: string | Uint8Array | null): number | undefined {
  if (head === null) return undefined;
  return typeof head === 'string' ? keyIdOfText(head) : keyIdOfHead(head);
}
