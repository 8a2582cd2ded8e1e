import type { Run } from '../../../../generated/runs/sdk/types.gen.ts';
import { formatDuration } from '../../../lib/duration.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { formatMoment, plainLine, renderTable, writeJson } from '../shared/output.ts';

const COLUMNS = [{ heading: 'id', minimum: 32 }, { heading: 'project', minimum: 8 }, { heading: 'kind', minimum: 8 }, {
  heading: 'task',
  minimum: 6,
}, { heading: 'state', minimum: 9 }, { heading: 'queued', minimum: 16 }, { heading: 'took', minimum: 4 }, {
  heading: 'why it waits or failed',
  minimum: 10,
}];

const WAITS: Readonly<Record<NonNullable<Run['waiting_reason']>, string>> = {
  project_disabled: 'its project is disabled',
  approval: 'nobody has approved it yet',
  backoff: 'waits for its next attempt',
  concurrency_group: 'another run of its group is before it',
  no_matching_ship: 'no ship has its labels',
  ship_offline: 'the ships with its labels are offline',
  unsupported: 'no ship with its labels can do it: a sandbox or the key of a role is missing',
  ship_draining: 'the ships that could take it are draining',
  concurrency: 'max_parallel of its project is reached',
  ship_busy: 'all ships that could take it are busy',
  matrix: 'waits for its turn among the cells of its run',
  needs: 'waits for the jobs that it needs',
  starting: 'is being assigned',
};

/** The exit status of a command that waited for a run. */
const EXIT: Partial<Record<Run['state'], number>> = { failed: 1, cancelled: 2 };

export const ENDED: ReadonlySet<Run['state']> = new Set(['succeeded', 'failed', 'cancelled']);

export const exitCodeOf = (run: Run): number => EXIT[run.state] ?? 0;

export function runTable(runs: readonly Run[], width: number | undefined): string[] {
  return renderTable(COLUMNS,
    runs.map((
      run,
    ) => [run.id, run.project_id, run.kind, taskOf(run), run.state, formatMoment(run.created_at), tookOf(run),
      reasonOf(run)]
    ), width);
}

/** Includes what distinguishes a cell from the others of its run, and a run with cells from other runs. */
function taskOf({ task, job, matrix, cells }: Run): string {
  const own = [task, job, matrix && cellName(matrix)].filter((each) => each !== null).join(' ');
  return cells === 0 ? own : `${own} (${cells} cells)`;
}

/** The values of a cell, in the form that the log of its run has. */
export const cellName = (matrix: NonNullable<Run['matrix']>): string =>
  Object.entries(matrix).map(([name, value]) => `${name}=${String(value)}`).join(' ');

/** Duration of the last attempt so far; empty before it was started. */
export function tookOf({ started_at: started, finished_at: finished, state }: Run): string {
  if (started === null || state === 'queued') return '';
  const seconds = Math.max(0, Math.floor(finished ?? Date.now() / 1000) - started);
  return finished === null ? `${formatDuration(seconds * 1000)} so far` : formatDuration(seconds * 1000);
}

/** One line about the state of a run. */
export function statusLine(run: Run): string {
  const reason = reasonOf(run);
  const attempt = run.max_attempts > 1 ? `, attempt ${run.attempt} of ${run.max_attempts}` : '';
  const is = ENDED.has(run.state) ? (run.state === 'cancelled' ? 'was ' : '') : 'is ';
  const took = ENDED.has(run.state) && tookOf(run) !== '' ? ` after ${tookOf(run)}` : '';
  return plainLine(`run ${run.id} ${is}${run.state}${took}${attempt}${reason === '' ? '' : ` (${reason})`}`);
}

/** Writes the run to standard output as JSON, or its id there and a readable line to standard error. */
export function writeRun(io: Io, run: Run, json: boolean | undefined): void {
  if (json) writeJson(io, run);
  else {
    writeLines(io.stdout, [run.id]);
    writeLines(io.stderr, [statusLine(run)]);
  }
}

function reasonOf({ waiting_reason: waiting, error }: Run): string {
  if (waiting !== null) return WAITS[waiting];
  return error === undefined ? '' : [error.code, error.step, error.message].filter(Boolean).join(': ');
}
