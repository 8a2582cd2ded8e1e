import type { Queries, Row, Transaction } from '../../../storage/index.ts';

interface IssueRow extends Row {
  readonly project_id: string;
  readonly number: number;
  readonly labelling: number;
  readonly is_labelled: number;
  readonly changed_ms: number;
  readonly delivery: string;
  readonly attempts: number;
}

/** An issue for whose label no run is queued yet. */
export interface DueIssue {
  readonly projectId: string;
  readonly number: number;
  /** How often the label was added. */
  readonly labelling: number;
  readonly delivery: string;
  readonly attempts: number;
}

/** For so long after a label was found without its own event, a webhook tells of the same labelling. */
const SAME_LABELLING_MS = 15 * 60_000;

const find = (from: Queries, projectId: string, number: number): Promise<IssueRow | undefined> =>
  from.get<IssueRow>('SELECT * FROM forge_issues WHERE project_id = ? AND number = ?', [projectId, number]);

async function label(tx: Transaction, projectId: string, number: number, delivery: string,
  nowMs: number): Promise<void>
{
  await tx.run(
    `INSERT INTO forge_issues(project_id, number, labelling, is_labelled, changed_ms, delivery, state, attempts, next_ms)
     VALUES (?, ?, 1, 1, ?, ?, 'due', 0, 0) ON CONFLICT(project_id, number) DO UPDATE SET labelling = forge_issues.labelling + 1, is_labelled = 1,
     changed_ms = excluded.changed_ms, delivery = excluded.delivery, state = 'due', attempts = 0, next_ms = 0`,
    [projectId, number, nowMs, delivery],
  );
}

/** Whether an issue is known to have the label. */
export async function isNoted(from: Queries, projectId: string, number: number): Promise<boolean> {
  return (await find(from, projectId, number))?.is_labelled === 1;
}

/**
 * A webhook has told that the label was added; `delivery` is '' if it only told that the issue has the label. A
 * repeated delivery changes nothing.
 */
export async function noteLabelled(tx: Transaction, projectId: string, number: number, delivery: string,
  nowMs: number): Promise<void>
{
  const known = await find(tx, projectId, number);
  if (delivery !== '' && known?.delivery === delivery) return;
  const isFound = known?.is_labelled === 1 && known.delivery === '' && nowMs - known.changed_ms < SAME_LABELLING_MS;
  if (!isFound) return label(tx, projectId, number, delivery, nowMs);
  await tx.run('UPDATE forge_issues SET delivery = ? WHERE project_id = ? AND number = ?', [delivery, projectId,
    number]);
}

export async function noteUnlabelled(tx: Transaction, projectId: string, number: number, nowMs: number): Promise<void> {
  await tx.run('UPDATE forge_issues SET is_labelled = 0, changed_ms = ? WHERE project_id = ? AND number = ?', [nowMs,
    projectId, number]);
}

/**
 * Polling has found that these issues have the label, and no others. What has changed since the request, which was made
 * at `askedMs`, stays; so do issues beyond the list if it `isCut`.
 */
export async function noteFound(tx: Transaction, projectId: string, numbers: readonly number[],
  { askedMs, isCut, nowMs }: { readonly askedMs: number; readonly isCut: boolean; readonly nowMs: number }
): Promise<void> {
  const rows = await tx.all<IssueRow>('SELECT * FROM forge_issues WHERE project_id = ?', [projectId]);
  const known = new Map(rows.map((row) => [row.number, row]));
  for (const number of numbers) {
    const row = known.get(number);
    if (row === undefined || (row.is_labelled === 0 && row.changed_ms < askedMs))
      await label(tx, projectId, number, '', nowMs);
  }
  if (isCut) return;
  const found = new Set(numbers);
  for (const { number, is_labelled: isLabelled, changed_ms: changedMs } of rows)
    if (isLabelled === 1 && !found.has(number) && changedMs < askedMs)
      await noteUnlabelled(tx, projectId, number, nowMs);
}

export async function dueIssues(from: Queries, nowMs: number, limit: number): Promise<DueIssue[]> {
  const rows = await from.all<IssueRow>(
    "SELECT * FROM forge_issues WHERE state = 'due' AND next_ms <= ? ORDER BY next_ms LIMIT ?",
    [nowMs, limit],
  );
  return rows.map((row) => ({
    projectId: row.project_id,
    number: row.number,
    labelling: row.labelling,
    delivery: row.delivery,
    attempts: row.attempts,
  }));
}

/** Another labelling meanwhile stays due. */
export async function settleIssue(tx: Transaction, { projectId, number, labelling }: DueIssue,
  state: 'queued' | 'refused'): Promise<void>
{
  await tx.run('UPDATE forge_issues SET state = ? WHERE project_id = ? AND number = ? AND labelling = ?', [state,
    projectId, number, labelling]);
}

export async function delayIssue(tx: Transaction, { projectId, number, labelling }: DueIssue,
  nextMs: number): Promise<void>
{
  await tx.run(
    'UPDATE forge_issues SET attempts = attempts + 1, next_ms = ? WHERE project_id = ? AND number = ? AND ' +
      'labelling = ?',
    [nextMs, projectId, number, labelling],
  );
}
