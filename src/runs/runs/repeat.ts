import { ServiceError } from '../../errors/index.ts';
import type { RunsConfig } from '../config/index.ts';
import type { CellName, RunRequest } from '../definitions/index.ts';
import type { Queue, RunRecord } from '../queue/port.ts';
import { eventOf } from '../secrets/index.ts';
import type { Repetition } from './enqueuer.ts';

type Request = RunRequest & Repetition;
type Material = Pick<Queue, 'material' | 'get'>;

/**
 * The request that retries a failed or cancelled run, or the cells that `which` selects: the same run, resolved from
 * the current configuration (decisions, section 2.3).
 * @throws {ServiceError} `run_state_conflict` for a run in another state; `run_not_found` if it is removed meanwhile.
 */
export async function requestOfRetry(run: RunRecord, which: 'all' | 'failed', queue: Material & Pick<Queue, 'list'>,
  config: RunsConfig): Promise<Request>
{
  if (run.state !== 'failed' && run.state !== 'cancelled')
    throw new ServiceError('run_state_conflict',
      `only a failed or cancelled run can be retried, and this one is ${run.state}${
        run.state === 'succeeded' ? '; rerun runs it again' : ''
      }`);
  return {
    ...await sameRequest(run, queue, config),
    cells: run.cells > 0 && which === 'failed' ? await cellsToRepeat(run, queue) : undefined,
  };
}

/**
 * The request that runs an ended run again, on the same commit or on the newest of its ref.
 * @throws {ServiceError} `run_state_conflict` for a run that has not ended; `run_not_found` if it is removed meanwhile.
 */
export async function requestOfRerun(run: RunRecord, commit: 'same' | 'newest', queue: Material,
  config: RunsConfig): Promise<Request>
{
  if (run.finishedAt === null)
    throw new ServiceError('run_state_conflict',
      `only a run that has ended can be run again, and this one is ${run.state}`);
  const request = await sameRequest(run, queue, config);
  return commit === 'newest' ? { ...request, gitCommit: undefined, wantsNewest: true } : request;
}

async function sameRequest(run: RunRecord, queue: Material, { projects }: RunsConfig): Promise<Request> {
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
    gitCommit: run.gitCommit ?? undefined,
    forge: run.origin.forge,
    event: (await eventOf(run, (id) => queue.get(id))) === 'schedule' ? 'schedule' : 'manual',
    isRepeated: true,
    cell: run.matrix === null && run.job === null ? undefined : cellOf(run),
    minScore: definition.minScore === undefined ? undefined : project?.content.min_score,
  };
}

async function cellsToRepeat({ id, cells }: RunRecord, queue: Pick<Queue, 'list'>): Promise<CellName[]> {
  const all = await queue.list({ parentId: id }, undefined, cells);
  return all.filter(({ state }) => state !== 'succeeded').map(cellOf);
}

const cellOf = ({ job, matrix }: RunRecord): CellName => ({ job: job ?? '', values: matrix ?? {} });
