import { getProjectForge, listProjects } from '../../../generated/runs/sdk/sdk.gen.ts';
import type { Project, ForgeOfProject } from '../../../generated/runs/sdk/types.gen.ts';
import { ask } from '../shared/ask.ts';
import { spoken } from '../shared/format.ts';
import { Await, Badge, Empty, Facts, Page, Tabs, Time } from '../shared/parts.tsx';
import { href, place, setQuery } from '../shared/router.ts';
import { useLoad, useRefresh } from '../shared/use-load.ts';
import { DeliveryState, eventOf, Outcome } from './deliveries.tsx';
import { ForgeFacts, ForgeState } from './forges.tsx';
import type { PageOf } from './pages.tsx';
import { deliveriesOf, runAt, shortId } from './places.ts';
import { ProjectTests } from './project-tests.tsx';
import { may } from './rights.ts';
import { StatusLine } from './shown-at-forge.tsx';

const REFRESH_MS = 10_000;

/** A project with its forge and its tests. */
export function ProjectPage({ path: [id = ''] }: PageOf) {
  const project = useLoad(async (signal) => {
    const found = (await ask(listProjects({ signal }))).data.find((each) => each.id === id);
    if (found === undefined) throw new Error(`there is no project ${id}`);
    return found;
  }, [id]);
  const seesForge = may('getProjectForge', id);
  const { tab = seesForge ? 'forge' : 'tests' } = place.value.query;
  const tabs = [...(seesForge ? [['forge', 'Forge'] as const] : []), ['tests', 'Tests'] as const];
  return (
    <Page title={id} crumbs={[['Projects', '#/projects']]} about={project.data?.repository} actions={<><a class="button" href={href([], { project: id })}>Runs</a>{may('listForgeDeliveries') && <a class="button" href={deliveriesOf({ project: id })}>Deliveries</a>}</>}>
      <Await of={project}>{(data) => (
        <div class="stack">
          <ProjectFacts of={data} />
          <section>
            <Tabs label="Of the project" value={tab} options={tabs} onChange={(name) => setQuery({ tab: name, test: undefined })} />
            {tab === 'tests' ? <ProjectTests project={id} /> : <OfForge project={id} />}
          </section>
        </div>
      )}</Await>
    </Page>
  );
}

function ProjectFacts({ of: { enabled, pipelines, runs_on: labels, max_parallel: parallel, next_release_at: release, next_content_at: content } }: { readonly of: Project }) {
  return (
    <div class="card">
      <Facts of={[
        ['State', enabled ? <Badge tone="good">on</Badge> : <Badge>off</Badge>], ['Pipelines', pipelines.join(', ') || 'those of its repository'], ['Labels of ships', labels.join(', ') || 'none'],
        ['Runs at once', parallel === 0 ? 'no limit' : String(parallel)],
        ...(release == null ? [] : [['Next release', <Time at={release} />] as const]), ...(content == null ? [] : [['Next content', <Time at={content} />] as const]),
      ]} />
    </div>
  );
}

function OfForge({ project }: { readonly project: string }) {
  const known = useLoad(async (signal) => (await ask(getProjectForge({ signal, path: { id: project } }))).data, [project]);
  useRefresh(known, REFRESH_MS);
  return <Await of={known}>{(data) => (data.forge === null && data.poll === null ? <Empty>This project names no forge (<code>forge</code>) and is not polled (<code>poll</code>), so no event of its repository queues runs.</Empty> : <Known of={data} />)}</Await>;
}

function Known({ of: { forge, repository, poll, last_delivery: delivery, last_status: status } }: { readonly of: ForgeOfProject }) {
  return (
    <div class="halves">
      {forge !== null && <article class="card stack"><div class="row apart"><h2>{forge.name}</h2><ForgeState of={forge} /></div><ForgeFacts of={forge} /></article>}
      <article class="card stack">
        <h2>What was exchanged last</h2>
        <Facts of={[
          ...(repository === null ? [] : [['Repository', repository] as const]),
          ['Delivery', delivery === null ? <span class="muted">none in the last 30 days</span> : <><DeliveryState of={delivery.state} /> {eventOf(delivery)} <Time at={delivery.received_at} /><div><Outcome of={delivery} /></div></>],
          ...(poll == null ? [] : [['Polling', <>every {spoken(poll.interval)}, last <Time at={poll.last_at} />{poll.error != null && <div class="bad-text">{poll.error}</div>}</>] as const]),
          ['Status', status === null ? <span class="muted">{forge?.state === 'ok' || forge?.state === 'failing' ? 'none in the last 30 days' : 'none: there is no token or no API'}</span> : <><StatusLine of={status} />{status.run_id != null && <> <a href={runAt(status.run_id)}>{shortId(status.run_id)}</a></>}</>],
        ]} />
      </article>
    </div>
  );
}
