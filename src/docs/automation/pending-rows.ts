import type { Queries, Transaction } from '../../storage/index.ts';
import { inList } from '../documents/index.ts';
import type { ServiceEvent } from '../events/index.ts';

/** An event whose document waits for its vectors, or has them. */
export interface PendingEvent {
  readonly lsn: number;
  readonly event: ServiceEvent;
}

export async function addPending(tx: Transaction, event: ServiceEvent, isReady: boolean): Promise<void> {
  await tx.run(
    'INSERT INTO automation_pending(lsn, doc_id, ready, event) VALUES (?, ?, ?, ?) ON CONFLICT(lsn) DO NOTHING',
    [event.seq, event.docId, Number(isReady), JSON.stringify(event)],
  );
}

/** Marks the events of a document that has the vectors of its current body. */
export async function markReady(tx: Transaction, docId: string): Promise<void> {
  await tx.run('UPDATE automation_pending SET ready = 1 WHERE doc_id = ?', [docId]);
}

export async function forgetPendingOf(tx: Transaction, docId: string): Promise<void> {
  await tx.run('DELETE FROM automation_pending WHERE doc_id = ?', [docId]);
}

/** The oldest events whose documents have their vectors. */
export async function readReady(queries: Queries, limit: number): Promise<PendingEvent[]> {
  const rows = await queries.all<{ lsn: number; event: string }>(
    'SELECT lsn, event FROM automation_pending WHERE ready = 1 ORDER BY lsn LIMIT ?',
    [limit],
  );
  return rows.map(({ lsn, event }) => ({ lsn, event: JSON.parse(event) as ServiceEvent }));
}

export async function removePending(tx: Transaction, lsns: readonly number[]): Promise<void> {
  const { marks, params } = inList(lsns);
  await tx.run(`DELETE FROM automation_pending WHERE lsn IN (${marks})`, params);
}

/** Whether a document has vectors of its current body. */
export async function hasCurrentVectors(queries: Queries, ord: number): Promise<boolean> {
  return (await queries.get(
    'SELECT 1 AS one FROM documents d JOIN embeddings e ON e.ord = d.ord WHERE d.ord = ? AND d.crc = e.crc AND ' +
      'd.bytes = e.bytes',
    [ord],
  )) !== undefined;
}
