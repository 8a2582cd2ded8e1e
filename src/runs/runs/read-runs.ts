import type { Operations } from '../../../generated/runs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Handlers } from '../../operations/index.ts';
import { decodeCursor, pageSize, toPage } from '../pages/index.ts';
import type { Queue, RunRecord } from '../queue/port.ts';
import { presentAttempt, presentResult, presentRun } from './present-run.ts';

type ReadHandlers = Required<
  Pick<Handlers<Operations>,
    'listRuns' | 'getRun' | 'getRunResult' | 'getRunSummary' | 'listRunAttempts' | 'listRunJobs'>
>;

const UNFINISHED: ReadonlySet<string> = new Set(['queued', 'running', 'cancelling']);

/** The handlers that only read runs. */
export function readHandlers(
  queue: Pick<Queue, 'get' | 'list' | 'result' | 'summary' | 'explain' | 'attempts' | 'material'>,
): ReadHandlers {
  return {
    async getRun({ id }) {
      return { data: presentRun(await requireRun(queue, id), queue) };
    },
    async listRuns(
      { limit, before, project_id: projectId, state, kind, source, schedule, by, parent_id: parentId, cells },
    ) {
      const size = pageSize(limit);
      const older = before === undefined ? undefined : decodeCursor(before, RUN_ID);
      const filter = {
        projectId,
        state: state || undefined,
        kind: kind || undefined,
        source: source || undefined,
        schedule,
        by,
        parentId,
        withoutCells: !cells,
      };
      const found = await queue.list(filter, older && { createdAt: older.at, id: older.id }, size + 1);
      const { entries, next_cursor } = toPage(found, size, ({ createdAt, id }) => ({ at: createdAt, id }));
      return { data: entries.map((run) => presentRun(run, queue)), next_cursor };
    },
    async listRunAttempts({ id }) {
      const [attempts, material] = [await queue.attempts(await requireRun(queue, id)), await queue.material(id)];
      return { data: attempts.map((attempt) => presentAttempt(attempt, material?.definition.skipped)) };
    },
    async listRunJobs({ id }) {
      await requireRun(queue, id);
      const { jobs = [] } = (await queue.material(id))?.definition ?? {};
      // The cells of a matrix without jobs are one job without a name.
      const named = jobs.filter(({ name }) => name !== '');
      return {
        data: named.map(({ name, needs, runIf, continueOnError }) => ({
          name,
          needs: [...needs],
          if: runIf,
          continue_on_error: continueOnError,
        })),
      };
    },
    async getRunResult({ id }) {
      const run = await requireRun(queue, id);
      if (UNFINISHED.has(run.state)) throw new ServiceError('run_state_conflict', 'the run has not finished');
      const result = await queue.result(id);
      if (result === undefined) throw new ServiceError('not_found', 'the run has no result');
      return { data: presentResult(result) };
    },
    async getRunSummary({ id }) {
      const { state } = await requireRun(queue, id);
      // Parts of a run before an approval may have written some of it.
      const content = UNFINISHED.has(state) ? undefined : await queue.summary(id);
      if (content === undefined) throw new ServiceError('not_found', 'the run has no summary');
      return { data: { content } };
    },
  };
}

/** The form of run ids. */
const RUN_ID = /^[0-9a-f]{32}$/;

/** The run with this id. A malformed id is treated like an unknown one (decisions, section 2.1). */
export async function requireRun(queue: Pick<Queue, 'get'>, id: unknown): Promise<RunRecord> {
  const run = typeof id === 'string' && RUN_ID.test(id) ? await queue.get(id) : undefined;
  if (run === undefined) throw new ServiceError('run_not_found', 'there is no such run');
  return run;
}
