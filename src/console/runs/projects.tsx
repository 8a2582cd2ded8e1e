import { useEffect, useState } from 'preact/hooks';
import { getBadge, listPipelines, listProjects, listRuns } from '../../../generated/runs/sdk/sdk.gen.ts';
import type { Run } from '../../../generated/runs/sdk/types.gen.ts';
import { ask } from '../shared/ask.ts';
import { spoken } from '../shared/format.ts';
import { Await, Badge, Dialog, Empty, Page, Table, Time } from '../shared/parts.tsx';
import { useLoad } from '../shared/use-load.ts';
import { LastRun } from './list.tsx';
import { projectAt } from './places.ts';

/** Projects with their last and next runs, and the pipelines that they may run. */
export function ProjectsPage() {
  const projects = useLoad(async (signal) => ask(listProjects({ signal })), []);
  const pipelines = useLoad(async (signal) => ask(listPipelines({ signal })), []);
  const last = useLastRuns(projects.data?.data.map(({ id }) => id) ?? []);
  const [badge, setBadge] = useState<string>();
  return (
    <Page title="Projects" about="Projects with their last and next runs, and the pipelines that they may run.">
      <div class="stack">
        <Await of={projects}>{({ data }) => (data.length === 0 ? <Empty>No project is configured.</Empty> : (
          <Table label="Projects" isBrief columns={['Project', 'Last run', 'Next runs', 'Labels of ships', 'Runs at once#', 'Priority#', '']}>
            {data.map(({ id, repository, enabled, runs_on: needs, next_release_at: release, next_content_at: content, max_parallel: parallel, priority }) => (
              <tr key={id}>
                <td class="name"><a href={projectAt(id)}>{id}</a> {!enabled && <Badge>off</Badge>}<span class="small muted"> {repository}</span></td><td><LastRun of={last.get(id)} /></td>
                <td>{release == null && content == null ? <span class="muted wide-only">–</span> : <>{release != null && <div>release <Time at={release} /></div>}{content != null && <div>content <Time at={content} /></div>}</>}</td><td class="wide-only">{needs.join(', ')}</td><td class="num wide-only">{parallel === 0 ? 'no limit' : parallel}</td><td class="num wide-only">{priority}</td>
                <td class="actions"><button aria-label={`Badge of ${id}`} onClick={() => setBadge(id)}>Badge</button></td>
              </tr>
            ))}
          </Table>
        ))}</Await>
        <h2>Pipelines</h2>
        <Await of={pipelines}>{({ data }) => (data.length === 0 ? <Empty>No pipeline is configured.</Empty> : (
          <Table label="Pipelines" isBrief columns={['Pipeline', 'Steps or jobs', 'Labels of ships', 'Time limit', 'Attempts#']}>
            {data.map(({ name, description, steps, jobs, runs_on: needs, timeout, max_attempts: attempts }) => (
              <tr key={name}><td class="name">{name}<span class="small muted"> {description}</span></td><td>{(jobs.length > 0 ? jobs : steps).map((each) => each.name).join(' → ')}</td><td class="wide-only">{needs.join(', ')}</td><td class="nowrap">runs {spoken(timeout)} at most</td><td class="num wide-only">{attempts}</td></tr>
            ))}
          </Table>
        ))}</Await>
      </div>
      {badge !== undefined && <ProjectBadge project={badge} onClose={() => setBadge(undefined)} />}
    </Page>
  );
}

/** Projects whose last run is looked up. */
const LOOKED_UP = 60;

/** The newest run of each project. */
function useLastRuns(projects: readonly string[]): ReadonlyMap<string, Run> {
  const runs = useLoad(async (signal) => {
    const found = await Promise.all(projects.slice(0, LOOKED_UP).map(async (id) => (await ask(listRuns({ signal, query: { project_id: id, cells: false, limit: 1 } }))).data));
    return new Map(found.flat().map((run) => [run.project_id, run]));
  }, [projects.join(' ')]);
  return runs.data ?? new Map<string, Run>();
}

/** The badge of a project, and the line that shows it in a README. */
function ProjectBadge({ project, onClose }: { readonly project: string; readonly onClose: () => void }) {
  const image = useLoad(async (signal) => URL.createObjectURL(await ask(getBadge({ signal, path: { id: project }, parseAs: 'blob' }))), [project]);
  useEffect(() => () => {
    if (image.data !== undefined) URL.revokeObjectURL(image.data);
  }, [image.data]);
  const url = new URL(`/api/v1/projects/${encodeURIComponent(project)}/badge.svg`, location.href).href;
  return (
    <Dialog title={`Badge of ${project}`} onClose={onClose}>
      <div class="stack">
        <Await of={image}>{(source) => <div><img src={source} alt={`The state of ${project}`} /></div>}</Await>
        <pre class="code" tabIndex={0}>{`![${project}](${url})`}</pre>
        <p class="small muted">Pages elsewhere show it with <code>runtime.public_badges</code> in the configuration of the service. <code>?pipeline=NAME</code> and <code>?ref=BRANCH</code> narrow it.</p>
      </div>
    </Dialog>
  );
}
