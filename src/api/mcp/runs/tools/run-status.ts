import type { Run, RunAttempt } from '../../../../../generated/runs/sdk/types.gen.ts';
import { ServiceError } from '../../../../errors/index.ts';
import { fitting } from '../../models/fitting.ts';
import { clipped, findRun, moment, roomBeside, RUN_ID, type RunsService, type RunTool } from '../run-tool.ts';
import { shortRun } from './list-runs.ts';

export const runStatus: RunTool = {
  name: 'run_status',
  title: 'Show a run',
  description: 'Shows the state of a run: its steps, why it failed or waits, its test results, and what to call next.',
  properties: { id: RUN_ID },
  required: ['id'],
  example: { id: '019b45a500007c3e9a41d2f0b6e85713' },
  hint: 'read',
  needs: ['getRun', 'listRuns', 'listRunAttempts', 'listRunTests'],
  async run(args, service) {
    const run = await findRun(service, args.text('id'));
    const { data: attempts } = await service.call('listRunAttempts', { id: run.id });
    const { totals } = await service.call('listRunTests', { id: run.id, limit: 1 });
    const head = {
      ...shortRun(run),
      started_at: moment(run.started_at),
      finished_at: moment(run.finished_at),
      attempts: attempts.length > 1 ? `${run.attempt} of at most ${run.max_attempts}` : undefined,
      error: run.error && { ...run.error, message: clipped(run.error.message ?? '', 1500) },
      approval: run.approval?.state === 'waiting' ? { ...run.approval } : undefined,
      by: run.source.by ?? run.source.type,
      tests: totals !== null && totals.total > 0 ? totals : undefined,
      next: adviceFor(run, (totals?.failed ?? 0) + (totals?.error ?? 0)),
    };
    return { ...head, ...stepsOf(attempts.at(-1), roomBeside(head, service)), ...await cellsOf(run, service) };
  },
};

function stepsOf(attempt: RunAttempt | undefined, bytes: number): object {
  const steps = (attempt?.steps ?? []).map(({ name, outcome, started_at: from, ended_at: to, exit_code: code }) => ({
    name,
    outcome,
    seconds: Math.round((Date.parse(to) - Date.parse(from)) / 1000),
    exit_code: code === 0 || code === null ? undefined : code,
  }));
  if (steps.length === 0) return {};
  const all = fitting(steps, bytes);
  if (all.length === steps.length) return { steps };
  const failed = fitting(steps.filter(({ outcome }) => outcome !== 'succeeded'), bytes);
  return { steps: failed, note: `${steps.length} steps ran; only ${failed.length} that did not succeed are shown` };
}

/** How many cells of a matrix are in each state. */
async function cellsOf(run: Run, service: RunsService): Promise<object> {
  if (run.cells === 0) return {};
  const { data } = await service.call('listRuns', { parent_id: run.id, limit: 100 });
  const failed = data.filter(({ state }) => state === 'failed').slice(0, 10);
  return { failed_cells: failed.map(({ id, matrix }) => ({ id, matrix })) };
}

function adviceFor({ state, logs_expired: expired }: Run, failedTests: number): string | undefined {
  if (state === 'queued' || state === 'running' || state === 'cancelling')
    return 'call run_status again later, or read_log to see what it does';
  if (state !== 'failed') return undefined;
  const log = expired ? 'its log has expired' : 'call read_log for the end of the failed step';
  return failedTests > 0 ? `call test_failures for the tests that failed; ${log}` : log;
}

/** The error of a call for a run in the wrong state, with advice; other errors as they are. */
export function explained(error: unknown, advice: string): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'run_state_conflict') return error;
  return new ServiceError(error.code, error.message, { body: { advice } });
}
