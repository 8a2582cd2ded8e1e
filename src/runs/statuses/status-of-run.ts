import { formatDuration } from '../../lib/duration.ts';
import type { ProjectConfig } from '../config/index.ts';
import type { CommitStatus } from '../forge/port.ts';
import { cutText } from '../queue/index.ts';
import type { RunRecord, RunState } from '../queue/port.ts';

/** Most characters that GitHub takes. */
const MAX_DESCRIPTION = 140;

const STATES: Readonly<Record<RunState, CommitStatus['state']>> = {
  queued: 'pending',
  running: 'running',
  cancelling: 'running',
  succeeded: 'success',
  failed: 'failure',
  cancelled: 'cancelled',
};

/** Codes of failures that say nothing about the commit. */
const OUTSIDE: ReadonlySet<string> = new Set(['ship_error', 'spawn_failed', 'internal', 'secret_unavailable',
  'lease_lost', 'ship_revoked', 'model_error', 'model_timeout', 'queue_timeout', 'approval_timeout']);

/** Name of the status of a run, by `statuses.context` of its project. */
export function contextOf({ id, statuses }: Pick<ProjectConfig, 'id' | 'statuses'>, task: string): string {
  return statuses.context.replace('{project}', () => id).replace('{pipeline}', () => task);
}

/** What a forge shows of a run; `base` is `runtime.public_url`, empty for no link. */
export function statusOfRun(run: RunRecord, context: string, base: string): CommitStatus {
  const isOutside = run.state === 'failed' && OUTSIDE.has(run.error?.code ?? '');
  return {
    state: isOutside ? 'error' : STATES[run.state],
    context,
    description: cutText(describe(run), MAX_DESCRIPTION),
    targetUrl: addressOfRun(run.id, base),
  };
}

/** The page of a run in the console; empty without a public address. */
export const addressOfRun = (id: string, base: string): string =>
  base === '' ? '' : `${base.replace(/\/$/, '')}/console#/runs/${id}`;

function describe(run: RunRecord): string {
  const { state, startedAt, finishedAt, error, waitsFor } = run;
  const took = startedAt === null || finishedAt === null
    ? ''
    : ` after ${formatDuration(Math.max(1, finishedAt - startedAt) * 1000)}`;
  switch (state) {
    case 'queued':
      return waitsFor === 'approval' ? 'waits for an approval' : 'queued';
    case 'running':
      return 'running';
    case 'cancelling':
      return 'is being cancelled';
    case 'succeeded':
      return `succeeded${took}`;
    case 'cancelled':
      return `cancelled${took}`;
    case 'failed':
      return `failed${took}${error === null ? '' : `: ${oneLine(error)}`}`;
  }
}

function oneLine({ message, step }: NonNullable<RunRecord['error']>): string {
  const text = message.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  return step === null || text.includes(step) ? text : `${step}: ${text}`;
}
