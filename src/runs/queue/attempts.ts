import type { Queries, Row, Transaction } from '../../storage/index.ts';
import type { AttemptRecord, RunRecord, RunRef, StepRecord } from './port.ts';
import { isHeld, readHeld } from './run-rows.ts';

interface AttemptRow extends Row {
  readonly attempt: number;
  readonly ship_id: string;
  readonly started_at: number;
  readonly ended_at: number;
  readonly outcome: string;
  readonly git_commit: string | null;
  readonly steps: string | null;
}

/** Each time that the run was assigned, oldest first, including the current one. */
export async function attemptsOf(from: Queries, run: RunRecord): Promise<AttemptRecord[]> {
  const rows = await from.all<AttemptRow>(
    'SELECT a.attempt, a.ship_id, a.started_at, a.ended_at, a.outcome, a.git_commit, a.steps FROM attempts a JOIN ' +
      'runs r ON r.seq = a.seq WHERE r.id = ? ORDER BY a.fence',
    [run.id],
  );
  const ended = rows.map((row): AttemptRecord => ({
    attempt: row.attempt,
    shipId: row.ship_id,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    outcome: row.outcome,
    gitCommit: row.git_commit,
    steps: row.steps === null ? [] : (JSON.parse(row.steps) as StepRecord[]),
  }));
  if (!isHeld(run) || run.shipId === null || run.startedAt === null) return ended;
  return [...ended, {
    attempt: run.attempt,
    shipId: run.shipId,
    startedAt: run.startedAt,
    endedAt: null,
    outcome: null,
    gitCommit: run.gitCommit,
    steps: [],
  }];
}

/** All cells of a run use the commit that the first of them recorded, except cells that start at the same moment. */
async function shareSource(tx: Transaction, parentId: string, gitRef: string, commit: string): Promise<void> {
  const { changes } = await tx.run(
    'UPDATE runs SET git_ref = COALESCE(git_ref, ?), git_commit = ? WHERE id = ? AND git_commit IS NULL',
    [gitRef, commit, parentId],
  );
  if (changes === 1)
    await tx.run(
      "UPDATE runs SET git_ref = COALESCE(git_ref, ?), git_commit = ? WHERE parent_id = ? AND state = 'queued' " +
        'AND git_commit IS NULL',
      [gitRef, commit, parentId],
    );
}

/** The first commit stays: all attempts use the same one. */
export async function recordSource(tx: Transaction, ref: RunRef, shipId: string,
  { gitRef, commit }: { gitRef: string; commit: string }): Promise<'recorded' | 'fenced'>
{
  const row = await readHeld(tx, ref, shipId);
  if (row === undefined) return 'fenced';
  await tx.run('UPDATE runs SET git_ref = COALESCE(git_ref, ?), git_commit = COALESCE(git_commit, ?) WHERE seq = ?', [
    gitRef,
    commit,
    row.seq,
  ]);
  if (row.parent_id !== null) await shareSource(tx, row.parent_id, gitRef, commit);
  return 'recorded';
}
