import type { ColumnDocument } from '../../search/columns/index.ts';
import type { Queries, Row } from '../../storage/index.ts';

interface DocumentRow extends Row {
  readonly ord: number;
  readonly key: string;
  readonly lang: string;
  /** Canonical JSON; readers find that of encrypted collections opened. */
  readonly meta: string;
  readonly added_at: number;
  readonly updated_at: number;
  readonly expires_at: number | null;
}

/** Documents read by one statement; their metadata may be large. */
const STEP = 256;

const COLUMNS = 'ord, key, lang, meta, added_at, updated_at, expires_at';

/** The documents of some ordinals; those that are gone are left out. */
export async function* documentsOf(queries: Queries, ords: readonly number[]): AsyncGenerator<ColumnDocument> {
  for (let i = 0; i < ords.length; i += STEP) {
    const some = ords.slice(i, i + STEP);
    const rows = await queries.all<DocumentRow>(`SELECT ${COLUMNS} FROM documents WHERE ord IN (${some.map(() => '?').join(', ')}) ORDER BY ord`, some);
    yield* rows.map(toDocument);
  }
}

/**
 * All documents of a collection, expired ones included. Pages go by the time of addition, which never changes, so that
 * every document that nobody writes meanwhile comes exactly once, and ordinals mostly ascend.
 */
export async function* allDocuments(queries: Queries, collection: string): AsyncGenerator<ColumnDocument> {
  const page = `
    SELECT ${COLUMNS} FROM documents
    WHERE cid = (SELECT id FROM collections WHERE name = ?) AND (added_at, ord) > (?, ?) ORDER BY added_at, ord LIMIT ${STEP}`;
  for (let after: DocumentRow | undefined, isMore = true; isMore;) {
    const rows: DocumentRow[] = await queries.all<DocumentRow>(page, [collection, after?.added_at ?? Number.MIN_SAFE_INTEGER, after?.ord ?? 0]);
    yield* rows.map(toDocument);
    after = rows.at(-1);
    isMore = rows.length === STEP;
  }
}

function toDocument({ ord, key, lang, meta, added_at: addedAt, updated_at: updatedAt, expires_at: expiresAt }: DocumentRow): ColumnDocument {
  return { ord, key, lang, addedAt, updatedAt, expiresAt: expiresAt ?? undefined, meta: JSON.parse(meta) as Record<string, string[]> };
}
