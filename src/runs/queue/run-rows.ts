import { inList, MultiRow, type Queries, type Row, type SqlValue, type Transaction } from '../../storage/index.ts';
import type { CellValues } from '../config/index.ts';
import type { Concurrency } from '../definitions/index.ts';
import type { Approval, RunFailure, RunKind, RunOrigin, RunRecord, RunRef, RunSource, RunState,
  WaitsFor } from './port.ts';

/** A row of `runs`; the migration describes its columns. */
export interface RunRow extends Row {
  seq: number;
  id: string;
  project_id: string;
  kind: RunKind;
  task: string;
  state: RunState;
  attempt: number;
  max_attempts: number;
  priority: number;
  runs_on: string;
  source: RunSource;
  lane_id: number;
  /** Null unless it is queued. */
  waits_for: WaitsFor | null;
  fence: number;
  ship_id: string | null;
  accepted: number;
  created_at: number;
  updated_at: number;
  started_at: number | null;
  finished_at: number | null;
  queued_ms: number;
  available_ms: number;
  lease_ms: number;
  renewed_ms: number;
  deadline_ms: number;
  timeout_ms: number;
  retry_of: string | null;
  root_id: string;
  retry_number: number;
  error: string | null;
  logs_expired: number;
  log_truncated: number;
  logs_bytes: number;
  git_ref: string | null;
  git_commit: string | null;
  concurrency_group: string | null;
  approval: string | null;
  origin: string;
  cells: number;
  parent_id: string | null;
  /** Empty for a cell without a job's name; null for a run that is no cell. */
  job: string | null;
  matrix: string | null;
  skipped: string | null;
}

/** An approval as stored, in JSON. */
export interface StoredApproval extends Omit<Approval, 'step' | 'message'> {
  readonly timeoutMs: number;
  /** The approval step; absent for the approval before the first step. `part`: the part of the run that follows. */
  readonly step?: { readonly name: string; readonly message: string; readonly part: number };
  /** What happens to the other runs of its group when it is approved. */
  readonly others?: Concurrency['others'];
}

export const toRecord = (row: RunRow): RunRecord => ({
  id: row.id,
  projectId: row.project_id,
  kind: row.kind,
  task: row.task,
  state: row.state,
  attempt: row.attempt,
  maxAttempts: row.max_attempts,
  priority: row.priority,
  runsOn: JSON.parse(row.runs_on) as string[],
  source: row.source,
  origin: JSON.parse(row.origin) as RunOrigin,
  cells: row.cells,
  parentId: row.parent_id,
  job: row.job || null,
  skipped: row.skipped,
  matrix: row.matrix === null ? null : (JSON.parse(row.matrix) as CellValues),
  shipId: row.ship_id,
  fence: row.fence,
  laneId: row.lane_id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  availableMs: row.available_ms,
  retryOf: row.retry_of,
  rootId: row.root_id,
  retryNumber: row.retry_number,
  error: row.error === null ? null : (JSON.parse(row.error) as RunFailure),
  logsExpired: row.logs_expired === 1,
  logTruncated: row.log_truncated === 1,
  logsBytes: row.logs_bytes,
  gitRef: row.git_ref,
  gitCommit: row.git_commit,
  concurrencyGroup: row.concurrency_group,
  waitsFor: row.waits_for,
  approval: row.approval === null ? null : approvalOf(row.state, JSON.parse(row.approval) as StoredApproval),
  part: partOf(row),
});

/** The part of the run that is executed next or now: it counts the approval steps that its attempt has passed. */
export function partOf({ approval }: Pick<RunRow, 'approval'>): number {
  if (approval === null) return 0;
  const { state, step } = JSON.parse(approval) as StoredApproval;
  return step === undefined ? 0 : state === 'approved' ? step.part : step.part - 1;
}

/** A run that was cancelled meanwhile does not wait for an approval any more. */
function approvalOf(state: RunState, { state: decided, by, at, expiresAt, step }: StoredApproval): Approval {
  return {
    state: decided === 'waiting' && state !== 'queued' ? 'withdrawn' : decided,
    by,
    at,
    expiresAt,
    step: step?.name ?? null,
    message: step?.message || null,
  };
}

