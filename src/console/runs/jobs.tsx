import { listRunJobs, listRuns } from '../../../generated/runs/sdk/sdk.gen.ts';
import type { Run } from '../../../generated/runs/sdk/types.gen.ts';
import { ask } from '../shared/ask.ts';
import { lasted, plural } from '../shared/format.ts';
import { Await, Badge } from '../shared/parts.tsx';
import { useLoad, useRefresh } from '../shared/use-load.ts';
import { type ShownJob, stagesOf } from './job-stages.ts';
import { durationOf, hasEnded, RunTable, State } from './list.tsx';
import { runAt } from './places.ts';

const REFRESH_MS = 2000;
/** Most cells that are looked at; a run has at most so many in one page. */
const PAGE = 100;

/** The jobs of a run as a graph from left to right, or the cells of its matrix as a list. */
export function Cells({ run: { id, state, cells } }: { readonly run: Run }) {
  const jobs = useLoad(async (signal) => (await ask(listRunJobs({ signal, path: { id } }))).data, [id]);
  const list = useLoad((signal) => allCells(id, signal), [id, state]);
  useRefresh(list, REFRESH_MS, !hasEnded(state));
  return (
    <Await of={jobs}>{(rules) => (
      <Await of={list}>{(runs) => (rules.length === 0 ? <section><h2>{cells} cells</h2><RunTable runs={runs} /></section> : (
        <section><h2>{plural(rules.length, 'job')}</h2><Stages of={stagesOf(rules, runs)} /></section>
      ))}</Await>
    )}</Await>
  );
}

async function allCells(id: string, signal: AbortSignal): Promise<Run[]> {
  const found: Run[] = [];
  let before: string | undefined;
  do {
    const { data, next_cursor: next } = await ask(listRuns({ signal, query: { parent_id: id, limit: PAGE, before } }));
    found.push(...data);
    before = next ?? undefined;
  } while (before !== undefined);
  return found.toReversed();
}

/** Each stage is a column, on a phone a row; what a job needs is in the stages before it. */
function Stages({ of: stages }: { readonly of: readonly (readonly ShownJob[])[] }) {
  return (
    <ol class="stages" aria-label="Jobs">
      {stages.map((jobs, at) => <li key={at}><ul>{jobs.map((job) => <Job key={job.name} of={job} />)}</ul></li>)}
    </ol>
  );
}

function Job({ of: { name, needs, condition, cells, state, startedAt, finishedAt } }: { readonly of: ShownJob }) {
  const [only] = cells;
  const reason = cells.find(({ skipped }) => skipped !== null)?.skipped;
  return (
    <li class="job card" aria-label={name}>
      <div class="row apart">{only !== undefined && cells.length === 1 ? <a href={runAt(only.id)}>{name}</a> : <strong>{name}</strong>}{state === 'skipped' ? <Badge>skipped</Badge> : <State of={state} />}</div>
      <div class="small muted">{startedAt !== null && lasted((finishedAt ?? Date.now() / 1000) - startedAt)}{startedAt !== null && needs.length > 0 && ', '}{needs.length > 0 && `${WHEN[condition]} ${needs.join(', ')}`}</div>
      {reason != null && <div class="small muted">{reason}</div>}
      {cells.length > 1 && <ul class="cells">{cells.map((cell) => <li key={cell.id}><a href={runAt(cell.id)}>{valuesOf(cell)}</a> <State of={cell.state} /> <span class="small muted">{durationOf(cell)}</span></li>)}</ul>}
    </li>
  );
}

const WHEN: Readonly<Record<ShownJob['condition'], string>> = { success: 'after', failure: 'after a failure of', always: 'always after' };

const valuesOf = ({ matrix }: Run): string => Object.entries(matrix ?? {}).map(([name, value]) => `${name}=${String(value)}`).join(' ') || 'run';
