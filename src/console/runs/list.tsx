import { listProjects, listRuns } from '../../../generated/runs/sdk/sdk.gen.ts';
import type { Run, RunState } from '../../../generated/runs/sdk/types.gen.ts';
import { ask } from '../shared/ask.ts';
import { Icon } from '../shared/icons.tsx';
import { Await, Badge, Choice, Empty, Page, Table, Time, type Tone } from '../shared/parts.tsx';
import { place, setQuery } from '../shared/router.ts';
import { useLoad, useRefresh } from '../shared/use-load.ts';
import { runAt, shortId } from './places.ts';
import { lasted } from '../shared/format.ts';

const REFRESH_MS = 2000;
const PAGE = 50;

const SOURCES = [['', 'all sources'], ['api', 'by request'], ['retry', 'retries'], ['schedule', 'schedules'], ['alert', 'alerts']] as const;

/** The newest runs with their current state; cells of a matrix are shown on the page of their run. */
export function RunsPage() {
  const { state = '', project = '', source = '', schedule = '', by = '', before } = place.value.query;
  const projects = useLoad(async (signal) => ask(listProjects({ signal })), []);
  const list = useLoad(async (signal) => ask(listRuns({ signal, query: { limit: PAGE, cells: false, source: (source || undefined) as Run['source']['type'] | undefined, schedule: schedule || undefined, by: by || undefined, state: (state || undefined) as RunState | undefined, project_id: project || undefined, before } })), [state, project, source, schedule, by, before]);
  useRefresh(list, REFRESH_MS, before === undefined);
  const names = projects.data?.data.map(({ id }) => id) ?? [];
  return (
    <Page title="Runs" actions={<a class="button primary" href="#/submit"><Icon name="plus" />Submit a run</a>}>
      <div class="stack">
        <div class="row">
          {(['', ...STATES] as const).map((name) => <button key={name} class="chip" aria-pressed={state === name} onClick={() => setQuery({ state: name, before: undefined })}>{name === '' ? 'all' : name}</button>)}
          {names.length > 1 && <div><Choice label="Project" value={project} options={[['', 'all projects'], ...names.map((name) => [name, name] as const)]} onChange={(name) => setQuery({ project: name, before: undefined })} /></div>}
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
  return (
    <Table label="Runs" columns={['State', 'Task', 'Project', 'Attempt#', 'Queued', 'Took#']}>
      {runs.map((run) => (
        <tr key={run.id}>
          <td><State of={run.state} /></td>
          <td><a href={runAt(run.id)}>{taskOf(run)}</a> <code class="muted small">{shortId(run.id)}</code>{run.state === 'queued' && waitingOf(run) !== undefined && <div class="small muted">{waitingOf(run)}</div>}{run.error && <div class="small muted">{run.error.message}</div>}</td>
          <td>{run.project_id}</td>
          <td class="num">{run.attempt} of {run.max_attempts}</td>
          <td><Time at={run.created_at} /></td>
          <td class="num">{durationOf(run)}</td>
        </tr>
      ))}
    </Table>
  );
}

const TONES: Readonly<Record<RunState, Tone>> = { queued: '', running: 'busy', cancelling: 'warn', succeeded: 'good', failed: 'bad', cancelled: 'warn' };

const STATES = Object.keys(TONES) as readonly RunState[];

export function State({ of }: { readonly of: RunState }) {
  return <Badge tone={TONES[of]}>{of}</Badge>;
}

export const hasEnded = (state: RunState): boolean => state === 'succeeded' || state === 'failed' || state === 'cancelled';

/** Duration of a run so far. */
export function durationOf({ started_at: started, finished_at: finished }: Run): string {
  return started == null ? '–' : lasted((finished ?? Date.now() / 1000) - started);
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
  project_disabled: 'the project is off', backoff: 'waits before the next attempt', no_matching_ship: 'no ship has its labels', ship_offline: 'its ships are offline', unsupported: 'no ship does this kind',
  ship_draining: 'its ships take nothing new', concurrency: 'the project has as many as it may', ship_busy: 'its ships are busy', starting: 'starts now',
  concurrency_group: 'another run of its group is under way', approval: 'somebody has to approve it', matrix: 'waits for its turn among the cells of its run', needs: 'waits for the jobs that it needs',
};
