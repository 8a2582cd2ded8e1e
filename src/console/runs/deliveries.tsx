import { listForgeDeliveries, listProjects, redeliverForgeEvent } from '../../../generated/runs/sdk/sdk.gen.ts';
import type { ForgeDelivery, ForgeDeliveryState } from '../../../generated/runs/sdk/types.gen.ts';
import { ask } from '../shared/ask.ts';
import { plural } from '../shared/format.ts';
import { Await, Badge, Choice, Empty, Page, Table, Time, type Tone } from '../shared/parts.tsx';
import { place, setQuery } from '../shared/router.ts';
import { attempt } from '../shared/toasts.tsx';
import { useLoad, useRefresh } from '../shared/use-load.ts';
import { runAt } from './places.ts';
import { may } from './rights.ts';

const REFRESH_MS = 5000;
const PAGE = 50;

const TONES: Readonly<Record<ForgeDeliveryState, Tone>> = { pending: 'busy', done: 'good', ignored: '', failed: 'bad' };
const STATES = Object.keys(TONES) as readonly ForgeDeliveryState[];

/** What forges have sent and polling has found, with what came of it. */
export function DeliveriesPage() {
  const { state = '', project = '', before } = place.value.query;
  const projects = useLoad(async (signal) => (await ask(listProjects({ signal }))).data.map(({ id }) => id), []);
  const list = useLoad((signal) => ask(listForgeDeliveries({ signal, query: { limit: PAGE, before, project_id: project || undefined, state: (state || undefined) as ForgeDeliveryState | undefined } })), [state, project, before]);
  useRefresh(list, REFRESH_MS, before === undefined);
  return (
    <Page title="Deliveries" about="What forges have told of repositories, what polling has found there, and what came of it. Deliveries are kept for 30 days.">
      <div class="stack">
        <div class="row">
          {(['', ...STATES] as const).map((name) => <button key={name} class="chip" aria-pressed={state === name} onClick={() => setQuery({ state: name, before: undefined })}>{name === '' ? 'all' : name}</button>)}
          {(projects.data?.length ?? 0) > 1 && <div><Choice label="Project" value={project} options={[['', 'all projects'] as const, ...projects.data!.map((name) => [name, name] as const)]} onChange={(name) => setQuery({ project: name, before: undefined })} /></div>}
        </div>
        <Await of={list}>{({ data, next_cursor: next }) => (
          <>
            {data.length === 0 ? <Empty>There are no such deliveries. The page of a project has the address for its webhook.</Empty> : <DeliveryTable deliveries={data} onChange={list.reload} />}
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

function DeliveryTable({ deliveries, onChange }: { readonly deliveries: readonly ForgeDelivery[]; readonly onChange: () => void }) {
  return (
    <Table label="Deliveries" isBrief columns={['State', 'Event', 'Repository', 'What came of it', 'Arrived', '']}>
      {deliveries.map((delivery) => <Row key={delivery.id} of={delivery} onChange={onChange} />)}
    </Table>
  );
}

function Row({ of, onChange }: { readonly of: ForgeDelivery; readonly onChange: () => void }) {
  const again = async (): Promise<void> => {
    if (await attempt(() => ask(redeliverForgeEvent({ path: { id: of.id } })), 'The delivery is processed again')) onChange();
  };
  return (
    <tr>
      <td class="top"><DeliveryState of={of.state} /></td>
      <td class="name"><strong>{eventOf(of)}</strong>{of.author !== '' && ` by ${of.author}`}<span class="small muted"> {of.title}</span></td>
      <td class="wide-only">{of.repository}<div class="small muted">{of.forge === '' ? 'polling' : of.forge}</div></td>
      <td class="grow"><Outcome of={of} /></td>
      <td class="top when"><Time at={of.received_at} /></td>
      <td class="actions">{of.state !== 'pending' && may('redeliverForgeEvent') && <button aria-label={`Process ${eventOf(of)} again`} onClick={() => void again()}>Again</button>}</td>
    </tr>
  );
}

export const DeliveryState = ({ of }: { readonly of: ForgeDeliveryState }) => <Badge tone={TONES[of]}>{of}</Badge>;

/** `push to main`, `pull request #7 opened`, `issue labeled`. */
export function eventOf({ event, action, ref, pull_request: request }: ForgeDelivery): string {
  const name = event.replaceAll('_', ' ');
  if (request !== null) return `${name} #${request} ${action}`.trim();
  const short = ref.replace(/^refs\/(?:heads|tags)\//, '');
  if (event === 'push' && short !== '') return `push to ${short}`;
  return `${name} ${short === '' ? action : short}`.trim();
}

/** The runs that a delivery has queued, and why it has queued no others. */
export function Outcome({ of: { runs, skipped, reason, state, attempts } }: { readonly of: ForgeDelivery }) {
  return (
    <>
      {runs.map(({ run_id: id, pipeline, project_id: project }) => <span key={id}><a href={runAt(id)}>{pipeline}</a> <span class="small muted">{project}</span> </span>)}
      {reason !== null && <span class="small muted">{reason}{state === 'pending' && `, failed ${attempts} times`}</span>}
      {runs.length === 0 && reason === null && <span class="small muted">{state === 'pending' ? 'waits to be processed' : 'queued no runs'}</span>}
      {skipped.length > 0 && (
        <details class="small muted"><summary>{plural(skipped.length, 'pipeline')} not started</summary><ul class="plain-list">{skipped.map(({ project_id: project, pipeline, reason: why }) => <li key={`${project} ${pipeline}`}>{pipeline} ({project}) {why}</li>)}</ul></details>
      )}
    </>
  );
}
