import { ServiceError } from '../../errors/index.ts';
import type { CellValues, RunsConfig } from '../config/index.ts';
import type { RunRequest } from '../definitions/index.ts';
import type { Queue, RunRecord } from '../queue/port.ts';

/**
 * The request that retries this run, or the cells that `which` selects: the same run, resolved from the current
 * configuration (decisions, section
 * 2.3).
 */
export async function requestOfRetry(run: RunRecord, which: 'all' | 'failed', queue: Pick<Queue, 'material' | 'list'>,
  { projects }: RunsConfig): Promise<RunRequest & { readonly retryOf: RunRecord }>
{
  if (run.state !== 'failed' && run.state !== 'cancelled')
    throw new ServiceError('run_state_conflict', 'only a failed or cancelled run can be retried');
  const material = await queue.material(run.id);
  // Retention may have removed it meanwhile.
  if (material === undefined) throw new ServiceError('run_not_found', 'there is no such run');
  const { input, inputIsJson, definition } = material;
  const project = projects.find(({ id }) => id === run.projectId);
  return {
    projectId: run.projectId,
    kind: run.kind,
    task: run.task,
    priority: run.priority,
    retryOf: run,
    input: input === null ? undefined : inputIsJson ? (JSON.parse(input) as Record<string, unknown>) : input,
    runsOn: definition.runsOn,
    gitRef: run.gitRef ?? undefined,
    cell: run.matrix ?? undefined,
    cells: run.cells > 0 && which === 'failed' ? await cellsToRepeat(run, queue) : undefined,
    minScore: definition.minScore === undefined ? undefined : project?.content.min_score,
  };
}

async function cellsToRepeat({ id, cells }: RunRecord, queue: Pick<Queue, 'list'>): Promise<CellValues[]> {
  const all = await queue.list({ parentId: id }, undefined, cells);
  return all.flatMap(({ state, matrix }) => (state === 'succeeded' || matrix === null ? [] : [matrix]));
}
