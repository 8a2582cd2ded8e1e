import type { Run } from '../../../../../generated/runs/sdk/types.gen.ts';
import { BEFORE, clipped, fittingPage, LIMIT, moment, roomBeside, type RunTool } from '../run-tool.ts';

const STATES = ['queued', 'running', 'cancelling', 'succeeded', 'failed', 'cancelled'] as const;

export const listRuns: RunTool = {
  name: 'list_runs',
  title: 'List runs',
  description: 'Lists runs, newest first, with their states and why they failed. Filter by project and state.',
  properties: {
    project: { type: 'string', description: 'Only runs of this project.' },
    state: { type: 'string', enum: STATES, description: 'Only runs in this state.' },
    limit: LIMIT,
    before: BEFORE,
  },
  required: [],
  example: { project: 'alpha', state: 'failed' },
  hint: 'read',
  needs: ['listRuns'],
  async run(args, service) {
    const filter = args.pick({ project: 'project_id', state: 'state', before: 'before' });
    const { items, next } = await fittingPage((limit) => service.call('listRuns', { ...filter, cells: false, limit }),
      args.get<number>('limit') ?? LIMIT.default, roomBeside({}, service), shortRun);
    return {
      runs: items,
      ...(next !== undefined && { next, note: 'there are more: call list_runs again with before = next' }),
    };
  },
};

/** A run in a list. */
export function shortRun(run: Run): object {
  return {
    id: run.id,
    project: run.project_id,
    task: run.kind === 'pipeline' ? run.task : `${run.kind} ${run.task}`,
    state: run.state,
    queued_at: moment(run.created_at),
    seconds: run.started_at === null || run.finished_at === null ? undefined : run.finished_at - run.started_at,
    attempt: run.attempt > 1 ? run.attempt : undefined,
    ref: run.ref ?? undefined,
    commit: run.commit?.slice(0, 12),
    waits_for: run.waiting_reason ?? undefined,
    cells: run.cells > 0 ? run.cells : undefined,
    error: run.error && clipped(`${run.error.code}: ${run.error.message}`, 160),
  };
}