/** Whether a ship holds it. Runs with cells are never held. */
export const isHeld = ({ state, cells }: { readonly state: RunState; readonly cells: number }): boolean =>
  cells === 0 && (state === 'running' || state === 'cancelling');

export const isFinished = ({ state }: { readonly state: RunState }): boolean =>
  state !== 'queued' && state !== 'running' && state !== 'cancelling';

export const readById = (from: Queries, id: string): Promise<RunRow | undefined> =>
  from.get<RunRow>('SELECT * FROM runs WHERE id = ?', [id]);

/** Reads and locks the run: nothing else changes it before the transaction ends. */
export const lockById = (tx: Transaction, id: string): Promise<RunRow | undefined> =>
  tx.get<RunRow>('SELECT * FROM runs WHERE id = ? FOR UPDATE', [id]);

/** Like `lockById`, for several runs. They are locked in one order, so that two servers do not wait for each other. */
export async function lockByIds(tx: Transaction, ids: readonly string[]): Promise<RunRow[]> {
  if (ids.length === 0) return [];
  const { marks, params } = inList(ids);
  return tx.all<RunRow>(`SELECT * FROM runs WHERE id IN (${marks}) ORDER BY seq FOR UPDATE`, params);
}

/** A ship and an assignment, as fenced writes compare them. */
type Holder = Pick<RunRow, 'id' | 'fence' | 'attempt' | 'ship_id'>;

export const isHeldAs = (holder: Holder, { runId, fence, attempt }: RunRef, shipId: string): boolean => (
  holder.id === runId && holder.fence === fence && holder.attempt === attempt && holder.ship_id === shipId
);

/**
 * A statement that changes the runs which ships hold: `changes` follows SET, and each row of values is run, fence,
 * attempt and ship. Returns for each row whether the ship holds the run.
 */
export class HeldUpdate {
  readonly #statement: MultiRow;

  constructor(changes: string) {
    this.#statement = new MultiRow(`UPDATE runs SET ${changes} FROM (VALUES`,
      '(CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS TEXT))',
      `) AS given WHERE id = given.column1 AND fence = given.column2 AND attempt = given.column3 AND ship_id = given.column4 AND state IN ('running', 'cancelling')
       RETURNING id, fence, attempt, ship_id`);
  }

  get text(): string {
    return this.#statement.text(2);
  }

  /** `shared`: values of the placeholders in `changes`. */
  async run(tx: Transaction, shared: readonly SqlValue[],
    holders: readonly { readonly ref: RunRef; readonly shipId: string }[]): Promise<boolean[]>
  {
    const changed = await this.#statement.all<Holder & Row>(tx, shared,
      holders.map(({ ref: { runId, fence, attempt }, shipId }) => [runId, fence, attempt, shipId]));
    const keys = new Set(changed.map((row) => `${row.id} ${row.fence} ${row.attempt} ${row.ship_id}`));
    return holders.map(({ ref: { runId, fence, attempt }, shipId }) =>
      keys.has(`${runId} ${fence} ${attempt} ${shipId}`)
    );
  }
}

const OF_HOLDER =
  "FROM runs WHERE id = ? AND fence = ? AND attempt = ? AND ship_id = ? AND state IN ('running', 'cancelling') " +
  'FOR UPDATE';

/**
 * Reads and locks the run if the ship holds the ref: the condition of every fenced write (run-queue decisions, section
 * 4, "Fencing").
 */
export function readHeld(tx: Transaction, { runId, attempt, fence }: RunRef,
  shipId: string): Promise<RunRow | undefined>
{
  return tx.get<RunRow>(`SELECT * ${OF_HOLDER}`, [runId, fence, attempt, shipId]);
}

/** Like `readHeld`, for a caller that does not need the row: this is asked for each write of a log. */
export async function lockHeld(tx: Transaction, { runId, attempt, fence }: RunRef, shipId: string): Promise<boolean> {
  return (await tx.get(`SELECT seq ${OF_HOLDER}`, [runId, fence, attempt, shipId])) !== undefined;
}
