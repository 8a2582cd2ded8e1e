import { listProjects, listRuns } from '../../../generated/runs/sdk/sdk.gen.ts';
import type { Run, RunState } from '../../../generated/runs/sdk/types.gen.ts';
import { ask } from '../shared/ask.ts';
import { Icon } from '../shared/icons.tsx';
import { Await, Badge, Choice, Empty, Page, Table, Time, type Tone } from '../shared/parts.tsx';
import { place, setQuery } from '../shared/router.ts';
import { useLoad, useRefresh } from '../shared/use-load.ts';
import { ownProjects } from './caller.ts';
import { may } from './rights.ts';
import { runAt, shortId } from './places.ts';
import { useShipNames } from './ship-names.ts';
import { lasted } from '../shared/format.ts';

const REFRESH_MS = 2000;
const PAGE = 50;

const SOURCES = [['', 'all sources'], ['api', 'requests'], ['retry', 'retries'], ['rerun', 'repeated runs'], ['schedule', 'schedules'], ['forge', 'events of repositories'], ['alert', 'alerts']] as const;

/** The newest runs with their current state; cells of a matrix are shown on the page of their run. */
export function RunsPage() {
  const { state = '', project = ownProjects.value?.[0] ?? '', source = '', schedule = '', by = '', before } = place.value.query;
  const projects = useLoad(async (signal) => ask(listProjects({ signal })), []);
  const list = useLoad(async (signal) => ask(listRuns({ signal, query: { limit: PAGE, cells: false, source: (source || undefined) as Run['source']['type'] | undefined, schedule: schedule || undefined, by: by || undefined, state: (state || undefined) as RunState | undefined, project_id: project || undefined, before } })), [state, project, source, schedule, by, before]);
  useRefresh(list, REFRESH_MS, before === undefined);
  const names = projects.data?.data.map(({ id }) => id) ?? [];
  return (
    <Page title="Runs" actions={may('enqueueRun') && <a class="button primary" href="#/submit"><Icon name="plus" />Submit a run</a>}>
      <div class="stack">
        <div class="row">
          {(['', ...STATES] as const).map((name) => <button key={name} class="chip" aria-pressed={state === name} onClick={() => setQuery({ state: name, before: undefined })}>{name === '' ? 'all' : name}</button>)}
          {names.length > 1 && <div><Choice label="Project" value={project} options={[...(ownProjects.value === undefined ? [['', 'all projects'] as const] : []), ...names.map((name) => [name, name] as const)]} onChange={(name) => setQuery({ project: name, before: undefined })} /></div>}
          <div><Choice label="Source" value={source} options={SOURCES} onChange={(name) => setQuery({ source: name, before: undefined })} /></div>
          {schedule !== '' && <button class="chip" aria-pressed="true" onClick={() => setQuery({ schedule: undefined, before: undefined })}>schedule {schedule}</button>}
          {by !== '' && <button class="chip" aria-pressed="true" onClick={() => setQuery({ by: undefined, before: undefined })}>by {by}</button>}
        </div>
        <Await of={list}>{({ data, next_cursor: next }) => (
          <>
            {data.length === 0 ? <Empty>There are no such runs.</Empty> : <RunTable runs={data} />}
            <div class="row apart">
              {before === undefined ? <span /> : <button onClick={() => setQuery({ before: undefined })}>Newest</button>}
              {next != null && <button onClick={() => setQuery({ before: next })}>Older</button>}
            </div>
          </>
        )}</Await>
      </div>
    </Page>
  );
}

