import type { Queries, Row } from '../../storage/index.ts';
import type { JobRule } from '../definitions/index.ts';
import type { RunState, WaitsFor } from './port.ts';

/*
 * A run whose pipeline has jobs or a matrix consists of cells: runs of their own, one for each combination of values of
 * a job, or a single one. A pipeline with a matrix and steps is one job without a name.
 */

export const CELLS_OF_RUN =
  'SELECT seq, id, lane_id, state, waits_for, job, matrix, skipped FROM runs WHERE parent_id = ?';

/** What the run that a cell belongs to must know of it. */
export interface CellRow extends Row {
  readonly seq: number;
  readonly id: string;
  readonly lane_id: number;
  readonly state: RunState;
  readonly waits_for: WaitsFor | null;
  /** Empty without jobs. */
  readonly job: string;
  readonly matrix: string | null;
  /** Why it was not run; null unless it was skipped. */
  readonly skipped: string | null;
}

/** All cells of a run, in the order of their jobs. */
export async function cellsOfRun(from: Queries, id: string): Promise<CellRow[]> {
  return (await from.all<CellRow>(CELLS_OF_RUN, [id])).sort((a, b) => a.seq - b.seq);
}

/** Whether it waits for other cells of its run. */
export const isWaiting = ({ waits_for: waitsFor }: Pick<CellRow, 'waits_for'>): boolean =>
  waitsFor === 'matrix' || waitsFor === 'needs';

export const isOpen = ({ state }: Pick<CellRow, 'state'>): boolean =>
  state === 'queued' || state === 'running' || state === 'cancelling';

export const cellsOfJob = (cells: readonly CellRow[], { name }: Pick<JobRule, 'name'>): CellRow[] =>
  cells.filter(({ job }) => job === name);

/** How the cells of a job have ended together; a job that may fail has succeeded then, too. */
type JobEnd = 'open' | 'succeeded' | 'failed' | 'cancelled' | 'skipped';

function endOf(rule: JobRule, cells: readonly CellRow[]): JobEnd {
  const own = cellsOfJob(cells, rule);
  if (own.some(isOpen)) return 'open';
  if (own.some(({ state }) => state === 'failed')) return rule.continueOnError ? 'succeeded' : 'failed';
  if (own.some(({ skipped }) => skipped !== null)) return 'skipped';
  return own.some(({ state }) => state === 'cancelled') ? 'cancelled' : 'succeeded';
}

/** Whether the cells of a job may start, must wait, or are not run, for the reason `skipped`. */
export function verdictOn(rule: JobRule, rules: readonly JobRule[], cells: readonly CellRow[]): 'start' | 'wait' | {
  readonly skipped: string;
} {
  const needed = rules.filter(({ name }) => rule.needs.includes(name));
  const ends = needed.map((each) => ({ name: each.name, end: endOf(each, cells) }));
  if (ends.some(({ end }) => end === 'open')) return 'wait';
  if (rule.runIf === 'always') return 'start';
  if (rule.runIf === 'failure')
    return ends.some(({ end }) => end === 'failed') ? 'start' : { skipped: 'no job that it needs has failed' };
  const bad = ends.find(({ end }) => end !== 'succeeded');
  return bad === undefined ? 'start' : { skipped: `the job ${bad.name}, which it needs, ${WORDS[bad.end]}` };
}

const WORDS: Readonly<Record<JobEnd, string>> = {
  open: 'has not ended',
  succeeded: 'has succeeded',
  failed: 'has failed',
  cancelled: 'is cancelled',
  skipped: 'is skipped',
};

/** How the whole run has ended. `failed`: the cells that it has failed by; `stopped`: number of cancelled ones. */
export function outcomeOf(rules: readonly JobRule[],
  cells: readonly CellRow[]): { readonly failed: CellRow[]; readonly stopped: number }
{
  const isHarmless = new Map(rules.map(({ name, continueOnError }) => [name, continueOnError]));
  const harmed = new Set(cells.filter(({ state }) => state === 'failed').map(({ job }) => job));
  const failed = cells.filter(({ state, job }) => state === 'failed' && isHarmless.get(job) !== true);
  const stopped = cells.filter(({ state, skipped, job }) =>
    state === 'cancelled' && skipped === null && !(isHarmless.get(job) === true && harmed.has(job))
  );
  return { failed, stopped: stopped.length };
}
