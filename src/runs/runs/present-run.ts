import type { Run } from '../../../generated/runs/sdk/types.gen.ts';
import type { Queue, RunRecord } from '../queue/port.ts';

/** A run as the API shows it (decisions, section 2.2): without its input, prompts, environment and secrets. */
export function presentRun(run: RunRecord, { explain }: Pick<Queue, 'explain'>): Run {
  const isQueued = run.state === 'queued';
  const { waitingReason, labelsMatched } = isQueued || run.shipId === null ? explain(run) : TAKEN;
  return {
    id: run.id,
    project_id: run.projectId,
    kind: run.kind,
    task: run.task,
    state: run.state,
    attempt: run.attempt,
    created_at: run.createdAt,
    updated_at: run.updatedAt,
    started_at: run.startedAt,
    finished_at: run.finishedAt,
    logs_expired: run.logsExpired,
    ...(run.state === 'failed' && run.error !== null ? { error: run.error as NonNullable<Run['error']> } : {}),
    priority: run.priority,
    runs_on: [...run.runsOn],
    ship_id: run.shipId,
    max_attempts: run.maxAttempts,
    retry_of: run.retryOf,
    root_id: run.rootId,
    retry_number: run.retryNumber,
    waiting_reason: isQueued ? waitingReason : null,
    concurrency_group: run.concurrencyGroup,
    approval: run.approval && {
      state: run.approval.state,
      by: run.approval.by,
      at: run.approval.at,
      expires_at: run.approval.expiresAt,
      step: run.approval.step,
      message: run.approval.message,
    },
    log_truncated: run.logTruncated,
    logs_bytes: run.logsBytes,
    labels_matched: labelsMatched,
    ref: run.gitRef,
    commit: run.gitCommit,
    source: {
      type: run.source,
      by: run.origin.by,
      schedule: run.origin.schedule ?? null,
      alert_labels: run.origin.alertLabels ?? null,
    },
    parent_id: run.parentId,
    matrix: run.matrix,
    cells: run.cells,
  };
}

/** A run that a ship holds or held. */
const TAKEN = { waitingReason: null, labelsMatched: true } as const;
