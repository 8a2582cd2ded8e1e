import type { Queries, Transaction } from '../../storage/index.ts';
import type { Completion } from './port.ts';
import { partOf, type RunRow } from './run-rows.ts';

/** Most characters of the summaries of all parts of a run together. */
const MAX_LENGTH = 65_536;

/**
 * Stores what the steps have written for people. A run with approval steps reports each of its parts, whose texts
 * follow each other; another attempt starts over.
 */
export async function storeSummary(tx: Transaction, row: RunRow, { summary }: Completion): Promise<void> {
  const isFirst = partOf(row) === 0;
  if (summary === undefined) {
    if (isFirst && row.attempt > 1) await tx.run('DELETE FROM run_summaries WHERE seq = ?', [row.seq]);
    return;
  }
  const before = isFirst
    ? undefined
    : await tx.get<{ body: string }>('SELECT body FROM run_summaries WHERE seq = ?', [row.seq]);
  const body = before === undefined ? summary : `${before.body}\n\n${summary}`.slice(0, MAX_LENGTH);
  await tx.run('INSERT INTO run_summaries(seq, body) VALUES (?, ?) ON CONFLICT(seq) DO UPDATE SET body = excluded.body',
    [row.seq, body]);
}

export async function readSummary(from: Queries, id: string): Promise<string | undefined> {
  const row = await from.get<{ body: string }>(
    'SELECT s.body FROM run_summaries s JOIN runs r ON r.seq = s.seq WHERE r.id = ?',
    [id],
  );
  return row?.body;
}
