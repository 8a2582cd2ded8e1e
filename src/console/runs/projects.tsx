import { useEffect, useState } from 'preact/hooks';
import { getBadge, listPipelines, listProjects } from '../../../generated/runs/sdk/sdk.gen.ts';
import { ask } from '../shared/ask.ts';
import { Await, Badge, Dialog, Empty, Page, Table, Time } from '../shared/parts.tsx';
import { href } from '../shared/router.ts';
import { useLoad } from '../shared/use-load.ts';

/** Projects with their schedules, and the pipelines that they may run. */
export function ProjectsPage() {
  const projects = useLoad(async (signal) => ask(listProjects({ signal })), []);
  const pipelines = useLoad(async (signal) => ask(listPipelines({ signal })), []);
  const [badge, setBadge] = useState<string>();
  return (
    <Page title="Projects" about="Projects with their schedules, and pipelines.">
      <div class="stack">
        <Await of={projects}>{({ data }) => (data.length === 0 ? <Empty>No project is configured.</Empty> : (
          <Table label="Projects" columns={['Project', 'Repository', 'State', 'Needs', 'Next release', 'Next content', 'At once#', 'Priority#', '']}>
            {data.map(({ id, repository, enabled, runs_on: needs, next_release_at: release, next_content_at: content, max_parallel: parallel, priority }) => (
              <tr key={id}>
                <td><a href={href([], { project: id })}>{id}</a></td><td>{repository}</td><td>{enabled ? <Badge tone="good">on</Badge> : <Badge>off</Badge>}</td><td>{needs.join(', ')}</td>
                <td><Time at={release} /></td><td><Time at={content} /></td><td class="num">{parallel === 0 ? 'any' : parallel}</td><td class="num">{priority}</td>
                <td><button aria-label={`Badge of ${id}`} onClick={() => setBadge(id)}>Badge</button></td>
              </tr>
            ))}
          </Table>
        ))}</Await>
        <h2>Pipelines</h2>
        <Await of={pipelines}>{({ data }) => (data.length === 0 ? <Empty>No pipeline is configured.</Empty> : (
          <Table label="Pipelines" columns={['Pipeline', 'Steps', 'Needs', 'At most', 'Attempts#']}>
            {data.map(({ name, description, steps, runs_on: needs, timeout, max_attempts: attempts }) => (
              <tr key={name}><td>{name}<div class="small muted">{description}</div></td><td>{steps.map((step) => step.name).join(' → ')}</td><td>{needs.join(', ')}</td><td>{timeout}</td><td class="num">{attempts}</td></tr>
            ))}
          </Table>
        ))}</Await>
      </div>
      {badge !== undefined && <ProjectBadge project={badge} onClose={() => setBadge(undefined)} />}
    </Page>
  );
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
