import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../../../errors/index.ts';
import { findRun, RUN_ID, type RunsService, type RunTool } from '../run-tool.ts';
import { shortRun } from './list-runs.ts';
import { explained } from './run-status.ts';

const KEY = {
  type: 'string',
  description: 'A name for this request, 8 characters or more; the same key returns the same run.',
} as const;

export const submitRun: RunTool = {
  name: 'submit_run',
  title: 'Start a run',
  description: 'Queues a run of a pipeline of a project. The answer has its id for run_status.',
  properties: {
    project: { type: 'string', description: 'Project that the run is of.' },
    task: { type: 'string', description: 'Name of the pipeline; of the AI role for ai_text.' },
    kind: { type: 'string', enum: ['pipeline', 'ai_text', 'diagnostic'], default: 'pipeline' },
    input: { type: 'object', description: 'Inputs of the pipeline by their names.' },
    input_text: { type: 'string', description: 'Input that is a text.' },
    ref: { type: 'string', description: 'Branch, tag or commit; the default branch when absent.' },
    key: KEY,
  },
  required: ['project'],
  example: { project: 'alpha', task: 'build', ref: 'main' },
  hint: 'write',
  needs: ['enqueueRun'],
  async run(args, service) {
    const input = args.get<object>('input') ?? args.get<string>('input_text');
    const body = {
      kind: 'pipeline',
      ...args.pick({ project: 'project_id', task: 'task', kind: 'kind', ref: 'ref' }),
      ...(input !== undefined && { input }),
    };
    const idempotencyKey = args.get<string>('key') ?? randomUUID();
    const { data } = await service.call('enqueueRun', { ...body, idempotencyKey }).catch(async (error: unknown) => {
      throw await withChoices(error, args.text('project'), service);
    });
    return { ...shortRun(data), note: 'queued: call run_status with this id' };
  },
};

/** An error about an unknown project or pipeline, with those that there are. */
async function withChoices(error: unknown, project: string, service: RunsService): Promise<unknown> {
  if (!(error instanceof ServiceError)) return error;
  const [operation, of] = error.code === 'project_unavailable'
    ? ['listProjects', 'projects'] as const
    : error.code === 'pipeline_unavailable'
    ? ['listPipelines', 'pipelines'] as const
    : [];
  if (operation === undefined) return error;
  const { data } = await service.call(operation, {}).catch(() => ({ data: [] }));
  const names = data.flatMap((each) => {
    if ('id' in each) return [each.id];
    return each.projects === null || each.projects.includes(project) ? [each.name] : [];
  });
  if (names.length === 0) return error;
  return new ServiceError(error.code, error.message, {
    body: { advice: `${of}: ${names.slice(0, 40).join(', ')}${names.length > 40 ? ', …' : ''}` },
  });
}

export const retry: RunTool = {
  name: 'retry',
  title: 'Retry a run',
  description: 'Queues a failed or cancelled run again, with the same input and commit. The answer is the new run.',
  properties: {
    id: RUN_ID,
    cells: { type: 'string', enum: ['all', 'failed'], default: 'all', description: 'Cells of a matrix to run again.' },
    key: KEY,
  },
  required: ['id'],
  example: { id: '019b45a500007c3e9a41d2f0b6e85713' },
  hint: 'write',
  needs: ['getRun', 'listRuns', 'retryRun'],
  async run(args, service) {
    const { id } = await findRun(service, args.text('id'));
    const { data } = await service.call('retryRun', {
      id,
      cells: args.get<string>('cells') ?? 'all',
      idempotencyKey: args.get<string>('key') ?? randomUUID(),
    }).catch((error: unknown) => {
      throw explained(error, 'to run a pipeline once more, whatever became of it, call submit_run');
    });
    return { ...shortRun(data), note: 'queued: call run_status with this id' };
  },
};

export const cancel: RunTool = {
  name: 'cancel',
  title: 'Cancel a run',
  description: 'Stops a run that has not ended. A running one gets time to end its work.',
  properties: { id: RUN_ID },
  required: ['id'],
  example: { id: '019b45a500007c3e9a41d2f0b6e85713' },
  hint: 'destructive',
  needs: ['getRun', 'listRuns', 'cancelRun'],
  async run(args, service) {
    const { id } = await findRun(service, args.text('id'));
    const { data } = await service.call('cancelRun', { id }).catch((error: unknown) => {
      throw explained(error, 'the run has ended already: call run_status');
    });
    return shortRun(data);
  },
};
