import type { Run, RunAttempt, RunResult } from '../../../generated/runs/sdk/types.gen.ts';
import type { SkippedStep } from '../definitions/index.ts';
import type { AttemptRecord, Queue, RunRecord } from '../queue/port.ts';

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
    error: run.state === 'failed' ? (run.error ?? undefined) as Run['error'] : undefined,
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
      forge: presentForge(run.origin.forge),
    },
    parent_id: run.parentId,
    job: run.job,
    matrix: run.matrix,
    skipped: run.skipped,
    cells: run.cells,
  };
}

function presentForge(forge: RunRecord['origin']['forge']): Run['source']['forge'] {
  if (forge === undefined) return null;
  const { forge: name, event, action, delivery, ref, branch, tag, commit, title, author, url, pullRequest } = forge;
  return {
    forge: name,
    event,
    action,
    delivery_id: delivery,
    ref,
    branch,
    tag,
    commit,
    title,
    author,
    url,
    pull_request: pullRequest === undefined
      ? null
      : { number: pullRequest.number, base: pullRequest.base, head: pullRequest.head, fork: pullRequest.isFork },
    restricted: forge.restricted === true,
  };
}

/** A run that a ship holds or held. */
const TAKEN = { waitingReason: null, labelsMatched: true } as const;

/** An attempt as the API shows it; `skipped`: steps that the run leaves out, which are shown once others have ended. */
export function presentAttempt({ attempt, shipId, startedAt, endedAt, outcome, gitCommit, steps }: AttemptRecord,
  skipped: readonly SkippedStep[] = []): RunAttempt
{
  return {
    attempt,
    ship_id: shipId,
    started_at: startedAt,
    ended_at: endedAt,
    outcome,
    commit: gitCommit,
    steps: withSkipped(steps.map((step) => ({
      name: step.name,
      started_at: moment(step.startedMs),
      ended_at: moment(step.endedMs),
      outcome: step.outcome,
      exit_code: step.exitCode,
      signal: step.signal,
    })), skipped),
  };
}

type PresentedStep = RunAttempt['steps'][number];

/** Skipped steps stand before the step that follows them, with its time. */
function withSkipped(steps: readonly PresentedStep[], skipped: readonly SkippedStep[]): PresentedStep[] {
  const all = [...steps];
  for (const { name, before } of [...skipped].reverse()) {
    const at = steps[Math.min(before, steps.length - 1)]?.started_at;
    // Steps after the last one that started were not reached.
    if (at === undefined || before > steps.length) continue;
    all.splice(before, 0, { name, started_at: at, ended_at: at, outcome: 'skipped', exit_code: null, signal: null });
  }
  return all;
}

/** Clocks of ships may report times that no date can express. */
const moment = (milliseconds: number): string => new Date(Math.min(8.64e15, Math.max(0, milliseconds))).toISOString();

/** Type of a result that already is a `RunResult`, as the executor of `ai_text` reports it. */
const RESULT_TYPE = 'application/vnd.quire.result+json';

/** A stored result in the form of the API. The result of a pipeline is text of any type. */
export function presentResult({ body, type }: { readonly body: Uint8Array; readonly type: string }): RunResult {
  const text = new TextDecoder().decode(body);
  const plain: RunResult = {
    content: text,
    content_type: type,
    value: type === 'application/json' ? parse(text) : null,
    model: null,
    finish_reason: null,
    usage: null,
    truncated: false,
  };
  if (type !== RESULT_TYPE) return plain;
  const known = JSON.parse(text) as Partial<RunResult>;
  return {
    content: known.content ?? '',
    content_type: known.content_type ?? 'text/plain',
    value: null,
    model: known.model ?? null,
    finish_reason: known.finish_reason ?? null,
    usage: known.usage ?? null,
    truncated: known.truncated ?? false,
  };
}

/** Null if the type says JSON and the text is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