export function RunTable({ runs }: { readonly runs: readonly Run[] }) {
  const shipOf = useShipNames();
  return (
    <Table label="Runs" isBrief columns={['State', 'Task', 'Project', 'Commit', 'Ship', 'By', 'Queued', 'Took#']}>
      {runs.map((run) => (
        <tr key={run.id}>
          <td class="top"><State of={run.state} />{run.attempt > 1 && <div class="small muted">attempt {run.attempt}</div>}</td>
          <td class="task"><a href={runAt(run.id)}>{taskOf(run)}</a> <code class="muted small">{shortId(run.id)}</code>{whyOf(run) !== undefined && <div class="small muted below">{whyOf(run)}</div>}</td>
          <td>{run.project_id}</td>
          <td class="less"><Commit of={run} /></td>
          <td class="less nowrap">{shipOf(run.ship_id)}</td>
          <td class="less">{callerOf(run)}</td>
          <td class="when"><Time at={run.created_at} /></td>
          <td class="num top">{durationOf(run)}</td>
        </tr>
      ))}
    </Table>
  );
}

/** Why a queued run waits, or how a failed one failed. */
const whyOf = (run: Run): string | undefined => (run.state === 'queued' ? waitingOf(run) : run.error?.message);

/** What a run has checked out; nothing if it checks nothing out. */
export function Commit({ of: { ref, commit } }: { readonly of: Run }) {
  if (ref == null && commit == null) return null;
  return <>{ref != null && ref !== commit && `${ref} `}{commit != null && <code title={commit}>{commit.slice(0, 8)}</code>}</>;
}

const TONES: Readonly<Record<RunState, Tone>> = { queued: '', running: 'busy', cancelling: 'warn', succeeded: 'good', failed: 'bad', cancelled: 'warn' };

const STATES = Object.keys(TONES) as readonly RunState[];

export function State({ of }: { readonly of: RunState }) {
  return <Badge tone={TONES[of]}>{of}</Badge>;
}

type LastOf = Pick<Run, 'id' | 'state' | 'created_at' | 'finished_at'>;

/** How and when the last run of something went; a link to it. */
export function LastRun({ of }: { readonly of: LastOf | null | undefined }) {
  if (of == null) return <span class="muted">–</span>;
  return <span><State of={of.state} /> <a href={runAt(of.id)}><Time at={of.finished_at ?? of.created_at} /></a></span>;
}

export const hasEnded = (state: RunState): boolean => state === 'succeeded' || state === 'failed' || state === 'cancelled';

/** Duration of a run so far. */
export function durationOf({ started_at: started, finished_at: finished }: Run): string {
  return started == null ? '–' : lasted((finished ?? Date.now() / 1000) - started);
}

/** Who or what has queued a run, in a few words. */
export function callerOf({ source: { type, by, schedule } }: Run): string {
  if (schedule != null) return `schedule ${schedule}`;
  if (by == null) return type;
  return by.startsWith('token:') ? by.slice('token:'.length) : by;
}

/** What distinguishes a cell from the others of its run, and a run with cells from other runs. */
export function taskOf({ task, kind, job, matrix, cells }: Run): string {
  const name = task === '' ? kind : task;
  const values = Object.entries(matrix ?? {}).map(([key, value]) => `${key}=${String(value)}`);
  const own = [name, ...(job == null ? [] : [job]), ...values].join(' ');
  return cells === 0 ? own : `${own} (${cells} cells)`;
}

/** Why a queued run waits, as a sentence. */
export function waitingOf({ waiting_reason: reason }: Run): string | undefined {
  return reason == null ? undefined : WAITING[reason];
}

const WAITING: Readonly<Record<NonNullable<Run['waiting_reason']>, string>> = {
  project_disabled: 'the project is off', backoff: 'waits before the next attempt', no_matching_ship: 'no ship has its labels', ship_offline: 'the ships with its labels are offline', unsupported: 'no ship with its labels can do this',
  ship_draining: 'the ships with its labels are draining', concurrency: 'its project has reached max_parallel', ship_busy: 'all ships with its labels are busy', starting: 'is being assigned',
  concurrency_group: 'another run of its group is under way', approval: 'somebody has to approve it', matrix: 'waits for its turn among the cells of its run', needs: 'waits for the jobs that it needs',
};
