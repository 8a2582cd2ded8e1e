import { ServiceError } from '../../errors/index.ts';
import type { Log } from '../../lib/log.ts';
import type { ColumnDocument } from '../../search/columns/index.ts';
import { inList, type Queries, type Row, type SqlValue } from '../../storage/index.ts';
import { COLLECTION_ID } from '../stored-collections.ts';
import { andInPartition, type Partition } from '../view/index.ts';

interface DocumentRow extends Row {
  readonly ord: number;
  readonly key: string;
  readonly lang: string;
  /** Canonical JSON; for encrypted collections it is decrypted when read. */
  readonly meta: string;
  readonly added_at: number;
  readonly updated_at: number;
  readonly expires_at: number | null;
}

/** Number of documents that one statement reads; their metadata may be large. */
const STEP = 256;

interface DocumentSource {
  readonly queries: Queries;
  readonly log: Pick<Log, 'warn'>;
}

/** The documents of some ordinals; removed ones are left out. */
export async function* documentsOf(source: DocumentSource, ords: readonly number[]): AsyncGenerator<ColumnDocument> {
  for (let i = 0; i < ords.length; i += STEP) {
    const { marks, params } = inList(ords.slice(i, i + STEP));
    const rows = await read(source, `WHERE ord IN (${marks}) ORDER BY ord`, params);
    yield* rows.map(toDocument);
  }
}

/**
 * All documents of a partition, expired ones included. Pages are ordered by creation time, which never changes, so
 * every document that is not written meanwhile occurs exactly once, and ordinals mostly ascend.
 */
export async function* allDocuments(source: DocumentSource, partition: Partition): AsyncGenerator<ColumnDocument> {
  const { collection } = partition;
  const inCollection = `WHERE cid = ${COLLECTION_ID} ${andInPartition(partition)}`;
  const later = `${inCollection} AND added_at > ? ORDER BY added_at, ord LIMIT ${STEP}`;
  // A separate query, because the index finds the position within a second only if the second is given: many documents
  // may share one.
  const sameSecond = `${inCollection} AND added_at = ? AND ord > ? ORDER BY ord LIMIT ${STEP}`;
  for (let second = Number.MIN_SAFE_INTEGER;;) {
    let rows = await read(source, later, [collection, second]);
    if (rows.length === 0) return;
    second = rows.at(-1)!.added_at;
    while (rows.length > 0) {
      yield* rows.map(toDocument);
      rows = await read(source, sameSecond, [collection, second, rows.at(-1)!.ord]);
    }
  }
}

/**
 * One value that cannot be decrypted fails the whole statement: then each document is read separately, and metadata
 * that cannot be decrypted are left out.
 */
async function read({ queries, log }: DocumentSource, where: string,
  params: readonly SqlValue[]): Promise<DocumentRow[]>
{
  const select = (meta: string) =>
    queries.all<DocumentRow>(`SELECT ord, key, lang, ${meta}, added_at, updated_at, expires_at FROM documents ${where}`,
      params);
  try {
    return await select('meta');
  } catch (error) {
    if (!isUnreadable(error)) throw error;
  }
  const rows: DocumentRow[] = [];
  for (const row of await select("'{}' AS meta")) {
    const meta = await metaOf(queries, row.ord).catch((error: unknown) => {
      if (!isUnreadable(error)) throw error;
      log.warn({ err: error, ord: row.ord }, 'the metadata of a document cannot be read; no filter finds it by them');
      return undefined;
    });
    rows.push(meta === undefined ? row : { ...row, meta });
  }
  return rows;
}

/** Undefined for a document that was removed. */
async function metaOf(queries: Queries, ord: number): Promise<string | undefined> {
  return (await queries.get<{ meta: string }>('SELECT meta FROM documents WHERE ord = ?', [ord]))?.meta;
}

/** Any failure of a statement except a failure of the database itself, which is temporary. */
function isUnreadable(error: unknown): boolean {
  return !(error instanceof ServiceError) || error.code !== 'unavailable';
}

function toDocument(
  { ord, key, lang, meta, added_at: addedAt, updated_at: updatedAt, expires_at: expiresAt }: DocumentRow,
): ColumnDocument {
  return {
    ord,
    key,
    lang,
    addedAt,
    updatedAt,
    expiresAt: expiresAt ?? undefined,
    meta: JSON.parse(meta) as Record<string, string[]>,
  };
}
