import type { Queries, Transaction } from '../../storage/index.ts';

/** How often a document was read. */
export interface Reads {
  readonly docId: string;
  readonly collection: string;
  readonly reads: number;
  /** Unix seconds. */
  readonly lastAt: number;
}

export async function addReads(tx: Transaction, entries: readonly Reads[]): Promise<void> {
  await tx.runMany(`INSERT INTO temporal_hot(doc_id, collection, reads, last_at) VALUES (?, ?, ?, ?)
     ON CONFLICT(doc_id) DO UPDATE SET reads = temporal_hot.reads + excluded.reads,
       last_at = CASE WHEN excluded.last_at > temporal_hot.last_at THEN excluded.last_at ELSE temporal_hot.last_at END`,
    entries.map(({ docId, collection, reads, lastAt }) => [docId, collection, reads, lastAt]));
}

export interface HotRow extends Reads {
  /** In its last spelling. */
  readonly key: string;
  readonly lang: string;
}

/** The documents with the most reads, of those that exist. */
export async function readHot(queries: Queries,
  { collection, since, now, limit }: { collection: string; since: number; now: number; limit: number }
): Promise<HotRow[]> {
  const rows = await queries.all<{ doc_id: string; reads: number; last_at: number; key: string; lang: string }>(
    `SELECT h.doc_id, h.reads, h.last_at, d.key, d.lang FROM temporal_hot h JOIN documents d ON d.id = h.doc_id
     WHERE h.collection = ? AND h.last_at >= ? AND (d.expires_at IS NULL OR d.expires_at > ?) ORDER BY h.reads DESC, h.last_at DESC LIMIT ?`,
    [collection, since, now, limit],
  );
  return rows.map(({ doc_id: docId, reads, last_at: lastAt, key, lang }) => ({
    docId,
    collection,
    reads,
    lastAt,
    key,
    lang,
  }));
}

export async function forgetReads(tx: Transaction, docIds: readonly string[]): Promise<void> {
  await tx.runMany('DELETE FROM temporal_hot WHERE doc_id = ?', docIds.map((id) => [id]));
}
