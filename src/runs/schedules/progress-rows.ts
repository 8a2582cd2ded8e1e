import type { Queries, Row, Transaction } from '../../storage/index.ts';
import type { Plan } from './plans.ts';

/** The progress of a schedule. */
export interface Progress {
  /** The last slot that was handled, in Unix seconds. */
  readonly slot: number;
  /** The interval or expression of the slots; when it changes, the schedule starts over. */
  readonly rule: string;
  readonly lastRun: string | null;
  readonly pausedBy: string | null;
  /** Unix seconds. */
  readonly pausedAt: number | null;
  /** Why the last slot queued no run; null if it queued one. */
  readonly skip: Skip | null;
}

/** A slot without a run; `at` in Unix seconds. */
export interface Skip {
  readonly at: number;
  readonly reason: string;
}

interface ProgressRow extends Row {
  readonly project_id: string;
  readonly what: string;
  readonly interval_ms: number;
  readonly slot: number;
  readonly rule: string;
  readonly last_run: string | null;
  readonly paused_by: string | null;
  readonly paused_at: number | null;
  readonly skipped_at: number | null;
  readonly skip_reason: string | null;
}

type Named = Pick<Plan, 'projectId' | 'name'>;

const keyOf = ({ projectId, name }: Named): string => `${name}:${projectId}`;

const columnsOf = (
  { times }: Plan,
): [intervalMs: number,
  rule: string] => ('cron' in times ? [0, `${times.cron} ${times.timezone}`] : [times.intervalMs, '']);

const ruleText = (intervalMs: number, rule: string): string => (rule === '' ? String(intervalMs) : rule);

/** As `Progress.rule` has it. */
export const ruleOf = (plan: Plan): string => ruleText(...columnsOf(plan));

/** Progress of all schedules; read each time, because another server may have paused one. */
export async function readProgress(from: Queries): Promise<(plan: Named) => Progress | undefined> {
  const rows = await from.all<ProgressRow>(
    'SELECT project_id, what, interval_ms, slot, rule, last_run, paused_by, paused_at, skipped_at, skip_reason ' +
      'FROM schedules',
  );
  const found = new Map(rows.map((row) => [`${row.what}:${row.project_id}`, toProgress(row)]));
  return (plan) => found.get(keyOf(plan));
}

/** What came of a slot. */
export interface SlotOutcome {
  /** Id of its run; the last run does not change if there is none. */
  readonly run?: string | undefined;
  /** Why there is none, which is shown until a slot queues one. */
  readonly skip?: Skip | undefined;
}

/** Records a slot as handled. A slot that nobody waited for, as before the first check, changes nothing else. */
export async function noteSlot(tx: Transaction, plan: Plan, slot: number,
  { run, skip }: SlotOutcome = {}): Promise<void>
{
  const [intervalMs, rule] = columnsOf(plan);
  await tx.run(`INSERT INTO schedules(project_id, what, interval_ms, slot, rule, last_run, skipped_at, skip_reason)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT(project_id, what) DO UPDATE SET interval_ms = excluded.interval_ms, slot = excluded.slot, rule = excluded.rule,
       last_run = COALESCE(excluded.last_run, schedules.last_run), skipped_at = excluded.skipped_at, skip_reason = excluded.skip_reason`,
    [plan.projectId, plan.name, intervalMs, slot, rule, run ?? null, skip?.at ?? null, skip?.reason ?? null]);
}

/** Records why a slot waits; it is handled later. The row must exist. */
export async function noteWaiting(tx: Transaction, { projectId, name }: Named, { at, reason }: Skip): Promise<void> {
  await tx.run('UPDATE schedules SET skipped_at = ?, skip_reason = ? WHERE project_id = ? AND what = ?', [at, reason,
    projectId, name]);
}

/** Records a run besides those of the slots. The row must exist. */
export async function noteRun(tx: Transaction, { projectId, name }: Named, runId: string): Promise<void> {
  await tx.run('UPDATE schedules SET last_run = ? WHERE project_id = ? AND what = ?', [runId, projectId, name]);
}

/** Null for both ends a pause. The row must exist. */
export async function notePause(tx: Transaction, { projectId, name }: Named, by: string | null,
  at: number | null): Promise<void>
{
  await tx.run('UPDATE schedules SET paused_by = ?, paused_at = ? WHERE project_id = ? AND what = ?', [by, at,
    projectId, name]);
}

function toProgress(row: ProgressRow): Progress {
  return {
    slot: row.slot,
    rule: ruleText(row.interval_ms, row.rule),
    lastRun: row.last_run,
    pausedBy: row.paused_by,
    pausedAt: row.paused_at,
    skip: row.skipped_at === null || row.skip_reason === null ? null : { at: row.skipped_at, reason: row.skip_reason },
  };
}
