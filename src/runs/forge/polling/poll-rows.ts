import type { Queries, Transaction } from '../../../storage/index.ts';

/** How git was last asked for what is new in a project. */
export interface Poll {
  /** Unix seconds. */
  readonly at: number;
  /** Why that failed; empty if it did not. */
  readonly error: string;
}

/** Undefined if the project was never polled. */
export async function readPoll(from: Queries, projectId: string): Promise<Poll | undefined> {
  const row = await from.get<{ polled_at: number; error: string }>(
    'SELECT polled_at, error FROM forge_polls WHERE project_id = ?',
    [projectId],
  );
  return row && { at: row.polled_at, error: row.error };
}

export async function notePoll(tx: Transaction, projectId: string, { at, error }: Poll): Promise<void> {
  await tx.run(
    'INSERT INTO forge_polls(project_id, polled_at, error) VALUES (?, ?, ?) ON CONFLICT(project_id) DO UPDATE SET ' +
      'polled_at = excluded.polled_at, error = excluded.error',
    [projectId, at, error],
  );
}
