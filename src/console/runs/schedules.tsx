import { listProjects, listSchedules, pauseSchedule, resumeSchedule, runSchedule } from '../../../generated/runs/sdk/sdk.gen.ts';
import type { Schedule } from '../../../generated/runs/sdk/types.gen.ts';
import { ask, idempotencyKey } from '../shared/ask.ts';
import { Await, Badge, Empty, Page, Table, Time } from '../shared/parts.tsx';
import { attempt } from '../shared/toasts.tsx';
import { useLoad, useRefresh } from '../shared/use-load.ts';
import { LastRun } from './list.tsx';
import { runAt, runsOf } from './places.ts';
import { may } from './rights.ts';

const REFRESH_MS = 10_000;

/** The runs that are queued on a schedule. */
export function SchedulesPage() {
  const list = useLoad(async (signal) => (await ask(listSchedules({ signal }))).data, []);
  const projects = useLoad(async (signal) => (await ask(listProjects({ signal }))).data, []);
  const isOff = (project: string): boolean => projects.data?.find(({ id }) => id === project)?.enabled === false;
  useRefresh(list, REFRESH_MS);
  return (
    <Page title="Schedules" about="Runs that are queued by schedules.">
      <Await of={list}>{(schedules) => (schedules.length === 0 ? <Empty>No schedule is configured.</Empty> : (
        <Table label="Schedules" isBrief columns={['Schedule', 'Queues', 'When', 'State', 'Next run', 'Last run', '']}>
          {schedules.map((schedule) => <Row key={`${schedule.project_id} ${schedule.name}`} schedule={schedule} isProjectOff={isOff(schedule.project_id)} onChange={list.reload} />)}
        </Table>
      ))}</Await>
    </Page>
  );
}

function Row({ schedule, isProjectOff, onChange }: { readonly schedule: Schedule; readonly isProjectOff: boolean; readonly onChange: () => void }) {
  const { project_id: project, name, kind, task, cron, timezone, interval, next_run_at: next, last_run: last } = schedule;
  const path = { project_id: project, name };
  const change = (action: () => Promise<unknown>, done: string) => async (): Promise<void> => {
    if (await attempt(action, done)) onChange();
  };
  const runNow = change(async () => {
    const { data } = await ask(runSchedule({ path, headers: { 'Idempotency-Key': idempotencyKey() } }));
    location.hash = runAt(data.id);
  }, 'The run is queued');
  const isPaused = schedule.paused_at != null;
  return (
    <tr>
      <td class="name"><a href={runsOf({ project, schedule: name })}>{name}</a> <span class="small muted">{project}</span></td>
      <td class="wide-only">{task === '' ? kind : task}</td>
      <td class="wide-only">{cron === null ? `every ${interval}` : <><code>{cron}</code><div class="small muted">{timezone}</div></>}</td>
      <td class="top">{isPaused ? <Badge tone="warn">paused by {schedule.paused_by}</Badge> : schedule.active ? <Badge tone="good">on</Badge> : <Badge>{isProjectOff ? 'project is off' : 'scheduler is off'}</Badge>}</td>
      <td class="titled"><Time at={next} /></td>
      <td><LastRun of={last} />{schedule.last_skip && <div class="small muted">no run at <Time at={schedule.last_skip.at} />: {schedule.last_skip.reason}</div>}</td>
      <td class="actions"><div class="row">
        {!isProjectOff && may('runSchedule', project) && <button onClick={runNow}>Run now</button>}
        {may('pauseSchedule', project) && (isPaused ? <button onClick={change(() => ask(resumeSchedule({ path })), `${name} goes on`)}>Resume</button> : <button onClick={change(() => ask(pauseSchedule({ path })), `${name} is paused`)}>Pause</button>)}
      </div></td>
    </tr>
  );
}
