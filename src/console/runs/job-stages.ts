import type { Run, RunJob, RunState } from '../../../generated/runs/sdk/types.gen.ts';

/** A job with its cells, as far as they are known. */
export interface ShownJob {
  readonly name: string;
  readonly needs: readonly string[];
  readonly condition: RunJob['if'];
  readonly cells: readonly Run[];
  readonly state: RunState | 'skipped';
  /** Unix seconds; null before the first cell has started. */
  readonly startedAt: number | null;
  /** Unix seconds; null while a cell is under way. */
  readonly finishedAt: number | null;
}

/**
 * Jobs by stages: those of a stage need only jobs of stages before it, at least one of them of the stage just before.
 * Jobs stand after those that they need in `jobs`.
 */
export function stagesOf(jobs: readonly RunJob[], cells: readonly Run[]): ShownJob[][] {
  const depth = new Map<string, number>();
  const stages: ShownJob[][] = [];
  for (const job of jobs) {
    const at = Math.max(0, ...job.needs.map((name) => (depth.get(name) ?? -1) + 1));
    depth.set(job.name, at);
    (stages[at] ??= []).push(shownJob(job, cells.filter((cell) => cell.job === job.name)));
  }
  return stages;
}

function shownJob({ name, needs, if: condition }: RunJob, cells: readonly Run[]): ShownJob {
  const started = cells.flatMap(({ started_at: at }) => (at == null ? [] : [at]));
  const finished = cells.flatMap(({ finished_at: at }) => (at == null ? [] : [at]));
  return {
    name,
    needs,
    condition,
    cells,
    state: stateOf(cells),
    startedAt: started.length === 0 ? null : Math.min(...started),
    finishedAt: finished.length < cells.length || cells.length === 0 ? null : Math.max(...finished),
  };
}

/** In this order, the first that a cell is in is the state of the job. */
const ORDER = ['running', 'cancelling', 'queued', 'failed', 'cancelled'] as const;

function stateOf(cells: readonly Run[]): ShownJob['state'] {
  if (cells.length === 0) return 'queued';
  if (cells.every(({ skipped }) => skipped !== null)) return 'skipped';
  return ORDER.find((state) => cells.some((cell) => cell.state === state)) ?? 'succeeded';
}
