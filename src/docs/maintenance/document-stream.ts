import type { Document } from '../../../generated/docs/sdk/types.gen.ts';
import { unixSeconds } from '../../lib/clock.ts';
import type { Row, SqlValue } from '../../storage/index.ts';
import type { DocsEnvironment } from '../environment.ts';

export interface Selection {
  readonly collection: string;
  /** Values of one key are alternatives, different keys must all match. */
  readonly filterMeta?: Readonly<Record<string, readonly string[]>>;
}

interface DocumentRow extends Row {
  readonly id: string;
  readonly key: string;
  readonly lang: string;
  readonly meta: string;
  readonly added_at: number;
  readonly updated_at: number;
  readonly expires_at: number | null;
  readonly body: Uint8Array;
}

/** Rows in memory at once; bodies may be large. */
const BATCH = 32;

/**
 * The documents of a collection as they stand now, ordered by id, one at a time: the next is decoded
 * when it is asked for. Expired ones are left out (decisions section 3.1).
 */
export async function* streamDocuments({ sql, codec, clock }: Pick<DocsEnvironment, 'sql' | 'codec' | 'clock'>, selection: Selection): AsyncGenerator<Document> {
  const { text, params } = query(selection, unixSeconds(clock));
  for await (const rows of sql.stream<DocumentRow>(text, params, { batch: BATCH })) {
    for (const row of rows) yield toDocument(row, await codec.decodeAsync(row.body));
  }
}

/** Ids begin with the collection and `|`, whose successor is `}`, so the unique index gives the order for nothing. */
function query({ collection, filterMeta = {} }: Selection, now: number): { text: string; params: SqlValue[] } {
  const name = collection.toLowerCase();
  const filters = Object.entries(filterMeta);
  const text = `
    SELECT id, key, lang, meta, added_at, updated_at, expires_at, body FROM documents d
    WHERE id > ? AND id < ? AND (expires_at IS NULL OR expires_at > ?)${filters.map(([, values]) => ` AND ${filterOf(values)}`).join('')}
    ORDER BY id`;
  return { text, params: [`${name}|`, `${name}}`, now, ...filters.flatMap(([key, values]) => (values.length > 0 ? [key, ...values] : []))] };
}

/** A key without values matches nothing: there is no alternative to match. */
function filterOf(values: readonly string[]): string {
  if (values.length === 0) return '1 = 0';
  return `EXISTS (SELECT 1 FROM doc_meta m WHERE m.cid = d.cid AND m.k = ? AND m.v IN (${values.map(() => '?').join(', ')}) AND m.ord = d.ord)`;
}

function toDocument(row: DocumentRow, contentMd: string): Document {
  return {
    id: row.id,
    key: row.key,
    lang: row.lang,
    meta: JSON.parse(row.meta) as Record<string, string[]>,
    contentMd,
    addedAt: row.added_at,
    updatedAt: row.updated_at,
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
  };
}
